import json
import logging
import math
import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.exceptions.core import SearchSpaceExhausted, UserInputError
from botorch_popbo.ax.ask_tell import run_ask_tell
from botorch_popbo.ax.executors import WorkerDiedError
from helpers.service_loop import floats, generator_keys, make_client, sphere

from botorch_popbo.ax import popbo_generation_strategy

Parameters = Mapping[str, Any]


def new_client(num_initial: int = 20, seed: int = 0) -> Client:
    strategy = popbo_generation_strategy(num_initial_trials=num_initial, seed=seed)
    return make_client(strategy, floats(2), "-loss")


def statuses(client: Client) -> list[str]:
    return [trial.status.name for trial in client._experiment.trials.values()]


def parameters_of(client: Client) -> list[Parameters]:
    return [dict(trial.arm.parameters) for trial in client._experiment.trials.values()]


class Engine:
    """Evaluates the newest trial first, when it holds ``size`` or has seen ``total``."""

    def __init__(self, function: Callable[[int], Any], size: int = 1, total: int = 0) -> None:
        self.function = function
        self.size = size
        self.total = total
        self.submitted: list[Parameters] = []
        self.most = 0
        self._held: list[tuple[int, Future[Any]]] = []

    def __call__(self, parameters: Parameters) -> Future[Any]:
        future: Future[Any] = Future()
        self._held.append((len(self.submitted), future))
        self.submitted.append(parameters)
        self.most = max(self.most, len(self._held))
        last = len(self.submitted) == self.total
        while self._held and (last or len(self._held) >= self.size):
            number, ended = self._held.pop()
            try:
                ended.set_result(self.function(number))
            except BaseException as error:
                ended.set_exception(error)
        return future


def test_trials_are_suggested_while_others_run() -> None:
    client = new_client(num_initial=4)
    engine = Engine(float, size=3, total=10)
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

        def evaluate(parameters: Parameters, seconds: float = seconds) -> float:
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
    def function(number: int) -> Any:
        if number == 1 and isinstance(returned, BaseException):
            raise returned
        return returned if number == 1 else float(number)

    client = new_client()
    run_ask_tell(client, Engine(function), max_trials=4, num_workers=1)
    assert statuses(client) == ["COMPLETED", "FAILED", "COMPLETED", "COMPLETED"]
    assert reason in client._experiment.trials[1].status_reason
    assert f"trial 1 failed: {client._experiment.trials[1].status_reason}" in caplog.messages


@pytest.mark.parametrize("max_retries", [0, 1, 2])
def test_a_trial_whose_worker_dies_is_evaluated_again(max_retries: int) -> None:
    evaluations: list[Parameters] = []

    def always_dies(parameters: Parameters) -> Future[Any]:
        future: Future[Any] = Future()
        evaluations.append(parameters)
        if parameters == evaluations[0]:
            future.set_exception(WorkerDiedError("killed"))
        else:
            future.set_result(1.0)
        return future

    client = new_client()
    run_ask_tell(client, always_dies, 4, num_workers=2, max_retries=max_retries)
    assert statuses(client) == ["FAILED"] + ["COMPLETED"] * 3
    assert evaluations.count(evaluations[0]) == 1 + max_retries
    assert len(evaluations) == 4 + max_retries


@pytest.mark.parametrize("max_retries", [0, 1, 2])
def test_no_trial_fails_because_it_fell_with_a_pool(max_retries: int) -> None:
    held: list[tuple[Parameters, Future[Any]]] = []
    evaluations: list[Parameters] = []

    def pool_of_three(parameters: Parameters) -> Future[Any]:
        """Falls with all it holds when it holds the second trial and two more, or it alone."""
        future: Future[Any] = Future()
        evaluations.append(parameters)
        if len(evaluations) <= 3:
            held.append((parameters, future))
            if len(held) == 3:
                for _, fallen in held:
                    fallen.set_exception(BrokenExecutor("a worker was killed"))
        elif parameters == evaluations[1]:
            future.set_exception(BrokenExecutor("a worker was killed"))
        else:
            future.set_result(1.0)
        return future

    client = new_client()
    run_ask_tell(client, pool_of_three, 6, num_workers=2, max_retries=max_retries)
    assert statuses(client) == ["COMPLETED", "FAILED"] + ["COMPLETED"] * 4
    counts = [evaluations.count(p) for p in parameters_of(client)]
    assert counts == [2, max(1 + max_retries, 2), 2, 1, 1, 1]


def test_running_trials_are_resumed_with_their_parameters() -> None:
    client = new_client()
    left = list(client.get_next_trials(max_trials=3).values())
    client.attach_trial({"x0": 0.5, "x1": 0.5})
    client.mark_trial_abandoned(1)
    engine = Engine(float)
    run_ask_tell(client, engine, max_trials=6, num_workers=1)
    assert engine.submitted[:3] == [left[0], left[2], {"x0": 0.5, "x1": 0.5}]
    assert statuses(client) == ["COMPLETED", "ABANDONED"] + ["COMPLETED"] * 4


@pytest.mark.parametrize("max_trials", [0, 2])
def test_no_more_than_max_trials(max_trials: int) -> None:
    client = new_client()
    client.get_next_trials(max_trials=2)
    run_ask_tell(client, Engine(float), max_trials, num_workers=4)
    run_ask_tell(client, Engine(float), max_trials, num_workers=4)
    assert statuses(client) == ["COMPLETED"] * 2


@pytest.mark.parametrize("where", ["engine", "future"])
def test_an_interrupt_leaves_trials_running(where: str, tmp_path: Path) -> None:
    def submit(parameters: Parameters) -> Future[Any]:
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
    run_ask_tell(loaded, Engine(float), max_trials=9, num_workers=3)
    assert statuses(loaded) == ["COMPLETED"] * 9
    assert parameters_of(loaded)[: len(parameters_of(client))] == parameters_of(client)


def test_a_logged_trial_is_in_the_file(tmp_path: Path) -> None:
    path, seen = tmp_path / "client.json", []

    class Reader(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            trials = json.loads(path.read_text())["experiment"]["trials"]
            index = record.getMessage().split()[1]
            seen.append((index, trials[index]["status"]["name"]))

    logger, reader = logging.getLogger("botorch_popbo.ax"), Reader(logging.INFO)
    level = logger.level
    logger.addHandler(reader)
    logger.setLevel(logging.INFO)
    try:
        engine = Engine(lambda number: 1.0 if number else math.nan)
        run_ask_tell(new_client(), engine, max_trials=4, num_workers=1, save=path)
    finally:
        logger.removeHandler(reader)
        logger.setLevel(level)
    assert sorted(seen) == [("0", "FAILED"), *((str(i), "COMPLETED") for i in (1, 2, 3))]


def test_a_missing_metric_stops_after_the_running_trials() -> None:
    client = new_client()
    engine = Engine(lambda n: {"loss": 1.0} if n else {"acc": 1.0}, size=3, total=3)
    with pytest.raises(UserInputError, match=r"without the metrics \['loss'\]"):
        run_ask_tell(client, engine, max_trials=9, num_workers=2)
    assert statuses(client) == ["RUNNING", "COMPLETED", "COMPLETED"]


def test_an_engine_that_refuses_stops_after_the_running_trials() -> None:
    engine = Engine(float, size=2, total=2)

    def submit(parameters: Parameters) -> Future[Any]:
        if len(engine.submitted) == 2:
            raise RuntimeError("the cluster is closed")
        return engine(parameters)

    client = new_client()
    with pytest.raises(RuntimeError, match="cluster is closed"):
        run_ask_tell(client, submit, max_trials=9, num_workers=2)
    assert statuses(client) == ["COMPLETED", "COMPLETED", "RUNNING"]


def test_an_exhausted_space_stops_after_the_running_trials() -> None:
    kinds = ChoiceParameterConfig(name="kind", values=[*"abcde"], parameter_type="str")
    client = make_client(popbo_generation_strategy(num_initial_trials=2), [kinds], "-loss")
    engine = Engine(float, size=2, total=5)
    with pytest.raises(SearchSpaceExhausted):
        run_ask_tell(client, engine, max_trials=9, num_workers=1)
    assert statuses(client) == ["COMPLETED"] * 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": 0}, "num_workers is at least 1; got 0"),
        ({"max_trials": -1}, "max_trials is at least 0"),
        ({"ahead": -1}, "ahead"),
        ({"max_retries": -1}, "max_retries"),
    ],
)
def test_options_out_of_range(options: dict[str, int], message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        run_ask_tell(new_client(), Engine(float), **{"max_trials": 1, "num_workers": 1} | options)


def test_a_client_that_is_not_ready() -> None:
    client = Client()
    with pytest.raises(UserInputError, match="configure_optimization"):
        run_ask_tell(client, Engine(float), 1, 1)
    client.configure_experiment(parameters=floats(1))
    client.configure_optimization(objective="loss")
    with pytest.raises(UserInputError, match="set_generation_strategy"):
        run_ask_tell(client, Engine(float), 1, 1)


def test_a_file_that_cannot_be_written_costs_no_trial(tmp_path: Path) -> None:
    engine = Engine(float)
    with pytest.raises(OSError, match="missing"):
        run_ask_tell(new_client(), engine, 1, 1, save=tmp_path / "missing" / "client.json")
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
