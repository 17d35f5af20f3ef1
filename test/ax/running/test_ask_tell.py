import json
import logging
import math
import random
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.exceptions.core import SearchSpaceExhausted, UserInputError
from helpers.service_loop import (
    Parameter,
    Parameterization,
    floats,
    generator_keys,
    make_client,
    sphere,
)

from botorch_popbo.ax import WorkerDiedError, popbo_generation_strategy, run_ask_tell


def new_client(num_initial: int = 20, seed: int = 0) -> Client:
    strategy = popbo_generation_strategy(num_initial_trials=num_initial, seed=seed)
    return make_client(strategy, floats(2), "-loss")


def statuses(client: Client) -> list[str]:
    return [trial.status.name for trial in client._experiment.trials.values()]


def parameters_of(client: Client) -> list[Parameterization]:
    return [dict(trial.arm.parameters) for trial in client._experiment.trials.values()]


@dataclass
class Engine:
    """Evaluates the newest trial first, when it holds ``size`` or has seen ``total``, its last."""

    function: Callable[[int], Any] = float
    size: int = 1
    total: int = 1000
    submitted: list[Parameterization] = field(default_factory=list)
    most: int = 0
    held: list[tuple[int, Future[Any]]] = field(default_factory=list)

    def __call__(self, parameters: Parameterization) -> Future[Any]:
        if len(self.submitted) == self.total:
            raise RuntimeError("the cluster is closed")
        future: Future[Any] = Future()
        self.held.append((len(self.submitted), future))
        self.submitted.append(parameters)
        self.most = max(self.most, len(self.held))
        last = len(self.submitted) == self.total
        while self.held and (last or len(self.held) >= self.size):
            number, ended = self.held.pop()
            outcome = self.function(number)
            end = ended.set_exception if isinstance(outcome, BaseException) else ended.set_result
            end(outcome)
        return future


def test_trials_are_suggested_while_others_run() -> None:
    client = new_client(num_initial=4)
    engine = Engine(size=3, total=10)
    run_ask_tell(client, engine, max_trials=10, num_workers=2)
    assert engine.most == 3  # two workers and one ahead
    assert statuses(client) == ["COMPLETED"] * 10
    assert engine.submitted == parameters_of(client)
    assert len({tuple(p.values()) for p in engine.submitted}) == 10
    assert set(generator_keys(client)[-4:]) == {"popbo-logei"}
    outcomes = client._experiment.lookup_data().df.set_index("trial_index")["mean"]
    assert outcomes.sort_index().tolist() == list(range(10))


def test_one_worker_and_one_seed_give_the_same_candidates(rng_untouched: None) -> None:
    clients = [new_client(num_initial=3, seed=5) for _ in range(2)]
    state = random.getstate()
    for client, seconds in zip(clients, (0.0, 0.05), strict=True):

        def evaluate(parameters: Parameterization, seconds: float = seconds) -> float:
            time.sleep(seconds)
            return sphere(parameters)

        with ThreadPoolExecutor(1) as pool:
            run_ask_tell(client, lambda p, e=evaluate: pool.submit(e, p), 6, 1)
    assert parameters_of(clients[0]) == parameters_of(clients[1])
    assert random.getstate() == state


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (ZeroDivisionError("no luck"), "ZeroDivisionError: no luck"),
        (SystemExit(3), "SystemExit: 3"),
        (math.nan, "nan"),
        (None, "not a number"),
        ({"loss": "low"}, "not a number"),
    ],
)
def test_a_trial_that_goes_wrong_fails_alone(
    returned: Any, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = new_client()
    engine = Engine(lambda number: returned if number == 1 else float(number))
    run_ask_tell(client, engine, max_trials=4, num_workers=1)
    assert statuses(client) == ["COMPLETED", "FAILED", "COMPLETED", "COMPLETED"]
    assert reason in client._experiment.trials[1].status_reason
    assert f"trial 1 failed: {client._experiment.trials[1].status_reason}" in caplog.messages


def test_what_a_shutdown_cancels_is_not_waited_for() -> None:
    client, pool, all_wait = new_client(), ThreadPoolExecutor(1), Event()

    def objective(parameters: Parameterization) -> float:
        all_wait.wait()
        pool.shutdown(wait=False, cancel_futures=True)
        return sphere(parameters)

    def submit(parameters: Parameterization) -> Future[Any]:
        future = pool.submit(objective, parameters)
        if len(client._experiment.trials) == 3:
            all_wait.set()
        return future

    with pytest.raises(RuntimeError, match="after shutdown"):
        run_ask_tell(client, submit, max_trials=9, num_workers=2)
    assert sorted(statuses(client))[:3] == ["COMPLETED", "FAILED", "FAILED"]


@pytest.mark.parametrize("max_retries", [0, 1, 2])
@pytest.mark.parametrize("alone", [True, False])
def test_only_the_trial_that_kills_its_workers_fails(alone: bool, max_retries: int) -> None:
    """On its own, or with all trials of a pool that holds three until it falls."""

    def function(number: int) -> Any:
        if not alone and number < 3:
            engine.size = 1
            return BrokenExecutor("a worker was killed")
        kills = engine.submitted.index(engine.submitted[number]) == 1
        return (WorkerDiedError if alone else BrokenExecutor)("killed") if kills else 1.0

    client, engine = new_client(), Engine(function, size=1 if alone else 3)
    run_ask_tell(client, engine, 6, num_workers=2, max_retries=max_retries)
    assert statuses(client) == ["COMPLETED", "FAILED"] + ["COMPLETED"] * 4
    counts = [engine.submitted.count(p) for p in parameters_of(client)]
    fallen = 1 if alone else 2
    assert counts == [fallen, max(1 + max_retries, fallen), fallen, 1, 1, 1]


def test_running_trials_are_resumed_with_their_parameters() -> None:
    client = new_client()
    left = list(client.get_next_trials(max_trials=3).values())
    client.attach_trial({"x0": 0.5, "x1": 0.5})
    client.mark_trial_abandoned(1)
    engine = Engine()
    run_ask_tell(client, engine, max_trials=6, num_workers=1)
    assert engine.submitted[:3] == [left[0], left[2], {"x0": 0.5, "x1": 0.5}]
    assert statuses(client) == ["COMPLETED", "ABANDONED"] + ["COMPLETED"] * 4


@pytest.mark.parametrize("max_trials", [0, 2])
def test_no_more_than_max_trials(max_trials: int) -> None:
    client = new_client()
    client.get_next_trials(max_trials=2)
    run_ask_tell(client, Engine(), max_trials, num_workers=4)
    run_ask_tell(client, Engine(), max_trials, num_workers=4)
    assert statuses(client) == ["COMPLETED"] * 2


@pytest.mark.parametrize("where", ["engine", "future"])
def test_an_interrupt_leaves_trials_running(where: str, tmp_path: Path) -> None:
    def submit(parameters: Parameterization) -> Future[Any]:
        future: Future[Any] = Future()
        if len(client._experiment.trials) < 3:
            return future
        if where == "engine":
            raise KeyboardInterrupt
        future.set_exception(KeyboardInterrupt())
        return future

    client, path = new_client(), tmp_path / "client.json"
    with pytest.raises(KeyboardInterrupt):
        run_ask_tell(client, submit, max_trials=9, num_workers=3, save=path)
    loaded = Client.load_from_json_file(str(path))
    assert statuses(loaded) == statuses(client) == ["RUNNING"] * len(parameters_of(client))
    run_ask_tell(loaded, Engine(), max_trials=9, num_workers=3)
    assert statuses(loaded) == ["COMPLETED"] * 9
    assert parameters_of(loaded)[: len(parameters_of(client))] == parameters_of(client)


def test_a_logged_trial_is_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path, seen = tmp_path / "client.json", {}

    def read(record: logging.LogRecord) -> bool:
        index = record.getMessage().split()[1]
        trials = json.loads(path.read_text())["experiment"]["trials"]
        seen[index] = trials[index]["status"]["name"]
        return True

    caplog.set_level(logging.INFO, "botorch_popbo.ax")
    monkeypatch.setattr(logging.getLogger("botorch_popbo.ax"), "filters", [read])
    engine = Engine(lambda number: 1.0 if number else math.nan)
    run_ask_tell(new_client(), engine, max_trials=4, num_workers=1, save=path)
    assert seen == {"0": "FAILED", "1": "COMPLETED", "2": "COMPLETED", "3": "COMPLETED"}


@pytest.mark.parametrize(
    ("parameters", "engine", "error", "message", "ends"),
    [
        pytest.param(
            floats(2),
            Engine(lambda number: {"loss": 1.0} if number else {"acc": 1.0}, size=3, total=3),
            UserInputError,
            r"without the metrics \['loss'\]",
            ["RUNNING", "COMPLETED", "COMPLETED"],
            id="a missing metric",
        ),
        pytest.param(
            floats(2),
            Engine(size=2, total=2),
            RuntimeError,
            "cluster is closed",
            ["COMPLETED", "COMPLETED", "RUNNING"],
            id="an engine that refuses",
        ),
        pytest.param(
            [ChoiceParameterConfig(name="kind", values=[*"abcde"], parameter_type="str")],
            Engine(size=2, total=5),
            SearchSpaceExhausted,
            ".",
            ["COMPLETED"] * 5,
            id="an exhausted space",
        ),
    ],
)
def test_an_error_comes_after_the_running_trials(
    parameters: list[Parameter],
    engine: Engine,
    error: type[Exception],
    message: str,
    ends: list[str],
) -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=3), parameters, "-loss")
    with pytest.raises(error, match=message):
        run_ask_tell(client, engine, max_trials=9, num_workers=2)
    assert statuses(client) == ends


def without_strategy() -> Client:
    client = Client()
    client.configure_experiment(parameters=floats(1))
    client.configure_optimization(objective="loss")
    return client


@pytest.mark.parametrize(
    ("make", "options", "error", "message"),
    [
        (new_client, {"num_workers": 0}, UserInputError, "num_workers is at least 1; got 0"),
        (new_client, {"max_trials": -1}, UserInputError, "max_trials is at least 0"),
        (new_client, {"ahead": -1}, UserInputError, "ahead"),
        (new_client, {"max_retries": -1}, UserInputError, "max_retries"),
        (new_client, {"save": Path("missing", "client.json")}, OSError, "missing"),
        (Client, {}, UserInputError, "configure_optimization"),
        (without_strategy, {}, UserInputError, "set_generation_strategy"),
    ],
)
def test_what_cannot_work_costs_no_trial(
    make: Callable[[], Client], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    engine = Engine()
    with pytest.raises(error, match=message):
        run_ask_tell(make(), engine, **{"max_trials": 1, "num_workers": 1} | options)
    assert engine.submitted == []


def test_suggestions_take_one_thread_and_leave_the_number_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, seen = new_client(), []
    suggest = client.get_next_trials

    def record(max_trials: int) -> Any:
        seen.append(torch.get_num_threads())
        return suggest(max_trials=max_trials)

    monkeypatch.setattr(client, "get_next_trials", record)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        run_ask_tell(client, Engine(lambda _: 1.0), max_trials=3, num_workers=1)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert seen == [1, 1, 1]


def test_an_engine_that_evaluates_by_itself_is_named() -> None:
    client = new_client()
    with pytest.raises(UserInputError, match=r"submit returned a float.*ProcessPool"):
        run_ask_tell(client, lambda p: 0.5, max_trials=2, num_workers=1)  # type: ignore[arg-type]
    with pytest.raises(UserInputError, match="max_trials is a whole number"):
        run_ask_tell(client, Engine(), max_trials=2.5, num_workers=1)  # type: ignore[arg-type]
