import math
from typing import Any

import pytest
import torch
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import SearchSpaceExhausted, UserInputError
from ax.exceptions.generation_strategy import MaxParallelismReachedException
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.exceptions import InputDataError
from botorch.optim import optimize_acqf
from botorch.test_functions import Hartmann
from helpers.service_loop import (
    Parameter,
    Parameterization,
    floats,
    generator_keys,
    make_client,
    run_trials,
    sphere,
)

from botorch_popbo.ax import (
    generation_strategies,
    gp_generation_strategy,
    popbo_generation_strategy,
)
from botorch_popbo.presets import PresetName

MIXED: list[Parameter] = [
    RangeParameterConfig(name="x", bounds=(0.0, 1.0), parameter_type="float"),
    RangeParameterConfig(name="rate", bounds=(1e-4, 1.0), parameter_type="float", scaling="log"),
    RangeParameterConfig(name="depth", bounds=(1, 8), parameter_type="int"),
    RangeParameterConfig(name="width", bounds=(1, 512), parameter_type="int", scaling="log"),
    ChoiceParameterConfig(name="kind", values=["a", "b", "c"], parameter_type="str"),
    ChoiceParameterConfig(name="size", values=[8, 32, 512], parameter_type="int", is_ordered=True),
    ChoiceParameterConfig(name="flag", values=[True, False], parameter_type="bool"),
]


def mixed_loss(parameters: Parameterization) -> float:
    return (
        (parameters["x"] - 0.7) ** 2
        + math.log10(parameters["rate"] / 1e-2) ** 2
        + (parameters["kind"] != "b")
        + abs(parameters["depth"] - 5) / 5
        + (parameters["size"] != 32)
        + float(parameters["flag"])
    )


def hartmann(parameters: Parameterization) -> float:
    X = torch.tensor([[parameters[f"x{i}"] for i in range(6)]], dtype=torch.float64)
    return Hartmann(dim=6).evaluate_true(X).item()


def strategy(acquisition: str, num_initial_trials: int, seed: int = 0) -> GenerationStrategy:
    """The default, or one of the paper's."""
    if acquisition == "logei":
        return popbo_generation_strategy(num_initial_trials=num_initial_trials, seed=seed)
    return popbo_generation_strategy(acquisition, num_initial_trials, seed, preset="paper")


EACH_STRATEGY = pytest.mark.parametrize("acquisition", ["logei", "eri", "rlcb"])
TWO_STRATEGIES = pytest.mark.parametrize("acquisition", ["logei", "eri"])


@EACH_STRATEGY
def test_suggestions_are_the_models_own_and_distinct(acquisition: str) -> None:
    client = make_client(strategy(acquisition, 12), floats(6), "-loss")
    points = run_trials(client, hartmann, 27)
    assert generator_keys(client)[12:] == [f"popbo-{acquisition}"] * 15
    assert len({tuple(p.values()) for p in points}) == 27


@EACH_STRATEGY
def test_suggestions_beat_the_initial_design(acquisition: str) -> None:
    client = make_client(strategy(acquisition, 8), floats(2), "-loss")
    values = [sphere(p) for p in run_trials(client, sphere, 24)]
    assert min(values[8:]) < 0.5 * min(values[:8])


def test_the_default_converges_on_a_smooth_function() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=6), floats(2), "-loss")
    values = [sphere(p) for p in run_trials(client, sphere, 26)]
    assert min(values) < 1e-3 * min(values[:6])


def test_ranks_of_a_gaussian_process_may_be_searched_too() -> None:
    client = make_client(popbo_generation_strategy("eri", 5), floats(2), "-loss")
    values = [sphere(p) for p in run_trials(client, sphere, 15)]
    assert min(values[5:]) < 0.5 * min(values[:5])
    assert generator_keys(client)[5:] == ["popbo-eri"] * 10


@EACH_STRATEGY
def test_minimizing_mirrors_maximizing_the_negated_metric(acquisition: str) -> None:
    minimizing = make_client(strategy(acquisition, 6, 3), MIXED, "-loss")
    maximizing = make_client(strategy(acquisition, 6, 3), MIXED, "accuracy")
    assert run_trials(minimizing, mixed_loss, 12) == run_trials(
        maximizing, lambda p: -mixed_loss(p), 12, metric="accuracy"
    )


@TWO_STRATEGIES
def test_scaled_objective_keeps_its_direction(acquisition: str) -> None:
    plain = make_client(strategy(acquisition, 5), floats(2), "-loss")
    scaled = make_client(strategy(acquisition, 5), floats(2), "-2*loss")
    assert run_trials(plain, sphere, 8) == run_trials(scaled, sphere, 8)


@TWO_STRATEGIES
def test_monotone_distortion_of_the_metric_leaves_candidates_alone(acquisition: str) -> None:
    plain = make_client(strategy(acquisition, 5), floats(3), "-loss")
    distorted = make_client(strategy(acquisition, 5), floats(3), "-loss")
    assert run_trials(plain, sphere, 10) == run_trials(
        distorted, lambda p: math.exp(30 * sphere(p)), 10
    )


@TWO_STRATEGIES
def test_seed_decides_the_candidates_and_the_global_state_is_untouched(acquisition: str) -> None:
    runs = []
    for seed, global_seed in ((0, 1), (0, 2), (1, 1)):
        torch.manual_seed(global_seed)
        client = make_client(strategy(acquisition, 5, seed), floats(2), "-loss")
        run_trials(client, sphere, 5)
        state = torch.get_rng_state()
        runs.append(run_trials(client, sphere, 4))
        assert torch.equal(torch.get_rng_state(), state)
    assert runs[0] == runs[1] != runs[2]


@TWO_STRATEGIES
def test_mixed_space_is_suggested_by_the_model_and_improves(acquisition: str) -> None:
    client = make_client(strategy(acquisition, 10), MIXED, "-loss")
    points = run_trials(client, mixed_loss, 22)
    assert generator_keys(client)[10:] == [f"popbo-{acquisition}"] * 12
    assert min(map(mixed_loss, points[10:])) < min(map(mixed_loss, points[:10]))


@EACH_STRATEGY
def test_discrete_space_is_searched_without_repetition_until_exhausted(acquisition: str) -> None:
    parameters: list[Parameter] = [
        ChoiceParameterConfig(name=name, values=["a", "b", "c"], parameter_type="str")
        for name in ("u", "v")
    ]
    client = make_client(strategy(acquisition, 3), parameters, "-loss")
    points = run_trials(client, lambda p: float(ord(p["u"]) + ord(p["v"])), 9)
    assert len({tuple(p.values()) for p in points}) == 9
    with pytest.raises(SearchSpaceExhausted):
        client.get_next_trials(max_trials=1)


@EACH_STRATEGY
def test_pending_trials_are_distinct(acquisition: str) -> None:
    client = make_client(strategy(acquisition, 6), floats(3), "-loss")
    run_trials(client, sphere, 6)
    pending = client.get_next_trials(max_trials=4)
    assert len({tuple(p.values()) for p in pending.values()}) == 4
    assert generator_keys(client)[6:] == [f"popbo-{acquisition}"] * 4


@TWO_STRATEGIES
def test_predictions_are_in_the_unit_of_the_metric(acquisition: str) -> None:
    client = make_client(strategy(acquisition, 12), floats(2), "-loss")
    points = run_trials(client, lambda p: 1000.0 + sphere(p), 24)
    observed = [1000.0 + sphere(p) for p in points]
    predicted = [client.predict([p])[0]["loss"][0] for p in points]
    assert min(observed) <= min(predicted)
    assert max(predicted) <= max(observed)
    ranks = torch.tensor([observed, predicted], dtype=torch.float64).argsort(-1).argsort(-1)
    assert torch.corrcoef(ranks.double())[0, 1] > 0.7
    _, prediction, *_ = client.get_best_parameterization(use_model_predictions=True)
    assert prediction["loss"][0] < sorted(observed)[12]


@TWO_STRATEGIES
def test_infinitely_bad_outcome_is_a_failure_that_ranks_last(acquisition: str) -> None:
    client = make_client(strategy(acquisition, 6), floats(2), "-loss")
    run_trials(client, lambda p: math.inf if p["x0"] > 0.5 else sphere(p), 12)
    assert generator_keys(client)[6:] == [f"popbo-{acquisition}"] * 6
    mean, sem = client.predict([{"x0": 0.9, "x1": 0.9}])[0]["loss"]
    assert math.isfinite(mean)
    assert math.isfinite(sem)


def test_infinitely_good_outcome_is_a_named_error() -> None:
    client = make_client(strategy("logei", 3), floats(2), "-loss")
    run_trials(client, lambda p: -math.inf, 3)
    with pytest.raises(InputDataError, match=r"\+inf"):
        client.get_next_trials(max_trials=1)


@pytest.mark.parametrize("acquisition", ["logei", "ucb", "qlognei"])
def test_gp_strategies_run(acquisition: str) -> None:
    client = make_client(gp_generation_strategy(acquisition, 5), floats(2), "-loss")
    run_trials(client, sphere, 7)
    assert generator_keys(client)[5:] == [f"gp-{acquisition}"] * 2


def test_attached_trials_count_as_initial_design() -> None:
    client = make_client(strategy("logei", 4), floats(2), "-loss")
    for x in (0.1, 0.4, 0.6, 0.9):
        parameters = {"x0": x, "x1": 1.0 - x}
        index = client.attach_trial(parameters)
        client.complete_trial(index, raw_data={"loss": sphere(parameters)})
    run_trials(client, sphere, 1)
    assert generator_keys(client)[-1] == "popbo-logei"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"acquisition": "ei"}, "logei, eri, rlcb"),
        ({"preset": "best"}, "default, paper, exact"),
        ({"acquisition": "logei", "preset": "paper"}, 'use preset="default", or acquisition="eri"'),
        ({"acquisition": "logei", "preset": "exact"}, "a rate with uncertainty"),
        ({"num_initial_trials": 1}, "at least 2"),
        ({"initial_design": "grid"}, "sobol, uniform"),
        ({"max_parallelism": 0}, "max_parallelism is at least 1; got 0"),
        ({"num_restarts": -1}, "num_restarts is at least 1"),
        ({"raw_samples": 0}, "raw_samples is at least 1"),
        ({"device": "gpu"}, "Unknown device 'gpu'"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        popbo_generation_strategy(**options)


def test_bad_gp_options_are_named() -> None:
    with pytest.raises(UserInputError, match="logei, ucb, qlognei"):
        gp_generation_strategy("ei")
    with pytest.raises(UserInputError, match="at least 1"):
        gp_generation_strategy(num_initial_trials=0)
    with pytest.raises(UserInputError, match="sobol, uniform"):
        gp_generation_strategy(initial_design="grid")


@pytest.mark.parametrize("preset", ["paper", "exact"])
def test_without_uncertainty_the_default_is_expected_ranking_improvement(
    preset: PresetName,
) -> None:
    client = make_client(
        popbo_generation_strategy(num_initial_trials=3, preset=preset), floats(2), "-loss"
    )
    run_trials(client, sphere, 4)
    assert generator_keys(client)[3:] == ["popbo-eri"]


def test_several_strategies_run_side_by_side_from_the_same_design() -> None:
    names = ["popbo-logei", "popbo-rlcb", "paper-eri", "exact-rlcb", "gp-logei", "gp-qlognei"]
    strategies = generation_strategies(names, num_initial_trials=4, seed=2)
    assert list(strategies) == names
    designs = []
    for name, each in strategies.items():
        client = make_client(each, floats(2), "-loss")
        designs.append(run_trials(client, sphere, 4))
        run_trials(client, sphere, 1)
        family, acquisition = name.split("-")
        family = "gp" if family == "gp" else "popbo"
        assert generator_keys(client)[4:] == [f"{family}-{acquisition}"]
    assert all(design == designs[0] for design in designs)


@pytest.mark.parametrize(
    ("name", "message"),
    [("popbo", "logei, eri, rlcb"), ("gp-ei", "logei, ucb"), ("hebo-ei", "popbo, paper, exact")],
)
def test_unknown_strategies_are_named(name: str, message: str) -> None:
    with pytest.raises(UserInputError, match=message):
        generation_strategies([name])


@pytest.mark.parametrize("name", ["popbo-logei", "gp-qlognei"])
def test_no_suggestion_while_so_many_trials_run(name: str) -> None:
    [each] = generation_strategies([name], num_initial_trials=3, max_parallelism=2).values()
    client = make_client(each, floats(2), "-loss")
    run_trials(client, sphere, 3)
    for _ in range(2):
        client.get_next_trials(max_trials=1)
    with pytest.raises(MaxParallelismReachedException):
        client.get_next_trials(max_trials=1)
    client.complete_trial(3, {"loss": 1.0})
    assert len(client.get_next_trials(max_trials=1)) == 1


def test_a_uniform_design_is_random_and_reproducible() -> None:
    runs = [
        run_trials(
            make_client(
                popbo_generation_strategy(num_initial_trials=4, seed=s, initial_design=design),
                floats(2),
                "-loss",
            ),
            sphere,
            5,
        )
        for s, design in ((0, "uniform"), (0, "uniform"), (1, "uniform"), (0, "sobol"))
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    assert runs[0] != runs[3]


@pytest.mark.parametrize("name", ["popbo-logei", "paper-eri", "gp-logei"])
def test_options_reach_the_optimizer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def record(*args: Any, **kwargs: Any) -> Any:
        seen.append((kwargs["num_restarts"], kwargs["raw_samples"]))
        return optimize_acqf(*args, **kwargs)

    monkeypatch.setattr("ax.generators.torch.botorch_modular.acquisition.optimize_acqf", record)
    options = {"num_restarts": 3, "raw_samples": 17, "device": "cpu"}
    [each] = generation_strategies([name], num_initial_trials=3, **options).values()
    run_trials(make_client(each, floats(2), "-loss"), sphere, 4)
    assert seen == [(3, 17)]


def test_options_of_a_continuous_optimizer_do_not_stop_a_discrete_space() -> None:
    each = popbo_generation_strategy(num_initial_trials=2, num_restarts=3, raw_samples=17)
    parameters: list[Parameter] = [
        ChoiceParameterConfig(name="u", values=["a", "b", "c", "d"], parameter_type="str")
    ]
    client = make_client(each, parameters, "-loss")
    assert len({p["u"] for p in run_trials(client, lambda p: float(ord(p["u"])), 4)}) == 4


def test_exact_preset_runs() -> None:
    client = make_client(popbo_generation_strategy("rlcb", 4, preset="exact"), floats(2), "-loss")
    run_trials(client, sphere, 6)
    assert generator_keys(client)[4:] == ["popbo-rlcb"] * 2
