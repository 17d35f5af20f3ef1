"""The loop behind :func:`botorch_popbo.ax.running.ask_tell.run_ask_tell`."""

import logging
from collections import Counter, deque
from concurrent.futures import BrokenExecutor, CancelledError, Future
from threading import Event
from typing import Any

from ax.api.client import Client
from ax.exceptions.core import UserInputError

from botorch_popbo._threads import one_torch_thread
from botorch_popbo.ax.running._outcomes import Outcome, read_outcome
from botorch_popbo.ax.running._snapshots import Snapshots
from botorch_popbo.ax.running.executors import Submit, WorkerDiedError

_logger = logging.getLogger("botorch_popbo.ax")


class TrialLoop:
    """One run of a campaign.

    Args:
        client, submit, max_trials, max_retries: As in ``run_ask_tell``.
        max_submitted: Number of trials the engine holds at the same time.
        snapshots: Saves the client.
    """

    def __init__(
        self,
        client: Client,
        submit: Submit,
        max_trials: int,
        max_submitted: int,
        max_retries: int,
        snapshots: Snapshots,
    ) -> None:
        self._client = client
        self._submit = submit
        self._max_trials = max_trials
        self._max_submitted = max_submitted
        self._max_retries = max_retries
        self._snapshots = snapshots
        experiment: Any = client._experiment
        self._metrics: set[str] = experiment.optimization_config.metric_names
        self._trials: dict[int, Any] = experiment.trials
        self._running: dict[Future[Outcome], int] = {}
        self._has_ended = Event()
        self._waiting: deque[int] = deque(
            index for index, trial in self._trials.items() if trial.status.is_running
        )
        self._suspects: deque[int] = deque()  # fell together; evaluated one at a time
        self._deaths: Counter[int] = Counter()
        self._error: Exception | None = None

    def run(self) -> None:
        """Evaluate until all trials have ended; see ``run_ask_tell`` for what it raises."""
        self._snapshots.save()  # a file that cannot be written is found before any work is done
        try:
            self._fill()
            while self._running:
                if self._snapshots.delay == 0:
                    self._snapshots.save()
                self._wait()
                self._fill()
        finally:
            self._snapshots.save()
        if self._error is not None:
            raise self._error

    def _fill(self) -> None:
        while self._error is None and (index := self._next()) is not None:
            self._snapshots.note_change()
            try:
                future = self._submit(dict(self._trials[index].arm.parameters))
                if not isinstance(future, Future):
                    raise UserInputError(
                        f"submit returned a {type(future).__name__}, but it starts a trial and "
                        "returns a concurrent.futures.Future. Pass ProcessPool(objective, "
                        "num_workers) or ray_tasks(objective)."
                    )
                self._running[future] = index
                future.add_done_callback(lambda _: self._has_ended.set())
            except Exception as error:
                self._error = error

    def _next(self) -> int | None:
        if self._suspects:
            return None if self._running else self._suspects[0]
        if len(self._running) < self._max_submitted:
            if self._waiting:
                return self._waiting.popleft()
            if len(self._trials) < self._max_trials:
                return self._suggest()
        return None

    def _suggest(self) -> int | None:
        try:
            # The cores are for the workers; threads that wait for one slow a small fit down.
            with one_torch_thread():
                return int(next(iter(self._client.get_next_trials(max_trials=1))))
        except Exception as error:
            if not self._running:
                raise
            _logger.info("no trial is suggested until a running one ends: %s", error)
            return None

    def _wait(self) -> None:
        # Of what an executor's shutdown has cancelled, concurrent.futures.wait is never told.
        if not any(future.done() for future in self._running):
            self._has_ended.wait(self._snapshots.delay)
        self._has_ended.clear()
        done = [future for future in self._running if future.done()]
        if done:
            # One at a time, in order: suggestions for one worker do not depend on the clock.
            future = min(done, key=self._running.__getitem__)
            self._finish(future, self._running.pop(future))

    def _finish(self, future: Future[Outcome], index: int) -> None:
        if alone := index in self._suspects:
            self._suspects.remove(index)
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            self._complete(index, future.result())
        elif isinstance(error, WorkerDiedError | BrokenExecutor):
            self._retry(index, error, alone)
        elif isinstance(error, KeyboardInterrupt):
            raise error
        else:
            self._fail(index, error)

    def _complete(self, index: int, returned: Outcome) -> None:
        try:
            outcome = read_outcome(returned, self._metrics)
        except UserInputError as error:
            self._error = error
        except ValueError as error:
            self._fail(index, error)
        else:
            self._client.complete_trial(index, raw_data=outcome)
            self._snapshots.note_change(f"trial {index} completed: {outcome}")

    def _retry(self, index: int, error: Exception, alone: bool) -> None:
        self._deaths[index] += 1
        shared = isinstance(error, BrokenExecutor) and not alone
        if self._deaths[index] > self._max_retries and not shared:
            self._fail(index, error)
        else:
            (self._suspects if isinstance(error, BrokenExecutor) else self._waiting).append(index)
            _logger.warning("trial %d is evaluated again, because a worker died", index)

    def _fail(self, index: int, error: BaseException) -> None:
        reason = f"{type(error).__name__}: {error}"
        self._client.mark_trial_failed(index, failed_reason=reason)
        self._snapshots.note_change(f"trial {index} failed: {reason}", logging.WARNING)
