"""Existing engines that evaluate trials: worker processes of one machine, or a Ray cluster."""

import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from pickle import PicklingError
from typing import Any, Self

from ax.api.types import TParameterization
from ax.exceptions.core import UserInputError
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.backend.reduction import dumps

from botorch_popbo.ax._checks import check_given_whole
from botorch_popbo.ax.running._outcomes import Outcome

# Workers of a killed process end themselves after so long without a trial.
_IDLE_SECONDS = 30

Objective = Callable[[TParameterization], Outcome]
Submit = Callable[[TParameterization], Future[Outcome]]


class WorkerDiedError(Exception):
    """The worker of exactly this trial died: it was killed, crashed or ran out of memory."""


class ProcessPool:
    """A pool of worker processes of this machine that survives the death of a worker.

    Called with parameters, it submits a trial. When a worker dies, all trials in the pool end with
    :class:`concurrent.futures.BrokenExecutor`; the next one starts new workers. As a context
    manager it ends the workers on exit, and what they still evaluate.

    Args:
        function: The objective. It may be a lambda or a closure: loky pickles it by value.
        num_workers: Number of worker processes, at least one.

    Raises:
        UserInputError: If there is no worker, or the objective cannot be pickled.
    """

    def __init__(self, function: Objective, num_workers: int) -> None:
        check_given_whole("num_workers", num_workers, 1)
        _check_pickled(function)
        self._function = function
        self._num_workers = num_workers
        self._executor = self._new_executor()

    def __call__(self, parameters: TParameterization) -> Future[Outcome]:
        """Submit a trial.

        Args:
            parameters: The parameters of the trial.

        Returns:
            The future outcome.

        Raises:
            RuntimeError: If the pool was closed.
        """
        try:
            return self._submit(parameters)
        except BrokenExecutor:
            self.close()
            self._executor = self._new_executor()
            return self._submit(parameters)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers, and what they still evaluate."""
        self._executor.shutdown(wait=True, kill_workers=True)

    def _new_executor(self) -> Any:
        return ProcessPoolExecutor(self._num_workers, timeout=_IDLE_SECONDS)

    def _submit(self, parameters: TParameterization) -> Future[Outcome]:
        future: Future[Outcome] = self._executor.submit(_evaluate, self._function, parameters)
        return future


def _evaluate(function: Objective, parameters: TParameterization) -> Outcome:
    """Evaluate in a worker; an exception that would break the pool on its way is told by a text."""
    try:
        return function(parameters)
    except Exception as error:
        try:
            pickle.loads(dumps(error))  # as the pool does
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        raise


def _check_pickled(function: Objective) -> None:
    """Find out before any trial; in the workers each of them would fail."""
    try:
        dumps(function)
    except (PicklingError, TypeError, AttributeError, RecursionError) as error:
        raise UserInputError(
            f"The objective cannot be sent to worker processes: {error}. Let it make its locks, "
            "connections and open files itself, when it is called."
        ) from error


def ray_tasks(function: Objective, **options: Any) -> Submit:
    """Evaluate trials as tasks of the Ray cluster this process is connected to.

    Args:
        function: The objective. It may be a lambda or a closure: Ray pickles it by value.
        options: What a task needs, such as ``num_cpus=4`` or ``num_gpus=1``; see Ray's
            ``RemoteFunction.options``. Ray itself does not retry, unless ``max_retries`` says so.

    Returns:
        A function that submits a trial. Its futures end with the exception of the objective, or
        with :class:`WorkerDiedError`.

    Raises:
        ImportError: If Ray is not installed.
    """
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ImportError(
            'ray is not installed; install it with: pip install "botorch-popbo[ray]"'
        ) from error

    def evaluate(parameters: TParameterization) -> Outcome:
        return function(parameters)

    task = ray.remote(evaluate).options(**{"max_retries": 0, **options})

    def submit(parameters: TParameterization) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_running_or_notify_cancel()  # Ray's tasks do not end by cancelling a future

        def finish(done: Future[Outcome]) -> None:
            error = done.exception()
            if error is None:
                future.set_result(done.result())
            elif isinstance(error, ray.exceptions.RayTaskError):
                future.set_exception(error.cause)
            elif isinstance(error, ray.exceptions.RayError):
                future.set_exception(WorkerDiedError(f"{type(error).__name__}: {error}"))
            else:
                future.set_exception(error)

        task.remote(parameters).future().add_done_callback(finish)
        return future

    return submit
