"""Methods whose library needs a process of its own, perhaps of another Python.

The library is asked anew with all observations at every suggestion, so that a resumed replication
suggests what an uninterrupted one would have. The campaign's initial design takes the place of the
library's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple
from weakref import finalize

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer
from botorch_popbo.benchmarks.points import completed
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.space import Parameter, Space

#: The script that serves the library.
SERVER = Path(__file__).with_name("server.py")
#: A point in the numbers that every library understands: a choice is its place in the list.
Row = Mapping[str, int | float]
Kind = Literal["category", "int", "float"]


class Dimension(NamedTuple):
    """A parameter as numbers: an unordered choice is a category, an integer from 0 to ``high``.

    It may have a meaning beside some choices of another parameter only.
    """

    name: str
    kind: Kind
    low: int | float
    high: int | float
    log: bool
    beside: tuple[str, Sequence[int]] | None

    @classmethod
    def of(cls, space: Space, name: str) -> "Dimension":
        """That of a parameter of a space."""
        p = space.parameters[name]
        kind: Kind = "category" if p.is_categorical else "float" if p.step is None else "int"
        beside = None
        for parent, by in space.dependents.items():
            if places := [int(place) for place, names in by.items() if name in names]:
                beside = parent, places
        return cls(name, kind, p.low, p.high, p.is_log, beside)


class OwnProcess(SequentialOptimizer):
    """A library in a process of its own, asked through a pipe.

    The variable ``POPBO_PYTHON_`` followed by the method's name in capitals names the interpreter;
    ``python`` is what runs it otherwise, and ``install`` is for the messages. The ``server`` is a
    function of the script.
    """

    def __init__(
        self, server: str, install: str, python: str | None, problem: Problem, setting: Setting
    ) -> None:
        super().__init__(problem, setting)
        variable = f"POPBO_PYTHON_{setting.method.upper()}"
        python = os.environ.get(variable) or python
        if not python:
            raise UsageError(
                f"{setting.method} needs its own environment: python -m venv DIR; "
                f"DIR/bin/{install}; export {variable}=DIR/bin/python"
            )
        # A fixed seed of hashes, as the order of a set would differ in a resumed replication.
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        if python != sys.executable:
            environment.pop("PYTHONPATH", None)
        pipe, silence = subprocess.PIPE, subprocess.DEVNULL
        command = [python, str(SERVER), server]
        try:
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=silence, text=True, env=environment
            )
            finalize(self, self.process.kill)
            self.answer([Dimension.of(self.space, n)._asdict() for n in self.space.parameters])
        except (OSError, RuntimeError) as error:
            raise UsageError(
                f"{setting.method} does not start with {python}: {error}; {install}"
            ) from error

    def choose(self, trial: int, seed: int) -> tuple[Parameters, None]:
        """See the base class."""
        parameters = self.space.parameters
        rows = [{n: _number(p, point[n]) for n, p in parameters.items()} for point in self.points]
        losses = [-outcome for outcome in self.outcomes]
        row: Row = self.answer({"rows": rows, "losses": losses, "seed": seed})["row"]
        values = {name: _value(parameters[name], number) for name, number in row.items()}
        return completed(self.space, values), None

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


def _number(p: Parameter, value: Any) -> int | float:
    return value if p.choices is None else int(p.place(value))


def _value(p: Parameter, number: float) -> Any:
    # Libraries round: an end of a range may come back one digit beyond it, a whole number as float.
    inside = min(max(float(number), p.low), p.high)
    if p.step is None:
        return inside
    return p.choices[round(inside)] if p.choices else round(inside)


# SMAC suggests what depends on the seed of Python's hashes, and HEBO's requirements contradict
# this package's.
smac = partial(OwnProcess, "smac", "in the clone, pip install '.[peers]'", sys.executable)
_hebo = "pip install 'HEBO==0.3.6', with the versions that docs/benchmarks.md names"
hebo = partial(OwnProcess, "hebo", _hebo, None)
