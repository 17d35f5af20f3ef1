"""A minimization: evaluations, what they teach, and the file that holds them."""

import inspect
import json
import logging
import math
import os
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any

from botorch.exceptions import InputDataError

from botorch_popbo._replacing import replacing
from botorch_popbo._workers import Outcome, Submit
from botorch_popbo.minimization import Evaluation, Minimum
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space, at_least

_FORMAT = "minimize 1"

_logger = logging.getLogger("botorch_popbo")


class Run:
    """The evaluations of a minimization, and the file that holds them."""

    def __init__(
        self,
        function: Callable[..., Any],
        space: Mapping[str, Any],
        n_trials: int,
        n_initial: int | None,
        seed: int,
        path: str | os.PathLike[str] | None,
        settings: Settings,
    ) -> None:
        if n_initial is None:
            n_initial = settings.search.num_initial
        self.space = Space.read(space)
        self.search = Search(at_least(0, seed=seed), settings, at_least(1, n_initial=n_initial))
        self.n_trials = int(min(at_least(1, n_trials=n_trials), self.space.num_points))
        _check_call(function, self.space)
        # The function may change the working directory.
        self.path = None if path is None else Path(path).absolute()
        self.evaluations: list[Evaluation] = []
        if self.path is not None and self.path.exists():
            self._load(self.path)
        self.save()

    @property
    def num_ended(self) -> int:
        """The number of evaluations that do not run."""
        return sum(evaluation.status != "running" for evaluation in self.evaluations)

    @property
    def trials(self) -> Trials:
        """What is known of points."""
        ended, pending = [], []
        for evaluation in self.evaluations:
            x = self.space.encode(evaluation.parameters)
            value = math.inf if evaluation.status == "failed" else evaluation.value
            if evaluation.status == "running":
                pending.append(x)
            else:
                ended.append(Trial(x, [-value], variance=evaluation.standard_error**2))
        return Trials.gather(ended, pending, (len(self.space.parameters), 1, 0))

    def evaluate(self, submit: Submit, n_jobs: int, bar: Any) -> None:
        """Evaluate until there are enough."""
        left = [index for index, e in enumerate(self.evaluations) if e.status == "running"]
        running: dict[Future[Outcome], int] = {}
        died: set[int] = set()
        bar.update(self.num_ended)
        while self.num_ended < self.n_trials:
            while len(running) < n_jobs and (left or len(self.evaluations) < self.n_trials):
                index = left.pop(0) if left else self._begin()
                running[submit(self.evaluations[index].parameters)] = index
            done, others = wait(running, return_when=FIRST_COMPLETED)
            if others:
                # A fit serves all that end within these seconds.
                done |= wait(others, 0.05).done
            for future in done:
                index = running.pop(future)
                try:
                    self._end(index, future.result())
                except BrokenExecutor:  # of any of those that ran: each is tried once more
                    if index in died:
                        self._end(index, Outcome(reason="the worker process died twice"))
                    else:
                        left.append(index)
                    died.add(index)
            self.save()
            bar.update(self.num_ended - bar.n)

    def _begin(self) -> int:
        """The index of another evaluation, which runs."""
        x = self.search.suggest(self.space, self.trials, len(self.evaluations))
        self.evaluations.append(Evaluation(self.space.decode(x)))
        return len(self.evaluations) - 1

    def _end(self, index: int, outcome: Outcome) -> None:
        """Tell what became of an evaluation."""
        if outcome.reason and all(e.status != "failed" for e in self.evaluations):
            told = outcome.trace or outcome.reason
            _logger.warning("the first evaluation that failed:\n%s", told)
        self.evaluations[index] = Evaluation(
            self.evaluations[index].parameters,
            "failed" if outcome.reason else "completed",
            outcome.value,
            outcome.standard_error,
            outcome.reason,
        )

    def result(self) -> Minimum:
        """The best evaluations.

        Raises:
            RuntimeError: If all failed.
        """
        completed = [e for e in self.evaluations if e.status == "completed"]
        if not completed:
            raise RuntimeError(
                f"All {len(self.evaluations)} evaluations failed, the first one with "
                f"{self.evaluations[0].reason}."
            )
        best_observed = best = min(completed, key=lambda e: e.value)
        trials = self.trials
        if len(trials.X.unique(dim=0)) > 1:
            x = self.search.models(self.space, trials).best
            at_best = [e for e in completed if self.space.encode(e.parameters).equal(x)]
            best = min(at_best, key=lambda e: e.value)
        return Minimum(best, best_observed, self.evaluations)

    def save(self) -> None:
        """Write the file, whole or not at all.

        Raises:
            OSError: If it cannot be written.
        """
        if self.path is not None:
            content = {**self._said(), "evaluations": [asdict(e) for e in self.evaluations]}
            with replacing(self.path) as partial:
                partial.write_text(json.dumps(content, indent=1), encoding="utf-8")

    def _said(self) -> dict[str, Any]:
        """What calls must agree in."""
        search = self.search
        said = {"n_initial": search.num_initial, "seed": search.seed}
        return {"format": _FORMAT, "space": self.space.to_json(), **said}

    def _load(self, path: Path) -> None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            found = content.pop("evaluations")
            self.evaluations = [Evaluation(**told) for told in found]
        except (ValueError, KeyError, TypeError, AttributeError):
            content = {}
        if content.get("format") != _FORMAT:
            raise InputDataError(
                f"{path} holds no run of this minimize; earlier versions wrote other files. Give "
                "another path."
            )
        for key, value in self._said().items():
            # As texts, in which 1, 1.0 and true differ.
            if (was := json.dumps(content[key])) != json.dumps(value):
                raise InputDataError(
                    f"{path} is of a run with another {key} {was}, not {json.dumps(value)}. Give "
                    "the same arguments to go on with it, or another path to begin anew."
                )


def _check_call(function: Callable[..., Any], space: Space) -> None:
    if not callable(function):
        raise InputDataError(f"The function is called, but {function!r} cannot be.")
    names = list(space.parameters)
    try:
        inspect.signature(function).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise InputDataError(
            f"The function cannot be called with the parameters {', '.join(names)}: {error}."
        ) from None
    except ValueError:  # of some functions that are not written in Python nothing is known
        pass
