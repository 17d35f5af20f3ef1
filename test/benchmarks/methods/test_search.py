from dataclasses import replace

import pytest
import torch
from ax.api.configs import RangeParameterConfig
from botorch.acquisition import PosteriorMean
from helpers.peers import CONTINUOUS, MIXED, TABLE
from torch import Tensor

from botorch_popbo.ax import parameter_configs
from botorch_popbo.benchmarks.methods._bore import Bore
from botorch_popbo.benchmarks.methods._search import features, maximize, one_hot, uniform_points
from botorch_popbo.benchmarks.methods._surrogates import MomentModel
from botorch_popbo.benchmarks.methods._turbo import Turbo
from botorch_popbo.benchmarks.methods.base import TensorOptimizer
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Setting


def _nearness(target: Tensor) -> PosteriorMean:
    def moments(X: Tensor) -> tuple[Tensor, Tensor]:
        return -(X - target).square().sum(-1), torch.ones_like(X[..., 0])

    return PosteriorMean(MomentModel(moments))


@pytest.mark.parametrize("problem", [CONTINUOUS, MIXED, TABLE], ids=lambda problem: problem.name)
def test_the_best_point_is_found(problem: Problem) -> None:
    torch.manual_seed(0)
    encoding = Encoding(problem.parameters)
    points = [uniform_point(problem.parameters, problem.name, 0, trial) for trial in range(2)]
    target, known = map(encoding.encode, points)
    found = maximize(_nearness(target), encoding, known.unsqueeze(0), seed=0)
    torch.testing.assert_close(found, target, atol=1e-3, rtol=0)
    assert (
        encoding.decode(found).items()
        >= {
            name: value for name, value in points[0].items() if not isinstance(value, float)
        }.items()
    )


@pytest.mark.parametrize("high", [40, 4000])
def test_what_is_rounded_to_a_known_point_is_another_one(high: int) -> None:
    """Of two integers, of which there are few or too many to list."""
    parameters = [RangeParameterConfig(f"x{i}", (1, high), "int", scaling="log") for i in range(2)]
    encoding = Encoding(parameters)
    known = torch.stack([encoding.encode({"x0": 7, "x1": other}) for other in (7, 8, 9)])
    # Between two integers, and nearest to the first.
    found = maximize(_nearness(known[0] + 1e-3), encoding, known, seed=0)
    assert encoding.decode(found) not in [encoding.decode(x) for x in known]
    torch.testing.assert_close(encoding.encode(encoding.decode(found)), found, atol=0, rtol=0)


@pytest.mark.parametrize("method", [Turbo, Bore])
def test_a_method_with_candidates_does_not_repeat_whole_numbers(
    method: type[TensorOptimizer],
) -> None:
    parameters = tuple(RangeParameterConfig(f"x{i}", (1, 9), "int") for i in range(2))
    problem = replace(CONTINUOUS, name="integers", parameters=parameters)
    optimizer = method(problem, Setting("integers", "method", 6, 0))
    told = []
    for trial in range(16):
        if trial < 6:
            point = uniform_point(parameters, problem.name, 0, trial)
        else:
            point = optimizer.suggest(trial).parameters
            assert point not in told
        optimizer.observe(point, problem.score(point))
        told.append(point)


def test_a_known_point_of_a_table_is_left_out() -> None:
    encoding = Encoding(TABLE.parameters)
    known = uniform_points(encoding, 5)
    found = maximize(_nearness(known[0]), encoding, known, seed=0)
    assert not (found == known).all(-1).any()


def test_a_table_of_which_all_is_known_is_searched_again() -> None:
    parameters = parameter_configs({"x": ["a", "b"], "y": ["c", "d"]})
    encoding = Encoding(parameters)
    known = torch.cartesian_prod(*encoding.choices.values())
    found = maximize(_nearness(known[2]), encoding, known, seed=0)
    assert torch.equal(found, known[2])


def test_uniform_points_are_members_of_the_space() -> None:
    encoding = Encoding(MIXED.parameters)
    points = uniform_points(encoding, 500)
    assert (points >= encoding.bounds[0]).all()
    assert (points <= encoding.bounds[1]).all()
    for i, codes in encoding.choices.items():
        assert torch.equal(points[:, i].unique(), codes)


def test_categories_are_as_far_apart_as_the_ends_of_a_range() -> None:
    encoding = Encoding(MIXED.parameters)
    rbf, poly = torch.zeros(2, 7, dtype=torch.float64)
    poly[6] = 2.0
    assert float((features(encoding, rbf) - features(encoding, poly)).norm()) == pytest.approx(1)
    assert one_hot(Encoding(CONTINUOUS.parameters)) is None
    assert torch.equal(features(Encoding(CONTINUOUS.parameters), rbf[:2]), rbf[:2])
