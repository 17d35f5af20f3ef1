"""Where a strategy without a seed takes it from."""

from pathlib import Path
from typing import Any

import pytest
import torch
from ax.api.client import Client
from ax.benchmark.benchmark import benchmark_one_method_problem
from ax.benchmark.benchmark_method import BenchmarkMethod
from ax.benchmark.problems.registry import get_benchmark_problem
from ax.generation_strategy.generation_strategy import GenerationStrategy
from helpers.service_loop import floats, run_trials, sphere

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy


def suggested(strategy: GenerationStrategy, seed: int | None = None, number: int = 4) -> list[Any]:
    return run_trials(started(strategy, seed), sphere, number)


def started(strategy: GenerationStrategy, seed: int | None = None) -> Client:
    client = Client(random_seed=seed)
    client.configure_experiment(floats(2))
    client.configure_optimization("-loss")
    client.set_generation_strategy(strategy)
    return client


OPTIONS: list[dict[str, Any]] = [
    {"acquisition": "logei"},
    {"acquisition": "eri"},
    {"preset": "paper"},
    {"initial_design": "uniform"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_without_a_seed_it_is_that_of_the_client(options: dict[str, Any]) -> None:
    options = {"num_initial_trials": 3} | options
    for seed in (1, 2**32 - 1):
        expected = suggested(popbo_generation_strategy(**options, seed=seed))
        assert suggested(popbo_generation_strategy(**options), seed) == expected
    other = suggested(popbo_generation_strategy(**options), 2)
    assert all(one != another for one, another in zip(other[:3], expected[:3], strict=True))


def test_or_that_of_pytorch_whose_state_stays_as_it_is() -> None:
    torch.manual_seed(7)
    state = torch.get_rng_state()
    points = suggested(popbo_generation_strategy(num_initial_trials=3))
    assert torch.equal(torch.get_rng_state(), state)
    assert points == suggested(popbo_generation_strategy(num_initial_trials=3, seed=7))


@pytest.mark.parametrize("number", [1, 4])
def test_it_is_kept_from_the_first_suggestion_on(number: int, tmp_path: Path) -> None:
    client = started(popbo_generation_strategy("eri", num_initial_trials=3, order_only=True))
    run_trials(client, sphere, number)
    client.save_to_json_file(str(tmp_path / "client.json"))
    torch.manual_seed(8)
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    assert run_trials(loaded, sphere, 5 - number) == run_trials(client, sphere, 5 - number)
    clone = client._generation_strategy.clone_reset()
    expected = suggested(popbo_generation_strategy("eri", 3, seed=0, order_only=True))
    assert suggested(clone) == expected


def test_a_strategy_stored_before_its_first_suggestion_has_no_seed_yet(tmp_path: Path) -> None:
    client = started(popbo_generation_strategy(num_initial_trials=3))
    client.save_to_json_file(str(tmp_path / "client.json"))
    torch.manual_seed(8)
    loaded = Client.load_from_json_file(str(tmp_path / "client.json"))
    expected = suggested(popbo_generation_strategy(num_initial_trials=3, seed=8), number=3)
    assert run_trials(loaded, sphere, 3) == expected


@pytest.mark.parametrize("make", [popbo_generation_strategy, gp_generation_strategy])
def test_the_replications_of_the_benchmark_of_ax_differ(make: Any) -> None:
    method = BenchmarkMethod(name="ours", generation_strategy=make(num_initial_trials=3))
    problem = get_benchmark_problem("branin", num_trials=4)

    def best(seeds: list[int]) -> list[float]:
        runs = benchmark_one_method_problem(problem, method, seeds=seeds).results
        return [float(run.optimization_trace[-1]) for run in runs]

    found = best([0, 1])
    assert found[0] != found[1]
    assert best([0, 1]) == found


@pytest.mark.parametrize("design", ["sobol", "uniform"])
def test_a_seed_of_any_size_will_do(design: Any) -> None:
    torch.seed()  # of 64 bits, as in a process that seeds nothing
    points = suggested(popbo_generation_strategy(num_initial_trials=2, initial_design=design))
    expected = popbo_generation_strategy(
        num_initial_trials=2, seed=torch.initial_seed() % 2**32, initial_design=design
    )
    assert points == suggested(expected)
    large = popbo_generation_strategy(num_initial_trials=2, seed=2**63 - 1, initial_design=design)
    assert len(suggested(large, number=3)) == 3
