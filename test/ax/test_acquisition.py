from typing import Any

import pytest
import torch
from ax.adapter.registry import Generators
from ax.core.objective import Objective
from ax.core.optimization_config import OptimizationConfig
from ax.core.parameter_constraint import ParameterConstraint
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generators.torch.botorch_modular.acquisition import Acquisition
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, Surrogate, SurrogateSpec
from ax.utils.common.constants import Keys
from botorch.acquisition import LogExpectedImprovement, qKnowledgeGradient
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.exceptions import CandidateGenerationError, UnsupportedError
from helpers.search_spaces import assert_distinct, choice, ranged
from helpers.service_loop import (
    Parameterization,
    floats,
    generator_keys,
    last_acquisition,
    make_client,
    popbo_client,
    run_trials,
    sphere,
)
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankingGP,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax import RANK_TRANSFORMS, RankSurrogate, initial_node


@pytest.mark.parametrize(
    ("name", "value"), [("x", 3.0), ("x", -0.1), ("i", 60), ("k", 3), ("k", 9)]
)
def test_fixed_parameters_outside_of_the_space_are_refused(name: str, value: float) -> None:
    kinds = [choice("k", [1, 2, 4], is_ordered=True), choice("c", ["a", "b", "c"])]
    client = popbo_client([ranged("x", 0.0, 1.0), ranged("i", 1, 50, "int"), *kinds], 3)
    run_trials(client, lambda p: float(p["x"]), 3)
    with pytest.raises(CandidateGenerationError, match=f"'{name}' is fixed at a value outside"):
        client.get_next_trials(1, fixed_parameters={name: value})
    ends = {"x": 1.0, "i": 50, "k": 4, "c": "c"}
    [point] = client.get_next_trials(1, fixed_parameters=ends).values()
    assert point == ends


def test_only_a_point_with_the_fixed_parameters_is_improved_on() -> None:
    client = popbo_client(floats(2), 6)
    run_trials(client, sphere, 6)
    for number in (6, 1, 2):  # at first there is none
        fixed = client.get_next_trials(1, fixed_parameters={"x0": 0.95})
        assert len(last_acquisition(client).X_observed) == number
        [(index, point)] = fixed.items()
        assert point["x0"] == 0.95
        client.complete_trial(index, {"loss": sphere(point)})


def test_with_fixed_parameters_the_best_expected_point_comes_first() -> None:
    client = popbo_client(floats(2), 12)
    run_trials(client, lambda p: (p["x1"] - 0.2 - 0.6 * p["x0"]) ** 2, 15)
    [point] = client.get_next_trials(1, fixed_parameters={"x0": 0.95}).values()
    x1 = torch.tensor([point["x1"], *(i / 100.0 for i in range(101))], dtype=torch.double)
    X = torch.stack([torch.full_like(x1, 0.95), x1], dim=-1)
    mean = last_acquisition(client).model.posterior(X).mean
    assert mean[0] > mean.median()  # on an empty line it was a corner, for its variance


def test_a_stock_function_improves_on_a_point_of_the_space() -> None:
    client = popbo_client(floats(1), 6, acquisition=LogExpectedImprovement)
    client.complete_trial(client.attach_trial({"x0": 1.5}), {"loss": -1.0})
    run_trials(client, sphere, 6)
    assert generator_keys(client)[-1] == "popbo-LogExpectedImprovement"
    acquisition = last_acquisition(client)
    inside = acquisition.model.posterior(acquisition.X_observed).mean.max()
    assert acquisition.acqf.best_f == pytest.approx(float(inside), abs=0.2)
    assert acquisition.model.posterior(acquisition.model.known_X).mean.max() > inside + 0.2


def test_a_one_shot_function_starts_where_botorch_does() -> None:
    run_trials(popbo_client(floats(1), 4, acquisition=qKnowledgeGradient), sphere, 5)


def test_the_seed_decides_about_a_stock_function_alone() -> None:
    def suggested(seed: int) -> Parameterization:
        torch.manual_seed(seed)
        client = popbo_client(floats(2), 5, acquisition=qLogNoisyExpectedImprovement)
        return run_trials(client, sphere, 6)[-1]

    assert suggested(0) == suggested(1)


def strategy_by_hand(num_initial: int, **arguments: Any) -> GenerationStrategy:
    spec = GeneratorSpec(Generators.BOTORCH_MODULAR, generator_kwargs=arguments)
    node = GenerationNode(name="by hand", generator_specs=[spec])
    return GenerationStrategy(nodes=[initial_node(node.name, num_initial, seed=0), node])


@pytest.mark.parametrize(
    ("function", "model", "kind"),
    [
        (LogExpectedUtilityImprovement, RankingGP, "surrogate_spec"),
        (ExpectedRankingImprovement, PoissonRankModel, "surrogate_spec"),
        (RectifiedLowerConfidenceBound, RankingGP, "surrogate"),
        (LogExpectedUtilityImprovement, RankingGP, "with our transforms"),
    ],
)
@pytest.mark.filterwarnings("ignore:Without a RankSurrogate")
def test_a_stock_node_minimizes_as_it_maximizes(function: Any, model: Any, kind: str) -> None:
    def suggested(objective: str, sign: float) -> list[Any]:
        spec = SurrogateSpec([ModelConfig(botorch_model_class=model)])
        ours: dict[str, Any] = {"surrogate": RankSurrogate(spec)}
        given = {kind: spec} if kind == "surrogate_spec" else ours
        given |= {"transforms": RANK_TRANSFORMS} if kind == "with our transforms" else {}
        strategy = strategy_by_hand(5, botorch_acqf_class=function, **given)
        client = make_client(strategy, floats(2), objective)
        torch.manual_seed(0)  # Ax's optimizer draws from it
        return run_trials(client, lambda p: sign * sphere(p), 6)

    assert suggested("-loss", 1.0) == suggested("loss", -1.0)


@pytest.mark.filterwarnings("ignore:Without a RankSurrogate")
def test_a_stock_node_refuses_several_metrics() -> None:
    spec = SurrogateSpec([ModelConfig(botorch_model_class=RankingGP)])
    function = LogExpectedUtilityImprovement
    strategy = strategy_by_hand(3, botorch_acqf_class=function, surrogate_spec=spec)
    client = make_client(strategy, floats(1), "-loss, -cost")
    with pytest.raises(UnsupportedError, match="popbo_generation_strategy"):
        run_trials(client, lambda p: {"loss": p["x0"], "cost": 1.0 - p["x0"]}, 4)


@pytest.mark.parametrize("kind", ["surrogate", "surrogate_spec"])
def test_a_surrogate_of_ax_is_refused_beside_our_transforms(kind: str) -> None:
    spec = SurrogateSpec(model_configs=[ModelConfig(botorch_model_class=RankingGP)])
    given: dict[str, Any] = {kind: Surrogate(spec) if kind == "surrogate" else spec}
    strategy = strategy_by_hand(3, transforms=RANK_TRANSFORMS, **given)
    with pytest.raises(UserInputError, match=r"surrogate=RankSurrogate\("):
        run_trials(make_client(strategy, floats(1), "-loss"), sphere, 4)


@pytest.mark.parametrize("objective", ["-loss", "loss"])
def test_a_suggestion_for_another_direction_goes_there(objective: str) -> None:
    client = popbo_client(floats(1), 4, objective)
    run_trials(client, lambda p: p["x0"], 5)
    adapter = client._generation_strategy.adapter
    assert adapter is not None
    for expression, end in (("loss", 1.0), ("-loss", 0.0)):
        other = Objective(expression=expression, metric_name_to_signature={"loss": "loss"})
        [arm] = adapter.gen(1, optimization_config=OptimizationConfig(objective=other)).arms
        assert abs(arm.parameters["x0"] - end) < 0.4


@pytest.mark.parametrize(
    "constraint",
    [
        {"inequality": "x0 <= 2"},
        {"inequality": "x0 + x1 <= 1.2"},
        {"equality": "x0 + x1 + x2 == 1.2"},
    ],
)
@pytest.mark.parametrize("fixed", [{}, {"x0": 0.25}])
def test_a_known_point_that_an_optimizer_ends_at_gives_way(
    fixed: dict[str, float], constraint: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = popbo_client(floats(3), 5)
    # The client's own argument takes inequalities only.
    client._experiment.search_space.set_parameter_constraints([ParameterConstraint(**constraint)])
    first = {"x0": 0.25, "x1": 0.75, "x2": 0.2}
    client.complete_trial(client.attach_trial(first), {"loss": 0.0})
    run_trials(client, sphere, 4)

    def end_at_known(acquisition: Acquisition, n: int, **options: Any) -> tuple[Tensor, ...]:
        assert acquisition.X_observed is not None
        is_fixed = [True] * len(acquisition.X_observed)
        for column, value in (options["fixed_features"] or {}).items():
            is_fixed = (acquisition.X_observed[:, column] == value).tolist()
        known = acquisition.X_observed[is_fixed][:1].repeat(n, 1)
        return known, torch.zeros(n), torch.ones(n)

    monkeypatch.setattr(Acquisition, "optimize", end_at_known)
    found = client.get_next_trials(2, fixed_parameters=fixed).values()
    points = [trial.arm.parameters for trial in client._experiment.trials.values()]
    assert_distinct(points)
    assert len(found) == 2
    assert all(client._experiment.search_space.check_membership(point) for point in found)
    assert all(point["x0"] == value for point in found for value in fixed.values())
    [run] = client._experiment.trials[max(client._experiment.trials)].generator_runs
    noted = torch.tensor(run.gen_metadata[Keys.EXPECTED_ACQF_VAL])
    assert bool((noted != 0.0).all())  # which was that of the known point


def test_parameters_that_do_not_matter_go_back_to_a_target() -> None:
    target = {f"x{i}": 0.5 for i in range(4)}
    numbers = []
    for is_on in (False, True):
        client = popbo_client(floats(4), 8, simplify_parameter_changes=is_on)
        client.configure_optimization("-loss", pruning_target_parameterization=target)
        points = run_trials(client, lambda p: (p["x0"] - 0.2) ** 2, 10)[8:]
        numbers.append(sum(value == 0.5 for point in points for value in point.values()))
    assert numbers[0] == 0
    assert numbers[1] > 0
    [[run]] = client._generation_strategy.gen(experiment=client._experiment, n=3, num_trials=1)
    assert len({arm.signature for arm in run.arms}) == 3
