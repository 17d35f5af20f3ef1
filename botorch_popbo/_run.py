"""A minimization: evaluations, what they teach, and the file that holds them."""

import json
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._evaluation import Direction, Ended, Evaluation, Result, Submit
from botorch_popbo._replacing import replacing
from botorch_popbo._threads import one_thread
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
        given = read_start(start, self.space, self.sign)
        self.past, self.own = ([e for e in given if e.is_past is past] for past in (True, False))
        # What it said, in short.
        self.start = sha256(repr(self.evaluations).encode()).hexdigest()[:8]
        num_known = int(self._is_inside(self.trials.known_X.unique(dim=0)).sum())
        left = len(self.own) + self.space.num_points - num_known
        self.n_trials = int(min(at_least(max(len(self.own), 1), n_trials=n_trials), left))
        if self.n_trials < n_trials:
            _warn(f"The space has only {self.n_trials} points to evaluate, not {n_trials}.")
        # The function may change the working directory.
        self.path = None if path is None else Path(path).absolute()
        self._written = b""
        if self.path is not None and self.path.is_file():
            self._load(self.path)
        self.save()

    @property
    def evaluations(self) -> list[Evaluation]:
        """All evaluations, past ones first."""
        return self.past + self.own

    @property
    def history(self) -> list[Evaluation]:
        """All evaluations that have ended, past ones first."""
        return [e for e in self.evaluations if e.status != "running"]

    @property
    def num_ended(self) -> int:
        """The number of evaluations that have ended, without past ones."""
        return len(self.history) - len(self.past)

    @property
    def count(self) -> str:
        """How many have ended, in words."""
        return f"{self.num_ended} of {max(self.n_trials, len(self.own))} evaluations"

    @property
    def trials(self) -> Trials:
        """What is known of points."""
        encode = self.space.encode
        ended = []
        for e in self.history:
            value = -math.inf if e.status == "failed" else self.sign * e.value
            ended.append(Trial(encode(e.parameters), [value], variance=e.standard_error**2))
        pending = [encode(e.parameters) for e in self.own if e.status == "running"]
        return Trials.gather(ended, pending, (len(self.space.parameters), 1, 0))

    def evaluate(
        self,
        submit: Submit,
        n_jobs: int,
        deadline: float,
        bar: Any,
        callback: Callable[[Result], object] | None,
    ) -> None:
        """Evaluate until there are enough, or until a time of the monotonic clock.

        It also ends where a whole design has failed in one way.
        """
        left = [index for index, e in enumerate(self.own) if e.status == "running"]
        running: dict[Future[Ended], int] = {}
        # A worker that dies ends what the others evaluate, too. So each is then tried alone.
        suspects: set[int] = set()
        num_before = self.num_ended
        while True:
            num_jobs = 1 if suspects else n_jobs
            while len(running) < num_jobs and (left or len(self.own) < self.n_trials):
                is_over = self.num_ended > num_before and self._fails_in_one_way
                if (running or self.num_ended) and (is_over or time.monotonic() >= deadline):
                    break
                index = left.pop(0) if left else self._begin()
                running[submit(self.own[index].parameters)] = index
            if not running:
                break
            done, others = wait(running, return_when=FIRST_COMPLETED)
            if others:
                # A fit serves all that end within these seconds.
                done |= wait(others, 0.05).done
            # What ends the loop comes after what is kept.
            for future in sorted(done, key=lambda f: bool(f.exception()) or f.result().is_mistake):
                index = running.pop(future)
                if isinstance(future.exception(), BrokenExecutor) and index not in suspects:
                    suspects.add(index)
                    left.insert(0, index)
                    continue
                suspects.discard(index)
                self._end(index, future)
                bar.update(self.num_ended - bar.n)
                try:
                    if callback and self._completed:
                        callback(self.result())
                except StopIteration:
                    deadline = -math.inf
        if self.num_ended and self._completed and all(e.status != "completed" for e in self.own):
            _warn(f"{self._failures}. The result is the best past one.")

    def _begin(self) -> int:
        """The index of another evaluation, which runs."""
        x = self.search.suggest(self.space, self.trials, len(self.evaluations))
        self.own.append(Evaluation(self.space.decode(x)))
        return len(self.own) - 1

    def _end(self, index: int, future: Future[Ended]) -> None:
        """Keep what became of an evaluation.

        Raises:
            RuntimeError: If all others would fail like it.
        """
        try:
            ended = future.result()
        except BrokenExecutor:
            parameters, reason = self.own[index].parameters, "the worker process died twice"
            ended = Ended(Evaluation(parameters, "failed", reason=reason))
        reason, error = ended.evaluation.reason, ended.evaluation.standard_error
        if reason and all(e.status != "failed" for e in self.own):
            _logger.warning("the first evaluation that failed:\n%s", ended.trace or reason)
        if ended.is_mistake and all(e.status != "completed" for e in self.own):
            # As it is not kept, it is evaluated again when the call goes on.
            raise RuntimeError(
                f"The function failed with {reason}. No run has succeeded yet, so it is taken for "
                "a mistake. Mend it and call again, or raise ValueError to mark a run as failed."
            )
        if ended.is_pair and error > 0.0 and not any(e.standard_error > 0.0 for e in self.own):
            _warn(
                f"The function returned a pair, so {error:g} is a standard error. If it is, return "
                '{"value": ..., "standard_error": ...}; otherwise return the value alone.'
            )
        self.own[index] = ended.evaluation
        self.save()

    @property
    def _fails_in_one_way(self) -> bool:
        """Whether there is a design, and all that has ended failed with one type of error."""
        kinds = [e.reason.partition(":")[0] for e in self.own if e.status != "running"]
        return len(kinds) >= self.search.num_initial and len({"", *kinds}) == 2 and "" not in kinds

    @property
    def _completed(self) -> list[Evaluation]:
        """Those that may be recommended: past ones outside of the space only teach."""
        completed = [e for e in self.history if e.status == "completed"]
        return [e for e in completed if self._is_inside(self.space.encode(e.parameters))]

    def _is_inside(self, X: Tensor) -> Tensor:
        """Which points ``... x d`` are in the space."""
        return (X.clamp(*self.space.bounds) == X).all(-1)

    @one_thread()
    def result(self) -> Result:
        """The best evaluations.

        Raises:
            RuntimeError: If all failed.
        """
        completed = self._completed
        if not completed:
            again = "another path" if self.path else "it"
            raise RuntimeError(
                f"{self._failures}. Mend the function, or narrow the space to where it succeeds, "
                f"and call again with {again}."
            )
        observed = best = max(completed, key=lambda e: self.sign * e.value)
        trials, inferred = self.trials, ""
        if len(trials.X.unique(dim=0)) > 1:
            [model] = self.search.models(self.space, trials).objectives
            x = model.incumbent_among(self._is_inside(model.known_X))
            at_best = [e for e in completed if self.space.encode(e.parameters).equal(x)]
            best = max(at_best or completed, key=lambda e: self.sign * e.value)
            inferred = model.inferred
        return Result(best, observed, self.history, self.direction, inferred, self.space)

    @property
    def _failures(self) -> str:
        """What failed, in words."""
        failed = [e for e in self.history if e.status == "failed"]
        first = next((f", the first one with {e.reason}" for e in failed if e.reason), "")
        return f"All {len(failed)} evaluations failed{first}"

    def save(self) -> None:
        """Write the file, whole or not at all.

        Raises:
            OSError: If it cannot be written.
            RuntimeError: If another run has written it meanwhile.
        """
        if self.path is None:
            return
        if self._written and self.path.exists() and self._written != self.path.read_bytes():
            raise RuntimeError(
                f"Another run writes to {self.path}, too. Its evaluations are kept, those that "
                "just ended here are not. Let one run at a time have a path."
            )
        content = {**self._header(), "evaluations": [e.to_json() for e in self.evaluations]}
        written = json.dumps(content, indent=1, allow_nan=False).encode()
        with replacing(self.path) as partial:
            partial.write_bytes(written)
        self._written = written

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
            rows = content.pop("evaluations")
            if content["format"] != _FORMAT or not isinstance(rows, list):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            message = f"{path} holds no run of this version. Give another path."
            raise InputDataError(message) from None
        was, now = _texts({"settings": {}} | content), _texts(self._header())
        for name in was | now:
            if was.get(name) != now.get(name):
                raise InputDataError(
                    f"{path} is of a run with another {name} {was.get(name)}, not {now.get(name)}. "
                    "Give the same arguments to go on with it, or another path to begin anew."
                )
        number = len(self.past)
        if rows[:number] != [e.to_json() for e in self.past]:
            raise InputDataError(f"{path} holds other past evaluations than start does.")
        self.own = [
            read_evaluation(row, f"{path}, evaluation {place}", self.space)
            for place, row in enumerate(rows[number:], number + 1)
        ]


def _warn(message: str) -> None:
    warnings.warn(message, InputDataWarning, stacklevel=2)


def _texts(header: dict[str, Any]) -> dict[str, str]:
    """Texts, in which 1, 1.0 and true differ, of each parameter by itself."""
    space = header["space"] if isinstance(header.get("space"), dict) else {}
    parts = {f"space of {name}:": notation for name, notation in space.items()}
    order = [name for name, notation in space.items() if isinstance(notation, dict)]
    return {name: json.dumps(x) for name, x in (header | {"space": order} | parts).items()}
