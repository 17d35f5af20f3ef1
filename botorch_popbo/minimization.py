"""One function, without a framework."""

import logging
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from inspect import getsource
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, get_args

import torch
from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._evaluation import (
    Direction,
    Ended,
    Evaluation,
    Result,
    Submit,
    Watch,
    ended_by_sigterm,
    evaluator,
    named,
)
from botorch_popbo._parts import Rivals, Summary, check_summary
from botorch_popbo._plain import Value
from botorch_popbo._reproducible import one_thread
from botorch_popbo._saved import RUN, difference, save, saved
from botorch_popbo.search.outlook import outlook, why
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings, read_settings
from botorch_popbo.space import Space, at_least, check_function, is_number
from botorch_popbo.trials import read_evaluation, read_start

__all__ = ["Evaluation", "Result", "minimize"]

Callback = Callable[[Result], object]

_logger = logging.getLogger("botorch_popbo")


class _Interrupted(SystemExit, KeyboardInterrupt):
    """Ctrl-C. If nobody catches it, the program ends with status 130 and without a traceback."""


def minimize(
    function: Callable[..., Value],
    space: Mapping[str, Value] | Space,
    n_trials: int | None = None,
    *,
    direction: Direction = "minimize",
    start: Value = (),
    timeout: float | None = None,
    callback: Callback | None = None,
    n_initial: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
    path: str | os.PathLike[str] | None = None,
    progress: bool = True,
    order_only: bool = False,
    settings: Settings | None = None,
    parts: Summary = "mean",
    resumable: bool = False,
    budget: int | None = None,
    stop: float | None = None,
) -> Result:
    """Minimize a function of named parameters, by the order of its values.

    The function may be a generator, which yields a number after each part of an evaluation, such as
    a fold or an epoch. Its chance of beating the best is estimated from how whole evaluations went
    on after the same parts. The generator is closed if this chance is below a quarter and new
    evaluations promise more for the same number of parts. The model learns an estimate of the final
    value, and how uncertain it is. Only whole evaluations are recommended.

    An exception in the function, or a value that is not a finite number, is a failed trial: it
    counts, and ranks below every success. The traceback of the first of each type is logged. As
    long as nothing has succeeded, a mistake ends the search at once: a name, an attribute or a
    module that does not exist, or a value or part that is not a number. So does a design
    (``n_initial`` evaluations) that fails with one type of error from the first to the last. If
    past trials have succeeded, the best of them is then returned, with a warning.

    Args:
        function: Takes the parameters by name and returns a number, or ``{"value": ...,
            "standard_error": ...}``; the error is 0 if there is no noise. A pair of them means the
            same, and a warning says so once if the second one is not 0.
        space: What each parameter may be, by its name, such as ``{"rate": (1e-4, 1.0, "log"),
            "layers": (1, 5), "kernel": ["rbf", "poly"], "epochs": 10}``; see
            :data:`~botorch_popbo.space.Notation`.
        n_trials: Number of evaluations, those in the file and the failed ones included. There are
            fewer if the space has fewer points. It may be left out if there is a budget.
        direction: "minimize", or "maximize" if larger values are better.
        start: What to begin with: a dictionary of parameters, a list of them, a data frame, a CSV
            file, an earlier result, or its file. Those with a ``"value"``, perhaps with a
            ``"standard_error"``, are past trials. They teach the model and are not evaluated, nor
            do they count; an empty, NaN or infinitely bad value is a failure. What was stopped is
            left out. One outside of a range is not recommended. Those without a ``"value"`` are
            evaluated first.
        timeout: Seconds after which no further evaluation begins. Running ones finish, and there is
            always at least one.
        callback: Called with the result so far after each evaluation, from the first success on. If
            it raises ``StopIteration``, no further evaluation begins. Its return value is ignored.
        n_initial: Number of successful evaluations, past ones included, before the model takes over
            from a quasi-random design; by default that of the settings.
        seed: The same seed and values give the same points, one evaluation at a time.
        n_jobs: Number of evaluations at the same time, in worker processes; -1 for one a core. When
            a worker dies, all that was being evaluated is tried once more, one at a time.
        path: A JSON file that is written after every evaluation, and from which the same call
            resumes. What was being evaluated is evaluated again, so that an interruption changes no
            result. What is read is checked. If the function's source has changed, its earlier
            evaluations are kept, with a warning.
        progress: Whether to say what was found in the file, and to show a progress bar where there
            is a terminal or a notebook.
        order_only: Whether to ignore how far apart outcomes are. Any increasing transform of them
            then gives the same suggestions, bit for bit.
        settings: What the model assumes, and how to search.
        parts: Whether an evaluation is the "mean" of its parts or the "last" of them, unless the
            generator returns something else.
        resumable: Whether the generator takes ``done``, the number of parts that it need not yield
            again. A stopped evaluation is then taken up where its chance has become large enough,
            and one that was interrupted is resumed after its last part.
        budget: Number of parts after which no further evaluation begins. One that does not come in
            parts counts as one.
        stop: No further evaluation begins once the chance that any point is better by a hundredth
            of what the design left, as ``Result.outlook`` has it, is at most this,
            such as 0.05. That is never before the end of the design, and a line in the log says so.

    Returns:
        The best evaluations, by the model and as observed, and all others.

    Raises:
        ImportError: If ``start`` is a CSV file and pandas is not installed, or if workers cannot
            import the function, which may also be an ``AttributeError``.
        InputDataError: If an argument is not valid, the function does not take the parameters of
            the space by name, or the file is of a run with another space, direction, start, seed,
            design or settings, or holds what a run does not write.
        KeyboardInterrupt: After Ctrl-C; one line says how to resume. If a script does not catch it,
            it ends with status 130 and without a traceback. SIGTERM raises SystemExit likewise.
        ValueError: If ``n_jobs`` is neither -1 nor a whole number of at least 1, or ``parts``
            neither "mean" nor "last".
        PicklingError: If the function cannot be sent to worker processes. Let it make its locks,
            connections and open files itself, when it is called.
        OSError: If a file cannot be read or written; ``path`` is a regular file, or none yet.
        RuntimeError: If all evaluations failed, past ones included, the search ended with a
            mistake, or another run writes to the file.
    """
    n_trials = budget if n_trials is None else n_trials
    if n_trials is None:
        raise InputDataError("Pass the number of evaluations, n_trials, or a budget.")
    n_jobs = (os.cpu_count() or 1) if n_jobs == -1 else n_jobs
    if not isinstance(timeout, Real | None) or timeout != timeout:
        raise InputDataError(f"timeout must be a number of seconds, or None, not {timeout!r}.")
    check_function("callback", callback, "the result")
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    with ended_by_sigterm(), evaluator(function, n_jobs) as submit:
        settings = read_settings(settings, order_only)
        number = settings.search.num_initial if n_initial is None else n_initial
        search = Search(at_least(0, seed=seed), settings, at_least(1, n_initial=number))
        most = math.inf if budget is None else at_least(1, budget=budget)
        check_summary(parts)
        if stop is not None and not (is_number(stop) and 0.0 < stop < 1.0):
            raise InputDataError(f"stop must be a chance between 0 and 1, or None, not {stop!r}.")
        stopping = _Stopping(parts, resumable, most, stop)
        space = Space.read(space)
        space.check_call(function, *(["done"] if resumable else []))
        run = _Run(space, n_trials, search, direction, start, path, stopping, function)
        try:
            with _bar(run, progress) as bar:
                run.evaluate(submit, n_jobs, deadline, bar, callback)
        except (KeyboardInterrupt, SystemExit) as end:
            kept = f"repeat the call to resume from {run.path}" if run.path else "nothing was saved"
            _logger.warning("interrupted after %s; %s", run.count, kept)
            if isinstance(end, SystemExit) or hasattr(sys, "ps1"):  # a session continues
                raise
            raise _Interrupted(130) from None
    return run.result()


class _Stopping(NamedTuple):
    """How evaluations come in parts, and when to begin no more; see :func:`minimize`."""

    summary: Summary
    is_resumable: bool
    budget: float
    chance: float | None


class _Run:
    """The evaluations of a minimization, and the file that holds them.

    Attributes:
        past: Evaluations that ``start`` holds, which count neither as trials nor as failures.
        new: All others, those that run included.
    """

    def __init__(
        self,
        space: Space,
        n_trials: int,
        search: Search,
        direction: Direction,
        start: Value,
        path: str | os.PathLike[str] | None,
        stopping: _Stopping,
        function: Callable[..., Value] | None = None,
    ) -> None:
        if direction not in get_args(Direction):
            raise InputDataError(f'direction must be "minimize" or "maximize", not {direction!r}.')
        self.direction, self.sign = direction, 1.0 if direction == "maximize" else -1.0
        self.space, self.search, self.stopping = space, search, stopping
        given = read_start(start, self.space, self.sign)
        self.past, self.new = ([e for e in given if e.is_past is past] for past in (True, False))
        self.start_digest = sha256(repr(self.past + self.new).encode()).hexdigest()[:8]
        num_known = int(self.space.contains(self.trials.known_X.unique(dim=0)).sum())
        left = len(self.new) + self.space.num_points - num_known
        self.n_trials = int(min(at_least(max(len(self.new), 1), n_trials=n_trials), left))
        if self.n_trials < n_trials:
            _warn(f"The space has only {self.n_trials} points to evaluate, not {n_trials}.")
        self.name, self.source = _source(function)
        # The function may change the working directory.
        self.path = None if path is None else Path(path).absolute()
        self._written = b""
        if self.path is not None and self.path.is_file():
            self._load(self.path)
        self.save()

    @property
    def ended(self) -> list[Evaluation]:
        """New evaluations that have ended."""
        return [e for e in self.new if e.status != "running"]

    @property
    def count(self) -> str:
        """How many have ended, in words."""
        return f"{len(self.ended)} of {max(self.n_trials, len(self.new))} evaluations"

    @property
    def trials(self) -> Trials:
        """What is known of points."""
        rivals = self.rivals if self._has("stopped") else None
        ended = []
        for e in self.past + self.ended:
            values, rest = [-math.inf if e.status == "failed" else self.sign * e.value], [0.0]
            if rivals and e.status == "stopped":
                values, rest, _ = rivals.foresee(named(e.parts, self.sign))
            ended.append(Trial(self._x(e), values, (), e.standard_error**2, rest))
        pending = [self._x(e) for e in self.new if e.status == "running"]
        return Trials.gather(ended, pending, (len(self.space.parameters), 1, 0))

    @property
    def rivals(self) -> Rivals:
        """The whole evaluations."""
        evaluations = [
            (named(e.parts, self.sign), [self.sign * e.value] if e.status == "completed" else None)
            for e in self.past + self.ended
        ]
        return Rivals.among(self.stopping.summary, evaluations)

    @property
    def num_parts(self) -> int:
        """How many parts have been evaluated."""
        return sum(len(e.parts) or e.status != "running" for e in self.new)

    @property
    def progress(self) -> int:
        """How many parts or evaluations count, of as many as there may be."""
        return len(self.ended) if self.stopping.budget == math.inf else self.num_parts

    def _x(self, evaluation: Evaluation) -> Tensor:
        return self.space.encode(evaluation.parameters)

    def evaluate(
        self, submit: Submit, n_jobs: int, deadline: float, bar: Any, callback: Callback | None
    ) -> None:
        """Evaluate until there are enough, or until a time of the monotonic clock.

        It also ends where a whole design has failed in one way.
        """
        left = [index for index, e in enumerate(self.new) if e.status == "running"]
        running: dict[Future[Ended], int] = {}
        # A worker that dies ends what the others evaluate, too. So each is then tried alone.
        suspects: set[int] = set()
        num_before = len(self.ended)
        while True:
            if deadline > -math.inf and not left and self._has_enough(bar):
                deadline = -math.inf
            num_jobs = 1 if suspects else n_jobs
            while len(running) < num_jobs and (left or len(self.new) < self.n_trials):
                is_over = len(self.ended) > num_before and self._fails_in_one_way
                is_over |= time.monotonic() >= deadline or self.num_parts >= self.stopping.budget
                if (running or self.ended) and is_over:
                    break
                index = left.pop(0) if left else self._begin()
                running[submit(self.new[index], self._watch(index, n_jobs))] = index
            if not running:
                break
            for future in _next_ended(running):
                index = running.pop(future)
                if isinstance(future.exception(), BrokenExecutor) and index not in suspects:
                    suspects.add(index)
                    left.insert(0, index)
                    continue
                suspects.discard(index)
                self._end(index, future)
                bar.update(self.progress - bar.n)
                if not bar.disable and (completed := self._completed):
                    best = max(completed, key=lambda e: self.sign * e.value)
                    bar.set_postfix_str(f"best {best.value:.4g}")
                try:
                    if callback and self._completed:
                        callback(self.result())
                except StopIteration:
                    deadline = -math.inf
        if self.ended and self._completed and not self._has("completed"):
            _warn(f"{self._failures}. The result is the best past one.")

    def _has_enough(self, bar: Any) -> bool:
        """Whether it is unlikely that anything better is left, which the log then says."""
        if self.stopping.chance is None or not self.ended or len(self.new) >= self.n_trials:
            return False
        found = outlook(self.search, self.space, self.trials)
        if math.isnan(found.chance):
            return False
        bar.set_postfix_str(str(found))
        if found.chance > self.stopping.chance:
            return False
        _logger.warning("stopped after %s: %s", self.count, found)
        return True

    def _watch(self, index: int, n_jobs: int) -> Watch:
        """What ends an evaluation, and in this process keeps the parts that it need not repeat."""
        is_resumable = self.stopping.is_resumable

        def keep(parts: Sequence[float]) -> None:
            self.new[index] = replace(self.new[index], parts=tuple(parts))
            self.save()

        # A worker reports parts when it ends.
        kept = keep if is_resumable and n_jobs == 1 else tuple
        return Watch(self.rivals, self.sign, is_resumable, kept)

    def _begin(self) -> int:
        """The index of another evaluation, which runs, or of one that is taken up."""
        if self.stopping.is_resumable and self._has("stopped"):
            rivals = self.rivals
            stopped = [(i, e) for i, e in enumerate(self.new) if e.status == "stopped"]
            worth = {i: rivals.worth(named(e.parts, self.sign)) for i, e in stopped}
            index = max(worth, key=worth.__getitem__)
            if worth[index] >= 1.0:
                self.new[index] = replace(self.new[index], status="running")
                return index
        trials = self.trials
        x = self.search.suggest(self.space, trials, len(self.past + self.new))
        reason = why(self.search, self.space, trials, x)
        self.new.append(Evaluation(self.space.decode(x), why=reason))
        return len(self.new) - 1

    def _end(self, index: int, future: Future[Ended]) -> None:
        """Keep what became of an evaluation.

        Raises:
            RuntimeError: If all others would fail like it.
        """
        try:
            ended = future.result()
        except BrokenExecutor:
            reason = "the worker process died twice"
            ended = Ended(replace(self.new[index], status="failed", reason=reason))
        reason, error = ended.evaluation.reason, ended.evaluation.standard_error
        kind = _kind(ended.evaluation)
        if kind and kind not in map(_kind, self.new):
            _logger.warning("the first evaluation that failed with %s:\n%s", kind, ended.trace)
        if ended.is_mistake and not self._has("completed"):
            # As it is not kept, it is evaluated again when the call resumes.
            raise RuntimeError(
                f"The function failed with {reason}. No run has succeeded yet, so this is "
                "taken for a mistake. Correct it, or raise ValueError to mark a run as failed."
            )
        if ended.is_pair and error > 0.0 and not any(e.standard_error > 0.0 for e in self.new):
            _warn(
                f"The function returned a pair, so {error:g} is a standard error. If it is, return "
                '{"value": ..., "standard_error": ...}; otherwise return the value alone.'
            )
        self.new[index] = ended.evaluation
        self.save()

    def _has(self, status: str) -> bool:
        """Whether a new evaluation has ended like this."""
        return any(e.status == status for e in self.new)

    @property
    def _fails_in_one_way(self) -> bool:
        """Whether there is a design, and all that has ended failed with one type of error."""
        kinds = {*map(_kind, self.ended)}
        return len(self.ended) >= self.search.num_initial and len(kinds) == 1 and "" not in kinds

    @property
    def _completed(self) -> list[Evaluation]:
        """Those that may be recommended: past ones outside of the space only teach."""
        completed = [e for e in self.past + self.new if e.status == "completed"]
        return [e for e in completed if self.space.contains(self._x(e))]

    @one_thread()
    def result(self) -> Result:
        """The best evaluations.

        Raises:
            RuntimeError: If all failed.
        """
        completed = self._completed
        if not completed:
            raise RuntimeError(
                f"{self._failures}. Fix the function, or narrow the space to where it succeeds, "
                f"and call again with {'another path' if self.path else 'it'}."
            )
        observed = best = max(completed, key=lambda e: self.sign * e.value)
        trials, inferred = self.trials, ""
        if len(trials.X.unique(dim=0)) > 1:
            models = self.search.models(self.space, trials)
            [x] = models.recommended(torch.stack([self._x(e) for e in completed]))
            at_best = [e for e in completed if self._x(e).equal(x)]
            best = max(at_best or completed, key=lambda e: self.sign * e.value)
            inferred = models.objectives[0].inferred
        history = self.past + self.ended
        seen = partial(outlook, self.search, self.space, trials)
        return Result(best, observed, history, self.direction, inferred, self.space, seen)

    @property
    def _failures(self) -> str:
        """What failed, in words."""
        failed = [e for e in self.past + self.new if e.status == "failed"]
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
                "just ended here are not. Use a path for one run at a time."
            )
        evaluations = [e.to_json() for e in self.past + self.new]
        content = self._header() | {"source": self.source, "evaluations": evaluations}
        self._written = save(self.path, content)

    def _header(self) -> dict[str, object]:
        """What calls must agree in: whatever changes a suggestion."""
        default = asdict(Settings())
        changed = {
            f"{part}.{name}": repr(value)
            for part, values in asdict(self.search.settings).items()
            for name, value in values.items()
            if value != default[part][name] and name != "num_initial"  # which is n_initial
        }
        return {
            "format": RUN[1],
            "space": self.space.to_json(),
            "direction": self.direction,
            "start": self.start_digest,
            "n_initial": self.search.num_initial,
            "seed": self.search.seed,
            "settings": changed,
            "parts": self.stopping.summary,
            "resumable": self.stopping.is_resumable,
        }

    def _load(self, path: Path) -> None:
        """Resume what a file holds.

        Raises:
            InputDataError: If it holds another run, or something else.
            OSError: If it cannot be read.
        """
        with saved(path, *RUN) as content:
            # Of a dictionary there is no slice.
            rows, source = content.pop("evaluations")[:], content.pop("source", "")
        if found := difference(content, self._header()):
            raise InputDataError(
                f"{path} holds a run with {found}. Pass the same arguments to resume it, or "
                f"another path to start again; start={str(path)!r} takes over what is known."
            )
        number = len(self.past)
        if rows[:number] != [e.to_json() for e in self.past]:
            raise InputDataError(f"{path} holds other past evaluations than start.")
        self.new = [
            read_evaluation(row, f"{path}, evaluation {place}", self.space)
            for place, row in enumerate(rows[number:], number + 1)
        ]
        if source and self.source and source != self.source:
            kept = "Its evaluations are kept; pass another path to start again."
            _warn(f"{self.name} has changed since {path} was written. {kept}")
        self.source = self.source or source
        if not self.stopping.is_resumable:
            self.new = [replace(e, parts=()) if e.status == "running" else e for e in self.new]


def _next_ended(running: Collection[Future[Ended]]) -> list[Future[Ended]]:
    """Wait for evaluations that have ended; those that end a search come after what is kept."""
    ended, others = wait(running, return_when=FIRST_COMPLETED)
    if others:  # a fit serves all that end within these seconds
        ended |= wait(others, 0.05).done
    return sorted(ended, key=lambda f: bool(f.exception()) or f.result().is_mistake)


def _kind(evaluation: Evaluation) -> str:
    """The type of the error of a failed evaluation; empty if it has not failed."""
    return evaluation.reason.partition(":")[0]


def _source(function: Value) -> tuple[str, str]:
    """The name of a function, and a digest of its source; empty if it has none of its own."""
    function = getattr(function, "func", function)  # of a partial
    name = getattr(function, "__name__", "<lambda>")
    with suppress(Exception):  # there may be none, or the file may be edited right now
        if name != "<lambda>":  # whose line may hold the call
            return name, sha256(getsource(function).encode()).hexdigest()[:8]
    return name, ""


def _warn(message: str) -> None:
    warnings.warn(message, InputDataWarning, stacklevel=2)


def _bar(run: _Run, progress: bool) -> Any:
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    if progress and run.ended:
        tqdm.write(f"{run.count} found in {run.path}", file=sys.stderr)
    budget = run.stopping.budget
    total, unit = (run.n_trials, "trial") if budget == math.inf else (int(budget), "part")
    # None: only on a terminal or in a notebook.
    return tqdm(total=total, initial=run.progress, unit=unit, disable=None if progress else True)
