import pytest
import torch

from botorch_popbo.benchmarks.cli.campaigns import load_campaign
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.problems.functions import SyntheticProblem

PAPERS = ["branin", "hartmann6", "rosenbrock6"]


@pytest.mark.parametrize("name", [*PAPERS, *load_campaign("botorch-functions")["problems"]])
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
