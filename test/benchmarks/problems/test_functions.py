import math

import pytest
import torch

from botorch_popbo.benchmarks.cli._campaigns import shipped_campaigns
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.problems._functions import SyntheticProblem

HARTMANN_BEST = (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573)


@pytest.mark.parametrize(
    ("name", "point", "bounds", "num_initial"),
    [
        ("branin", (math.pi, 2.275), (-5.0, 10.0), 12),
        ("hartmann6", HARTMANN_BEST, (0.0, 1.0), 12),
        ("rosenbrock6", (1.0,) * 6, (-5.0, 10.0), 30),
        ("forrester", (0.7572487578418559,), (0.0, 1.0), 5),
    ],
)
def test_the_optimum_has_no_regret(
    name: str, point: tuple[float, ...], bounds: tuple[float, float], num_initial: int
) -> None:
    problem = PROBLEMS[name].load(None)
    parameters = {f"x{i}": value for i, value in enumerate(point)}
    assert list(problem.space.parameters) == list(parameters)
    assert problem.optimal_value is not None
    assert problem.score(parameters) == pytest.approx(problem.optimal_value, abs=1e-5)
    assert problem.evaluate(parameters, 3) == problem.score(parameters)
    assert (problem.space.parameters["x0"].low, problem.space.parameters["x0"].high) == bounds
    assert problem.num_initial == num_initial
    assert problem.minimize


@pytest.mark.parametrize("name", shipped_campaigns()["botorch-functions"]["problems"])
def test_an_optimum_is_in_the_domain_but_not_in_its_middle(name: str) -> None:
    problem = PROBLEMS[name].load(None)
    assert isinstance(problem, SyntheticProblem)
    low, high = torch.as_tensor(problem.function.bounds)
    middle = {f"x{i}": float(x) for i, x in enumerate((low + high) / 2.0)}
    assert problem.optimal_value is not None
    assert problem.score(middle) > problem.optimal_value + 1e-3
    if name != "michalewicz5":  # of which BoTorch does not know where it is
        optima = problem.function.optimizers.double()
        inside = [x for x in optima if bool(((x >= low) & (x <= high)).all())]
        found = min(problem.score({f"x{i}": float(v) for i, v in enumerate(x)}) for x in inside)
        assert found == pytest.approx(problem.optimal_value, abs=1e-4)
