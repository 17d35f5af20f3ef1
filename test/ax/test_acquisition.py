from typing import Any

import pytest
import torch
from ax.adapter.registry import Generators
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generators.torch.botorch_modular.acquisition import Acquisition
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, Surrogate, SurrogateSpec
from ax.utils.common.constants import Keys
from botorch.acquisition import LogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.exceptions import CandidateGenerationError
from helpers.search_spaces import assert_distinct
from helpers.service_loop import (
    Parameter,
    Parameterization,
    floats,
    generator_keys,
    last_acquisition,
    make_client,
    run_trials,
    sphere,
)
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.ax import (
    RANK_TRANSFORMS,
    initial_node,
    popbo_generation_strategy,
)
from botorch_popbo.ax.nodes import PresetName
from botorch_popbo.search import tables, unseen_candidates


def constrained_client(
    parameters: list[Parameter], constraint: str, objective: str = "gain"
) -> Client:
    client = Client()
    client.configure_experiment(parameters=parameters, parameter_constraints=[constraint])
    client.configure_optimization(objective=objective)
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=5))
    return client


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
def test_parameter_constraints_are_honoured(kind: str) -> None:
    parameters: list[Parameter] = [
        RangeParameterConfig(
            name=name,
            bounds=(0, 20),
            parameter_type="float" if kind == "continuous" else "int",
        )
        for name in ("a", "b")
    ]
    client = constrained_client(parameters, "a + b <= 12")
    for _ in range(10):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        assert p["a"] + p["b"] <= 12 + 1e-6
        client.complete_trial(index, raw_data={"gain": p["a"] + p["b"]})
    assert generator_keys(client)[5:] == ["popbo-logei"] * 5


@pytest.mark.parametrize(
    ("preset", "objective", "number"),
    [
        ("default", "-loss", 100_000),
        ("default", "-loss, gain", 2048),
        ("paper", "-loss", 1000),
    ],
)
def test_as_many_candidates_are_looked_at_as_time_allows(
    preset: PresetName, objective: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def record(*args: Any) -> Tensor:
        candidates = unseen_candidates(*args)
        seen.append(len(candidates))
        return candidates

    monkeypatch.setattr(tables, "unseen_candidates", record)
    parameters: list[Parameter] = [
        RangeParameterConfig(name=f"x{i}", bounds=(1, 14), parameter_type="int") for i in range(3)
    ]
    strategy = popbo_generation_strategy(num_initial_trials=4, preset=preset)
    client = make_client(strategy, parameters, objective)
    for _ in range(5):
        [(index, p)] = client.get_next_trials(max_trials=1).items()
        client.complete_trial(index, {"loss": sphere(p), "gain": p["x0"]})
    assert seen == [min(number, 14**3 - 4)]


def test_only_a_point_of_the_space_is_improved_on() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=6), floats(2), "-loss")
    for x in (-0.4, 1.3):  # attached, and better than any point of the space
        client.complete_trial(client.attach_trial({"x0": x, "x1": 0.5}), {"loss": -1.0 - x})
    run_trials(client, sphere, 6)
    function = last_acquisition(client).acqf
    assert last_acquisition(client).model.rank_counts.counts.max() == 6  # of seven others
    inside = function.model.known_X[function._is_baseline]
    assert len(inside) == 5
    assert ((inside >= 0.0) & (inside <= 1.0)).all()
    expected = min(inside.tolist(), key=lambda x: sphere(dict(enumerate(x))))
    incumbent = function.model.encode(torch.tensor([expected]).double())[0]
    assert function._incumbent.tolist() == pytest.approx(incumbent.tolist())


@pytest.mark.parametrize(
    ("name", "value"), [("x", 3.0), ("x", -0.1), ("i", 60), ("k", 3), ("k", 9)]
)
def test_fixed_parameters_outside_of_the_space_are_refused(name: str, value: float) -> None:
    client = Client()
    client.configure_experiment(
        [
            RangeParameterConfig("x", (0.0, 1.0), "float"),
            RangeParameterConfig("i", (1, 50), "int"),
            ChoiceParameterConfig("k", [1, 2, 4], "int", is_ordered=True),
            ChoiceParameterConfig("c", ["a", "b", "c"], "str"),
        ]
    )
    client.configure_optimization("-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=3))
    run_trials(client, lambda p: float(p["x"]), 3)
    with pytest.raises(CandidateGenerationError, match=f"'{name}' is fixed at a value outside"):
        client.get_next_trials(1, fixed_parameters={name: value})
    ends = {"x": 1.0, "i": 50, "k": 4, "c": "c"}
    [point] = client.get_next_trials(1, fixed_parameters=ends).values()
    assert point == ends


def test_only_a_point_with_the_fixed_parameters_is_improved_on() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=6), floats(2), "-loss")
    run_trials(client, sphere, 6)
    for number in (6, 1, 2):  # at first there is none
        fixed = client.get_next_trials(1, fixed_parameters={"x0": 0.95})
        assert int(last_acquisition(client).acqf._is_baseline.sum()) == number
        [(index, point)] = fixed.items()
        assert point["x0"] == 0.95
        client.complete_trial(index, {"loss": sphere(point)})


def test_a_stock_function_improves_on_a_point_of_the_space() -> None:
    strategy = popbo_generation_strategy(LogExpectedImprovement, num_initial_trials=6)
    client = make_client(strategy, floats(1), "-loss")
    client.complete_trial(client.attach_trial({"x0": 1.5}), {"loss": -1.0})
    run_trials(client, sphere, 6)
    acquisition = last_acquisition(client)
    inside = acquisition.model.posterior(acquisition.X_observed).mean.max()
    assert acquisition.acqf.best_f == pytest.approx(float(inside), abs=0.2)
    assert acquisition.model.posterior(acquisition.model.known_X).mean.max() > inside + 0.2


def test_the_seed_decides_about_a_stock_function_alone() -> None:
    def suggested(seed: int) -> Parameterization:
        torch.manual_seed(seed)
        strategy = popbo_generation_strategy(qLogNoisyExpectedImprovement, num_initial_trials=10)
        client = make_client(strategy, floats(2), "-loss")
        return run_trials(client, sphere, 12)[-1]

    assert suggested(0) == suggested(1)


def by_hand(**kwargs: Any) -> Client:
    """A client with a specification of its own."""
    spec = GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs=kwargs
        | {"botorch_acqf_class": LogExpectedUtilityImprovement, "transforms": RANK_TRANSFORMS},
    )
    node = GenerationNode(name="by hand", generator_specs=[spec])
    strategy = GenerationStrategy(nodes=[initial_node(node.name, 3), node])
    return make_client(strategy, floats(1), "-loss")


MODELS = SurrogateSpec(model_configs=[ModelConfig(botorch_model_class=RankingGP)])


def test_a_specification_of_the_model_is_enough() -> None:
    client = by_hand(surrogate_spec=MODELS)
    points = run_trials(client, lambda p: 1000.0 + sphere(p), 5)
    ready_made = make_client(popbo_generation_strategy(num_initial_trials=3), floats(1), "-loss")
    assert points == run_trials(ready_made, sphere, 5)
    assert 1000.0 <= client.predict(points)[0]["loss"][0] <= 1001.0


def test_a_surrogate_of_ax_is_refused() -> None:
    with pytest.raises(UserInputError, match=r"surrogate=RankSurrogate\("):
        run_trials(by_hand(surrogate=Surrogate(MODELS)), sphere, 4)


@pytest.mark.parametrize("constraint", ["x0 <= 2", "x0 + x1 <= 1.2"])
@pytest.mark.parametrize("fixed", [{}, {"x0": 0.25}])
def test_a_known_point_that_an_optimizer_ends_at_gives_way(
    fixed: dict[str, float], constraint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = constrained_client(floats(2), constraint, "-loss")
    client.complete_trial(client.attach_trial({"x0": 0.25, "x1": 0.75}), {"loss": 0.0})
    run_trials(client, sphere, 6)

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
