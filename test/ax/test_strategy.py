import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from ax.exceptions.core import DataRequiredError, UserInputError
from ax.exceptions.generation_strategy import MaxParallelismReachedException
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.optim import optimize_acqf
from helpers.search_spaces import choice, ranged
from helpers.service_loop import (
    Parameter,
    Parameterization,
    floats,
    generator_keys,
    make_client,
    run_trials,
    sphere,
)

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy

FAMILIES = {"popbo": "popbo", "paper": "popbo", "exact": "popbo", "gp": "gp"}
MIXED: list[Parameter] = [
    ranged("x", 0.0, 1.0),
    ranged("rate", 1e-4, 1.0, log=True),
    ranged("depth", 1, 8, "int"),
    choice("kind", ["a", "b", "c"]),
    choice("size", [8, 32, 512], is_ordered=True),
]
NUM_INITIAL = 8


def mixed_loss(p: Parameterization) -> float:
    decades = math.log10(p["rate"] / 1e-2)
    categories = (p["kind"] != "b") + (p["size"] != 32)
    return (p["x"] - 0.7) ** 2 + decades**2 + abs(p["depth"] - 5) / 5 + categories


def strategy(
    name: str, num_initial_trials: int = NUM_INITIAL, **options: Any
) -> GenerationStrategy:
    family, acquisition = name.split("-")
    make: Callable[..., GenerationStrategy] = gp_generation_strategy
    if family != "gp":
        preset = "default" if family == "popbo" else family
        make = partial(popbo_generation_strategy, preset=preset)
    return make(acquisition, num_initial_trials=num_initial_trials, **options)


@pytest.mark.parametrize(("name", "number"), [("popbo-logei", 20), ("paper-rlcb", 24)])
def test_a_smooth_function_is_searched(name: str, number: int) -> None:
    client = make_client(strategy(name), floats(2), "-loss")
    points = run_trials(client, lambda p: 1000.0 + sphere(p), number)
    values = [*map(sphere, points)]
    assert min(values[8:]) < min(values[:8])
    if name == "popbo-logei":
        assert min(values) < 2e-3 * min(values[:8])

    predicted = [prediction["loss"][0] - 1000.0 for prediction in client.predict(points)]
    assert min(values) - 1e-9 <= min(predicted)
    assert max(predicted) <= max(values) + 1e-9
    ranks = torch.tensor([values, predicted]).argsort(-1).argsort(-1)
    assert torch.corrcoef(ranks.double())[0, 1] > 0.7
    _, prediction, *_ = client.get_best_parameterization(use_model_predictions=True)
    assert prediction["loss"][0] - 1000.0 < min(values[:8])

    points += client.get_next_trials(max_trials=2).values()
    assert len({tuple(p.values()) for p in points}) == number + 2
    assert set(generator_keys(client)[8:]) == {f"popbo-{name.split('-')[1]}"}


@pytest.mark.parametrize("name", ["popbo-logei", "paper-eri"])
def test_only_the_order_of_outcomes_counts(name: str) -> None:
    options = {"order_only": True} if name.startswith("popbo") else {}
    plain, distorted = (
        run_trials(make_client(strategy(name, **options), MIXED, "-loss"), evaluate, 9)
        for evaluate in (mixed_loss, lambda p: math.exp(20.0 * mixed_loss(p)))
    )
    assert plain == distorted


def test_several_strategies_run_side_by_side_from_the_same_design() -> None:
    names = ["popbo-logei", "popbo-eri", "popbo-rlcb", "paper-eri", "exact-rlcb"]
    names += ["gp-logei", "gp-ucb", "gp-qlognei"]
    designs = []
    for name in names:
        client = make_client(strategy(name, 4, seed=2), floats(2), "-loss")
        designs.append(run_trials(client, sphere, 4))
        run_trials(client, sphere, 1)
        family, acquisition = name.split("-")
        assert generator_keys(client)[4:] == [f"{FAMILIES[family]}-{acquisition}"]
    assert all(design == designs[0] for design in designs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"acquisition": "ei"}, "logei, eri, rlcb"),
        ({"acquisition": int}, "int is not a BoTorch acquisition function"),
        ({"acquisition": "logei", "preset": "paper"}, 'use preset="default", or acquisition="eri"'),
        ({"preset": "best"}, "default, paper, exact"),
        ({"num_initial_trials": 1}, "at least 2"),
        ({"num_initial_trials": 8.5}, "num_initial_trials must be a whole"),
        ({"initial_design": "grid"}, "design.*sobol, uniform"),
        ({"max_parallelism": 0}, "max_parallelism must be a whole .*; got 0"),
        ({"num_restarts": 4, "raw_samples": 3}, "raw_samples must be at l"),
        ({"device": "gpu"}, "Unknown device 'gpu'"),
        ({"device": "cuda:99"}, "cuda:99.*not usable on this machine"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"seed": 2**63}, "below 2.*; got 9223"),
        ({"n_initial": 3}, "Unknown option 'n_initial'; known: acquisition, num_initial_trials,"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        popbo_generation_strategy(**options)


def test_an_unknown_acquisition_function_of_ax_is_named() -> None:
    with pytest.raises(UserInputError, match="logei, ucb, qlognei"):
        gp_generation_strategy("ei")  # type: ignore[arg-type]


def test_a_strategy_belongs_to_one_client() -> None:
    each = strategy("popbo-logei", 3)
    run_trials(make_client(each, floats(2), "-loss"), sphere, 4)
    other = make_client(each, floats(2), "-loss")
    with pytest.raises(DataRequiredError, match="make a new one for every client"):
        other.get_next_trials(1)


def test_no_suggestion_while_so_many_trials_run() -> None:
    client = make_client(strategy("popbo-logei", 3, max_parallelism=2), floats(2), "-loss")
    run_trials(client, sphere, 3)
    for _ in range(2):
        client.get_next_trials(max_trials=1)
    with pytest.raises(MaxParallelismReachedException):
        client.get_next_trials(max_trials=1)
    client.complete_trial(3, {"loss": 1.0})
    assert len(client.get_next_trials(max_trials=1)) == 1


@pytest.mark.parametrize("name", ["popbo-logei", "paper-eri"])
def test_options_reach_the_optimizer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def record(*args: Any, **kwargs: Any) -> Any:
        seen.append((kwargs["num_restarts"], kwargs["raw_samples"]))
        return optimize_acqf(*args, **kwargs)

    monkeypatch.setattr("ax.generators.torch.botorch_modular.acquisition.optimize_acqf", record)
    each = strategy(name, 3, num_restarts=3, raw_samples=17, device="cpu")
    run_trials(make_client(each, floats(2), "-loss"), sphere, 4)
    assert seen == [(3, 17)]


def test_gradients_may_be_switched_off() -> None:
    found = []
    for is_on in (True, False):
        client = make_client(strategy("popbo-logei", num_initial_trials=4), floats(2), "-loss")
        with torch.set_grad_enabled(is_on):
            found.append(run_trials(client, sphere, 5))
    assert found[0] == found[1]
