"""Methods whose library needs a process of its own, perhaps of another Python."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any
from weakref import finalize

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods._libraries import INSTALL, LibraryOptimizer, Row
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting

_SERVER = Path(__file__).with_name("_server.py")


def interpreter(method: str) -> str | None:
    """The interpreter that the environment names for a method's library, or None."""
    return os.environ.get(_variable(method)) or None


def _variable(method: str) -> str:
    return f"POPBO_PYTHON_{method.upper().replace('-', '_')}"


class OwnProcess(LibraryOptimizer):
    """A library in a process of its own, asked through a pipe.

    The variable ``POPBO_PYTHON_`` followed by the method's name in capitals names the interpreter;
    for a library that can be installed ``beside`` this package, this process' own will do. The
    ``script`` is a file and a function in it, see ``_server``; ``install`` is for the messages.
    """

    def __init__(
        self,
        script: tuple[Path, str],
        install: str,
        beside: bool,
        problem: Problem,
        setting: Setting,
    ) -> None:
        super().__init__(problem, setting)
        python = interpreter(setting.method) or (sys.executable if beside else None)
        if not python:
            raise UsageError(
                f"{setting.method} needs an environment of its own: python -m venv DIR; "
                f"DIR/bin/{install}; export {_variable(setting.method)}=DIR/bin/python"
            )
        try:
            self.server = Server(python, *script)
            self.server.ask([asdict(dimension) for dimension in self.dimensions])
        except (OSError, RuntimeError) as error:
            raise UsageError(
                f"{setting.method} does not start with {python}: {error}; {install}"
            ) from error

    def ask(self, seed: int) -> Row:
        request = {"rows": self.rows, "losses": self.losses, "seed": seed}
        row: Row = self.server.ask(request)["row"]
        return row


class Server:
    """A process that answers requests until this object is deleted or this process ends."""

    def __init__(self, python: str, path: Path, function: str) -> None:
        # A fixed seed of hashes, as the order of a set would differ in a resumed replication.
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        if python != sys.executable:
            environment.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(
            [python, str(_SERVER), str(path), function],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        finalize(self, self._process.kill)

    def ask(self, request: Any) -> dict[str, Any]:
        """Send what JSON can hold and wait; RuntimeError if the script raised or has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = ""
        with suppress(BrokenPipeError):
            print(json.dumps(request), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process ended without an answer")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


# SMAC suggests what depends on the seed of Python's hashes, and HEBO's requirements contradict
# this package's.
smac = partial(OwnProcess, (_SERVER, "smac"), INSTALL, True)
hebo = partial(
    OwnProcess,
    (_SERVER, "hebo"),
    "pip install 'HEBO==0.3.6', with the versions that docs/benchmarks.md names",
    False,
)
