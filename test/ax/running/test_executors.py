import json
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from ax.exceptions.core import UserInputError
from helpers.service_loop import floats, make_client

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.running import (
    Objective,
    ProcessPool,
    Submit,
    WorkerDiedError,
    ray_tasks,
    run_ask_tell,
)

Engine = Callable[[Objective], AbstractContextManager[Submit]]


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray = pytest.importorskip("ray")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture(params=["processes", "ray"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "processes":
        return lambda function: ProcessPool(function, 2)
    request.getfixturevalue("ray_cluster")

    @contextmanager
    def ray_engine(function: Objective) -> Iterator[Submit]:
        yield ray_tasks(function)

    return ray_engine


def recording(folder: Path, lethal: str) -> Objective:
    """An objective that notes each evaluation and kills its worker: ``"once"`` or ``"always"``."""

    def evaluate(parameters: Mapping[str, Any]) -> float:
        point = json.dumps(dict(parameters))
        with (folder / "evaluations").open("a") as file:
            file.write(f"{point}\n")
        mark = folder / "killed"
        try:
            with mark.open("x") as file:  # by one of the workers only
                file.write(point)
        except FileExistsError:
            if lethal == "once" or mark.read_text() != point:
                return float(parameters["x0"])
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("It outlived its death.")

    return evaluate


@pytest.mark.parametrize("lethal", ["once", "always"])
def test_a_killed_worker_costs_at_most_its_own_trial(
    engine: Engine, lethal: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    client = make_client(popbo_generation_strategy(), floats(2), "-loss")
    with engine(recording(tmp_path, lethal)) as submit:
        run_ask_tell(client, submit, max_trials=9, num_workers=2)
    trials = list(client._experiment.trials.values())
    killer = (tmp_path / "killed").read_text()
    counts = Counter((tmp_path / "evaluations").read_text().splitlines())
    points = [json.dumps(trial.arm.parameters) for trial in trials]
    assert sorted(counts) == sorted(points)
    assert len(points) == 9
    for point, trial in zip(points, trials, strict=True):
        assert trial.status.is_failed == (lethal == "always" and point == killer)
        assert trial.status.is_failed or trial.status.is_completed
    assert counts.pop(killer) == 2
    if "ray" in request.node.name:
        assert set(counts.values()) == {1}
    else:  # two more trials can have been in the pool when it fell
        assert sorted(counts.values())[:-2] == [1] * 6
        assert max(counts.values()) <= 2


def test_the_exception_of_the_objective_arrives(engine: Engine) -> None:
    def fail(parameters: Mapping[str, Any]) -> float:
        raise KeyError(f"x is {parameters['x']}")

    with engine(fail) as submit:
        error = submit({"x": 3}).exception(timeout=60)
    assert type(error) is KeyError
    assert error.args == ("x is 3",)


def test_a_death_is_told_from_an_exception(engine: Engine) -> None:
    with engine(lambda _: os._exit(3)) as submit:
        assert isinstance(submit({}).exception(timeout=60), WorkerDiedError | BrokenExecutor)


def test_a_closed_pool_leaves_no_process() -> None:
    with ProcessPool(lambda _: float(os.getpid()), 1) as pool:
        pid = int(pool({}).result(timeout=60))  # type: ignore[arg-type]
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(RuntimeError):
        pool({})


def test_an_objective_that_cannot_be_sent_costs_no_trial() -> None:
    lock = threading.Lock()
    with pytest.raises(UserInputError, match=r"cannot be sent to worker processes: .*lock"):
        ProcessPool(lambda parameters: float(lock.locked()), 2)


def test_a_pool_needs_a_worker() -> None:
    with pytest.raises(UserInputError, match="at least 1; got 0"):
        ProcessPool(lambda _: 0.0, 0)


def test_a_missing_engine_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r'pip install "botorch-popbo\[ray\]"'):
        ray_tasks(lambda _: 0.0)


def test_an_exception_that_cannot_be_sent_is_told_by_its_text() -> None:
    # Defined here, because a worker cannot import this file.
    class TwoPartsError(Exception):
        """Like many with arguments of their own, it can be pickled, but not read back."""

        def __init__(self, layer: str, loss: float) -> None:
            super().__init__(f"{layer} diverged at {loss}")

    class LockedError(Exception):
        """It cannot be pickled."""

        def __init__(self, layer: str) -> None:
            super().__init__(f"{layer} is locked")
            self.lock = threading.Lock()

    def fail(parameters: Mapping[str, Any]) -> float:
        raise TwoPartsError("conv1", 7.0) if parameters["x"] else LockedError("conv1")

    with ProcessPool(fail, 1) as submit:
        failures = [submit({"x": x}).exception() for x in (1, 0)]
    assert not any(isinstance(failure, BrokenExecutor) for failure in failures)
    assert [*map(str, failures)] == [
        "TwoPartsError: conv1 diverged at 7.0",
        "LockedError: conv1 is locked",
    ]
