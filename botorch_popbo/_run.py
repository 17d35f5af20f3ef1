"""A minimization: evaluations, what they teach, and the file that holds them."""

import json
import logging
import math
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from pickle import PicklingError
from typing import Any, get_args

from botorch.exceptions import InputDataError

from botorch_popbo._evaluation import Direction, Evaluation, Result
from botorch_popbo._replacing import replacing
from botorch_popbo._workers import Ended, Submit
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space, at_least
from botorch_popbo.trials import read_evaluation, read_start

_FORMAT = "minimize 2"

_logger = logging.getLogger("botorch_popbo")


class Run:
    """The evaluations of a minimization, and the file that holds them."""

    def __init__(
        self,
        space: Mapping[str, Any],
        n_trials: int,
        search: Search,
        direction: Direction,
        start: Any,
        path: str | os.PathLike[str] | None,
    ) -> None:
        if direction not in get_args(Direction):
            raise InputDataError(f'direction is "minimize" or "maximize", but got {direction!r}.')
        self.direction, self.sign = direction, 1.0 if direction == "maximize" else -1.0
        self.space, self.search = Space.read(space), search
        self.evaluations = read_start(start, self.space, self.sign)
        self.num_past = sum(e.is_past for e in self.evaluations)
        # What it said, in short.
        self.start = sha256(repr(self.evaluations).encode()).hexdigest()[:8]
        X = self.trials.known_X.unique(dim=0)
        num_known = int((X.clamp(*self.space.bounds) == X).all(-1).sum())
        left = len(self.own) + self.space.num_points - num_known
        self.n_trials = int(min(at_least(max(len(self.own), 1), n_trials=n_trials), left))
        # The function may change the working directory.
        self.path = None if path is None else Path(path).absolute()
        self._written: tuple[int, int] | None = None
        if self.path is not None and self.path.is_file():
            self._load(self.path)
        self.save()

    @property
    def own(self) -> list[Evaluation]:
        """All evaluations but past ones."""
        return self.evaluations[self.num_past :]

    @property
    def num_ended(self) -> int:
        """The number of evaluations that do not run, without past ones."""
        return sum(evaluation.status != "running" for evaluation in self.own)

    @property
    def count(self) -> str:
        """How many have ended, in words."""
        return f"{self.num_ended} of {max(self.n_trials, len(self.own))} evaluations"

    @property
    def trials(self) -> Trials:
        """What is known of points."""
        ended, pending = [], []
        for evaluation in self.evaluations:
            x = self.space.encode(evaluation.parameters)
            value = -math.inf if evaluation.status == "failed" else self.sign * evaluation.value
            if evaluation.status == "running":
                pending.append(x)
            else:
                ended.append(Trial(x, [value], variance=evaluation.standard_error**2))
        return Trials.gather(ended, pending, (len(self.space.parameters), 1, 0))

    def evaluate(
        self,
        submit: Submit,
        n_jobs: int,
        deadline: float,
        bar: Any,
        callback: Callable[[Result], object] | None,
    ) -> None:
        """Evaluate until there are enough, or until a time of the monotonic clock."""
        left = [index for index, e in enumerate(self.evaluations) if e.status == "running"]
        running: dict[Future[Ended], int] = {}
        died: set[int] = set()
        while True:
            while len(running) < n_jobs and (left or len(self.own) < self.n_trials):
                if (running or self.num_ended) and time.monotonic() >= deadline:
                    break
                index = left.pop(0) if left else self._begin()
                running[submit(self.evaluations[index].parameters)] = index
            if not running:
                return
            done, others = wait(running, return_when=FIRST_COMPLETED)
            if others:
                # A fit serves all that end within these seconds.
                done |= wait(others, 0.05).done
            for future in done:
                index = running.pop(future)
                ended = self._outcome(index, future, is_first=index not in died)
                if ended is None:
                    left.append(index)
                    died.add(index)
                    continue
                self._end(index, ended)
                bar.update(self.num_ended - bar.n)
                try:
                    if callback and any(e.status == "completed" for e in self.evaluations):
                        callback(self.result())
                except StopIteration:
                    deadline = -math.inf

    def _outcome(self, index: int, future: Future[Ended], is_first: bool) -> Ended | None:
        """What became of an evaluation; ``None`` if it is tried once more, as its worker died."""
        try:
            return future.result()
        except BrokenExecutor:  # whichever of those that ran is to blame
            told = self.evaluations[index].parameters
            lost = Evaluation(told, "failed", reason="the worker process died twice")
            return None if is_first else Ended(lost)
        except PicklingError as error:
            error.add_note("Let the function make its locks, connections and open files itself.")
            raise

    def _begin(self) -> int:
        """The index of another evaluation, which runs."""
        x = self.search.suggest(self.space, self.trials, len(self.evaluations))
        self.evaluations.append(Evaluation(self.space.decode(x)))
        return len(self.evaluations) - 1

    def _end(self, index: int, ended: Ended) -> None:
        """Tell what became of an evaluation.

        Raises:
            RuntimeError: If all others would fail like it.
        """
        reason = ended.evaluation.reason
        if reason and all(e.status != "failed" for e in self.own):
            _logger.warning("the first evaluation that failed:\n%s", ended.trace or reason)
        if ended.is_mistake and all(e.status != "completed" for e in self.own):
            # As it is not kept, it is evaluated again when the call goes on.
            raise RuntimeError(
                f"The function failed with {reason}. No run has succeeded yet, so it is taken for "
                "a mistake. Mend it and call again, or raise ValueError to mark a run as failed."
            )
        self.evaluations[index] = ended.evaluation
        self.save()
        reasons = [e.reason for e in self.own if e.status != "running"]
        is_systematic = len({reason.partition(":")[0] for reason in reasons}) == 1 and reasons[0]
        if is_systematic and len(reasons) >= self.search.num_initial:
            raise self._all_failed()

    def result(self) -> Result:
        """The best evaluations.

        Raises:
            RuntimeError: If all failed.
        """
        completed = [e for e in self.evaluations if e.status == "completed"]
        if not completed:
            raise self._all_failed()
        observed = best = max(completed, key=lambda e: self.sign * e.value)
        trials, inferred = self.trials, ""
        if len(trials.X.unique(dim=0)) > 1:
            [model] = self.search.models(self.space, trials).objectives
            x = model.incumbent
            at_best = [e for e in completed if self.space.encode(e.parameters).equal(x)]
            best = max(at_best, key=lambda e: self.sign * e.value)
            inferred = model.inferred
        ended = [e for e in self.evaluations if e.status != "running"]
        return Result(best, observed, ended, self.direction, inferred, self.space)

    def _all_failed(self) -> RuntimeError:
        reasons = [e.reason for e in self.evaluations if e.status == "failed"]
        again = "another path" if self.path else "it"
        return RuntimeError(
            f"All {len(reasons)} evaluations failed, the first one with {reasons[0]}. Mend the "
            f"function, or narrow the space to where it succeeds, and call again with {again}."
        )

    def save(self) -> None:
        """Write the file, whole or not at all.

        Raises:
            OSError: If it cannot be written.
            RuntimeError: If another run has written it meanwhile.
        """
        if self.path is not None:
            if self._written and self.path.exists() and self._written != _version(self.path):
                raise RuntimeError(
                    f"Another run writes to {self.path}, too. Its evaluations are kept, those that "
                    "just ended here are not. Let one run at a time have a path."
                )
            content = {**self._header(), "evaluations": [e.to_json() for e in self.evaluations]}
            text = json.dumps(content, indent=1, allow_nan=False)
            with replacing(self.path) as partial:
                partial.write_text(text, encoding="utf-8")
            self._written = _version(self.path)

    def _header(self) -> dict[str, Any]:
        """What calls must agree in: whatever changes a suggestion."""
        default = asdict(Settings())
        changed = {
            f"{part}.{name}": repr(value)
            for part, values in asdict(self.search.settings).items()
            for name, value in values.items()
            if value != default[part][name] and name != "num_initial"  # which is n_initial
        }
        return {
            "format": _FORMAT,
            "space": self.space.to_json(),
            "direction": self.direction,
            "start": self.start,
            "n_initial": self.search.num_initial,
            "seed": self.search.seed,
            "settings": changed,
        }

    def _load(self, path: Path) -> None:
        """Go on with what a file holds.

        Raises:
            InputDataError: If it holds another run, or something else.
            OSError: If it cannot be read.
        """
        try:
            # Earlier versions wrote NaN, and not yet settings.
            content = json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda _: None)
            rows, content = content.pop("evaluations"), {"settings": {}} | content
            is_run = content["format"] == _FORMAT and isinstance(rows, list)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            is_run = False
        if not is_run:
            raise InputDataError(f"{path} holds no run of this version. Give another path.")
        was, now = _texts(content), _texts(self._header())
        for name in was | now:
            if was.get(name) != now.get(name):
                raise InputDataError(
                    f"{path} is of a run with another {name} {was.get(name)}, not {now.get(name)}. "
                    "Give the same arguments to go on with it, or another path to begin anew."
                )
        past = self.evaluations[: self.num_past]
        if rows[: self.num_past] != [e.to_json() for e in past]:
            raise InputDataError(f"{path} holds other past evaluations than start does.")
        places = enumerate(rows[self.num_past :], self.num_past + 1)
        own = [read_evaluation(row, f"{path}, evaluation {i}", self.space) for i, row in places]
        self.evaluations = past + own


def _version(path: Path) -> tuple[int, int]:
    """What another file of that name would not share."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def _texts(header: dict[str, Any]) -> dict[str, str]:
    """Texts, in which 1, 1.0 and true differ, of each parameter by itself."""
    space = header["space"] if isinstance(header.get("space"), dict) else {}
    parts = {f"space of {name}:": notation for name, notation in space.items()}
    order = [name for name, notation in space.items() if isinstance(notation, dict)]
    return {name: json.dumps(x) for name, x in (header | {"space": order} | parts).items()}
