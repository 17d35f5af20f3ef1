"""Evaluate trials on the workers of an existing engine, as soon as one is free."""

import os

from ax.api.client import Client
from ax.exceptions.core import UserInputError

from botorch_popbo.ax._checks import check_given_whole
from botorch_popbo.ax.running._snapshots import Snapshots
from botorch_popbo.ax.running._trial_loop import TrialLoop
from botorch_popbo.ax.running.executors import Submit


def run_ask_tell(
    client: Client,
    submit: Submit,
    max_trials: int,
    num_workers: int,
    ahead: int = 1,
    max_retries: int = 1,
    save: str | os.PathLike[str] | None = None,
) -> None:
    """Suggest trials, have an engine evaluate them, and complete each as soon as it ends.

    Trials that are running in the client, of a process that was killed, are evaluated first. A
    trial fails if its objective raises or returns no finite number, or if its worker dies more than
    ``max_retries`` times. A broken pool does not tell whose worker died: all trials it held are
    evaluated again, one at a time, so that none fails for another. If no trial can be suggested,
    the running ones end first. ``KeyboardInterrupt`` leaves them running, to be resumed.

    Args:
        client: An experiment with an objective and a generation strategy. If it has a
            ``storage_config``, it also saves itself.
        submit: Starts the evaluation of one trial; such as
            :class:`~botorch_popbo.ax.running.executors.ProcessPool` or what
            :func:`~botorch_popbo.ax.running.executors.ray_tasks` returns.
        max_trials: Number of trials in the client at which no more are suggested. Trials attached,
            resumed and failed count.
        num_workers: Number of trials that the engine evaluates at the same time.
        ahead: Number of trials submitted beyond those, so that a free worker need not wait for a
            suggestion. Each is suggested without the outcome that comes next.
        max_retries: How often a trial is evaluated again after the death of its worker.
        save: JSON file the client is saved to after each change, but at most a tenth of the time is
            spent on it. A trial is logged as completed when it is in the file.

    Raises:
        UserInputError: If an argument is out of range, the client lacks a generation strategy or
            an objective, or the objective returned a mapping without a metric that is needed. In
            the last case the other running trials end first, and the trial stays running.
        OSError: If the file cannot be written.
    """
    for name, value, least in (
        ("max_trials", max_trials, 0),
        ("num_workers", num_workers, 1),
        ("ahead", ahead, 0),
        ("max_retries", max_retries, 0),
    ):
        check_given_whole(name, value, least)
    if client._maybe_experiment is None or client._experiment.optimization_config is None:
        raise UserInputError(
            "The client has no objective; call client.configure_experiment and "
            "client.configure_optimization first."
        )
    if client._maybe_generation_strategy is None:
        raise UserInputError(
            "The client has no generation strategy; for example, call "
            "client.set_generation_strategy(popbo_generation_strategy())."
        )
    TrialLoop(
        client, submit, max_trials, num_workers + ahead, max_retries, Snapshots(client, save)
    ).run()
