"""Methods whose library needs a process of its own, perhaps of another Python."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from weakref import finalize

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods._libraries import LibraryOptimizer, Row
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting

_SERVER = Path(__file__).with_name("_server.py")


class OwnProcess(LibraryOptimizer):
    """A library in a process of its own, asked through a pipe.

    The variable ``POPBO_PYTHON_`` followed by the method's name in capitals names the interpreter;
    ``python`` is what runs it otherwise, and ``install`` is for the messages. The ``server`` is a
    function of ``_server``.
    """

    def __init__(
        self, server: str, install: str, python: str | None, problem: Problem, setting: Setting
    ) -> None:
        super().__init__(problem, setting)
        variable = f"POPBO_PYTHON_{setting.method.upper()}"
        python = os.environ.get(variable) or python
        if not python:
            raise UsageError(
                f"{setting.method} needs an environment of its own: python -m venv DIR; "
                f"DIR/bin/{install}; export {variable}=DIR/bin/python"
            )
        # A fixed seed of hashes, as the order of a set would differ in a resumed replication.
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        if python != sys.executable:
            environment.pop("PYTHONPATH", None)
        pipe, silence = subprocess.PIPE, subprocess.DEVNULL
        command = [python, str(_SERVER), server]
        try:
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=silence, text=True, env=environment
            )
            finalize(self, self.process.kill)
            self.answer([dimension._asdict() for dimension in self.dimensions])
        except (OSError, RuntimeError) as error:
            raise UsageError(
                f"{setting.method} does not start with {python}: {error}; {install}"
            ) from error

    def ask(self, seed: int) -> Row:
        return self.answer({"rows": self.rows, "losses": self.losses, "seed": seed})["row"]

    def answer(self, request: Any) -> dict[str, Any]:
        """Send what JSON can hold and wait; RuntimeError if the script raised or has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = ""
        with suppress(BrokenPipeError):
            print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line or '{"error": "the process ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


# SMAC suggests what depends on the seed of Python's hashes, and HEBO's requirements contradict
# this package's.
smac = partial(OwnProcess, "smac", "pip install 'botorch-popbo[peers]'", sys.executable)
_hebo = "pip install 'HEBO==0.3.6', with the versions that docs/benchmarks.md names"
hebo = partial(OwnProcess, "hebo", _hebo, None)
