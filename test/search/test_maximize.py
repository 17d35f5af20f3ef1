import random
from dataclasses import replace

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize
from torch import Tensor

from botorch_popbo import LogExpectedUtilityImprovement, RankingGP
from botorch_popbo.models.input_transforms import InactiveColumns
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import maximize
from botorch_popbo.settings import SearchSettings

TARGET = torch.tensor([0.31, 2.2]).double()
BOUNDS = torch.tensor([[0.0, 0.0], [1.0, 4.0]]).double()
RANGES = Domain(BOUNDS, {}, (), lambda X: X)
MIXED = replace(RANGES, choices={1: [0.0, 1.0, 2.0, 3.0, 4.0]})
MANY = replace(RANGES, choices={1: [0.0625 * i for i in range(65)]})
CATEGORY = replace(MIXED, categorical=[1])
TABLE = replace(MIXED, choices={0: [0.0, 0.5, 1.0], **MIXED.choices})
ROUNDED = replace(RANGES, snap=lambda X: (4.0 * X).round() / 4.0)
NONE = BOUNDS[:0]


def manual(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class Bowl(AcquisitionFunction):
    """The closer to a target the better."""

    def __init__(self) -> None:
        super().__init__(SingleTaskGP(BOUNDS / 4.0, BOUNDS[:, :1]))

    def forward(self, X: Tensor) -> Tensor:
        return -(X - TARGET).square().sum(-1).squeeze(-1)


class Pit(Bowl):
    """A wide basin, and a narrow one that numbers and choices lead to in turn only."""

    def forward(self, X: Tensor) -> Tensor:
        slanted = X[..., 0] - X[..., 1] / 4.0
        narrow = 2.0 * torch.exp(-20.0 * slanted.square() - 0.5 * (X[..., 1] - 3.5).square())
        return super().forward(X) + narrow.squeeze(-1)


@pytest.mark.parametrize("choices", [{}, {1: [0.0, 1.0, 2.0]}])
def test_the_unit_of_a_parameter_changes_nothing(choices: dict[int, list[float]]) -> None:
    X = torch.rand(12, 2, dtype=torch.double, generator=manual(0))
    found = []
    for unit in (1.0, 1e4, 1e-4):
        scale = torch.tensor([unit, 1.0]).double()
        transform = Normalize(2, bounds=BOUNDS * scale)
        Y = -(X - 0.4).square().sum(-1, keepdim=True)
        model = RankingGP(X * BOUNDS[1] * scale, Y, input_transform=transform).fit()
        domain = replace(RANGES, bounds=BOUNDS * scale, choices=choices)
        x = maximize(LogExpectedUtilityImprovement(model), domain, model.known_X, 0)
        found.append(x / scale)
    torch.testing.assert_close(found[1:], found[:1] * 2, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_of_many_choices_the_best_is_found_by_turns(seed: int) -> None:
    grid = torch.cartesian_prod(torch.linspace(0.0, 1.0, 1001), torch.arange(65) / 16.0)
    best = Pit()(grid.double().unsqueeze(-2)).max()
    found = maximize(Pit(), MANY, NONE, seed)
    assert float(Pit()(found.view(1, 1, -1))) > float(best) - 1e-2
    assert float(16.0 * found[1]).is_integer()
    # The target is between two of them, and close to a start that is on none.
    bounds = torch.tensor([[0.0, 0.0], [1.0, 40.0]]).double()
    domain = replace(RANGES, bounds=bounds, choices={1: [0.625 * i for i in range(65)]})
    assert maximize(Bowl(), domain, NONE, seed)[1] in (1.875, 2.5)


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        (RANGES, [0.31, 2.2]),
        (MIXED, [0.31, 2.0]),
        (MANY, [0.31, 2.1875]),
        (CATEGORY, [0.31, 2.0]),
        (TABLE, [0.5, 2.0]),
        (ROUNDED, [0.25, 2.25]),
    ],
    ids=["ranges", "mixed", "many", "category", "table", "rounded"],
)
def test_the_best_point_of_every_kind_of_space_is_found(
    domain: Domain, expected: list[float]
) -> None:
    before = torch.get_rng_state()
    best = maximize(Bowl(), domain, NONE, seed=0)
    assert best.tolist() == pytest.approx(expected, abs=1e-3)
    assert torch.equal(torch.get_rng_state(), before)


def large_table(dim: int, *values: float) -> Domain:
    """All combinations of the same values of every column."""
    bounds = torch.tensor([[values[0]] * dim, [values[-1]] * dim]).double()
    return Domain(bounds, dict.fromkeys(range(dim), values), range(dim), lambda X: X)


def test_in_a_large_table_no_other_value_is_better() -> None:
    dim, values = 12, torch.linspace(0.0, 1.0, 5).double()
    X = values[torch.randint(5, (30, dim), generator=manual(0))]
    model = RankingGP(X, -(X - torch.linspace(0.0, 1.0, dim)).abs().sum(-1, keepdim=True)).fit()
    acquisition = LogExpectedUtilityImprovement(model)
    best = maximize(acquisition, large_table(dim, *values.tolist()), X, seed=0)
    beside = best.repeat(dim, len(values), 1)
    for column in range(dim):
        beside[column, :, column] = values
    with torch.no_grad():
        value = acquisition(best.view(1, 1, -1)) + 1e-12  # a batch adds in another order
        assert acquisition(beside.reshape(-1, 1, dim)).max() <= value


@pytest.mark.parametrize("left", [0, 1])
def test_a_large_table_of_few_different_points_is_used_up(left: int) -> None:
    dim = 8

    def inactive(X: Tensor) -> Tensor:  # all but one column have no meaning
        return torch.cat([X[..., :1], torch.zeros_like(X[..., 1:])], dim=-1)

    settings = SearchSettings(max_candidates=100)
    domain = replace(large_table(dim, 0.0, 1.0), inactive=inactive, settings=settings)
    points = torch.zeros(2, dim).double()
    points[1, 0] = 1.0
    model = RankingGP(points, points[:, :1]).fit()
    known = points[: len(points) - left]
    best = maximize(LogExpectedUtilityImprovement(model), domain, known, seed=0)
    assert (best == points[-1]).all() or not left


def test_of_many_categories_the_seed_alone_chooses() -> None:
    bounds = torch.tensor([[0.0, 0.0], [1.0, 25.0]]).double()
    domain = Domain(bounds, {1: [0.25 * i for i in range(101)]}, [1], lambda X: X)
    found = []
    for state in (1, 2):
        random.seed(state)
        before = random.getstate()
        found.append(maximize(Bowl(), domain, NONE, seed=0))
        assert random.getstate() == before
    assert torch.equal(*found)


@pytest.mark.parametrize("domain", [TABLE, ROUNDED], ids=["table", "rounded"])
def test_a_known_point_gives_way_to_another_one(domain: Domain) -> None:
    best = maximize(Bowl(), domain, NONE, seed=0)
    second = maximize(Bowl(), domain, best.unsqueeze(0), seed=0)
    assert not torch.equal(second, best)
    assert torch.equal(domain.snap(second), second)
    assert (second - best).abs().max() <= 1.0


def test_where_all_points_are_known_the_best_comes_again() -> None:
    known = torch.cartesian_prod(*(torch.tensor(v).double() for v in TABLE.choices.values()))
    assert maximize(Bowl(), TABLE, known, seed=0).tolist() == [0.5, 2.0]


def test_points_that_differ_in_a_column_without_a_meaning_are_one() -> None:
    inactive = InactiveColumns({0: {1.0: [1]}}, {1: 3.0})
    domain = replace(TABLE, inactive=inactive)
    # Beside 0.5 the second column stands in the middle, too far off.
    assert maximize(Bowl(), domain, NONE, seed=0).tolist() == [1.0, 2.0]


def test_settings_reach_the_optimizer() -> None:
    coarse = SearchSettings(num_raw=2, num_starts=1, max_steps=1)
    domains = (replace(RANGES, settings=settings) for settings in (coarse, SearchSettings()))
    found = [maximize(Bowl(), domain, NONE, seed=0) for domain in domains]
    assert Bowl()(found[0][None]) < Bowl()(found[1][None])
