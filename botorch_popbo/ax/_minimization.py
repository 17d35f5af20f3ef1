"""The evaluations behind :func:`botorch_popbo.ax.minimize.minimize`."""

import logging
import os
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, nullcontext
from typing import Any

import joblib
import torch
from ax.api.client import Client
from ax.api.types import TParameterization
from ax.exceptions.core import OptimizationComplete
from tqdm.auto import tqdm  # type: ignore[import-untyped]

from botorch_popbo.ax.running._outcomes import Outcome
from botorch_popbo.ax.running._snapshots import Snapshots
from botorch_popbo.ax.running._trial_loop import TrialLoop
from botorch_popbo.ax.running.executors import Objective, ProcessPool

_MAX_RETRIES = 1  # of a trial whose worker died

_logger = logging.getLogger("botorch_popbo.ax")


def evaluate_trials(
    client: Client,
    function: Objective,
    n_trials: int,
    n_jobs: int,
    path: str | os.PathLike[str] | None,
    progress: bool,
) -> None:
    """Evaluate until there are so many trials; for the arguments see ``minimize``.

    Raises:
        RuntimeError: If all failed.
        OSError: If the file cannot be written.
    """
    if n_jobs == -1:
        n_jobs = joblib.cpu_count()
    pool = nullcontext(_here(function)) if n_jobs == 1 else ProcessPool(function, n_jobs)
    # None: only in a log.
    bar = tqdm(total=n_trials, unit="trial", disable=None if progress else True)
    with _quiet_ax(), bar, pool as submit:
        told = _FirstFailure(submit)
        snapshots = _AtOnce(client, path, bar)
        try:
            TrialLoop(client, told, n_trials, n_jobs, _MAX_RETRIES, snapshots).run()
        except OptimizationComplete as error:
            _logger.info("no other point is left: %s", error)
        finally:
            told.is_over = True
    trials = client._experiment.trials
    if all(trial.status.is_failed for trial in trials.values()):
        raise RuntimeError(
            f"All {len(trials)} evaluations failed, the first one with {trials[0].status_reason}."
        ) from told.error


class _AtOnce(Snapshots):
    """Saves when a trial has ended, and shows it on a progress bar.

    A trial that is suggested need not be saved: from the same file the same one is suggested again.
    """

    def __init__(self, client: Client, path: str | os.PathLike[str] | None, bar: Any) -> None:
        super().__init__(client, path)
        self._bar = bar

    def note_change(self, message: str | None = None, level: int = logging.INFO) -> None:
        super().note_change(message, level)
        if message is None:
            return
        self.save()
        trials = self._client._experiment.trials.values()
        self._bar.update(sum(trial.status.is_terminal for trial in trials) - self._bar.n)


class _FirstFailure:
    """Submits trials, and logs the traceback of the first that fails."""

    def __init__(self, submit: Any) -> None:
        self._submit = submit
        self.error: BaseException | None = None
        self.is_over = False  # what is cut off at the end has not failed

    def __call__(self, parameters: TParameterization) -> Future[Outcome]:
        future: Future[Outcome] = self._submit(parameters)
        future.add_done_callback(self._look)
        return future

    def _look(self, future: Future[Outcome]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, BrokenExecutor):  # says nothing of this evaluation, which is repeated
            return
        if isinstance(error, Exception) and self.error is None and not self.is_over:
            self.error = error
            _logger.warning("the first evaluation that failed:", exc_info=error)


def _here(function: Objective) -> Any:
    """Evaluate in this process, where an interruption ends everything at once."""

    def submit(parameters: TParameterization) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        try:
            # So that the next suggestion has gradients even if the function switched them off.
            with torch.enable_grad():
                future.set_result(function(parameters))
        except Exception as error:
            future.set_exception(error)
        return future

    return submit


@contextmanager
def _quiet_ax() -> Iterator[None]:
    """Keep Ax from a line for every trial, and no one else from logging."""
    handlers = logging.getLogger("ax").handlers
    levels = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(max(handler.level, logging.WARNING))
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)
