import math

import pytest
import torch
from botorch.exceptions import InputDataError
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo.ax._goal import Goal
from botorch_popbo.data import Order, RankCounts

INF = math.inf


def dataset(values: dict[int, float], trials: dict[int, int] | None = None) -> SupervisedDataset:
    """One metric's outcomes by point; point ``i`` belongs to trial ``i`` unless told otherwise."""
    return SupervisedDataset(
        X=torch.tensor([[float(i)] for i in values]).double(),
        Y=torch.tensor([[y] for y in values.values()]).double(),
        feature_names=["x"],
        outcome_names=["y"],
        group_indices=torch.tensor([(trials or {}).get(i, i) for i in values]),
    )


def row(*weights: float) -> Tensor:
    return torch.tensor([weights], dtype=torch.double)


def as_dict(order: Order) -> dict[float, float]:
    counts = RankCounts.from_order(order)
    return dict(zip(counts.X[:, 0].tolist(), counts.counts.tolist(), strict=True))


def test_feasible_points_come_first_then_less_violated_ones_then_failures() -> None:
    loss = dataset({0: -5.0, 1: -1.0, 2: -2.0, 3: -INF, 4: -9.0})
    cost = dataset({0: 1.0, 1: 3.0, 2: 0.5, 4: 5.0})  # the failed point has none
    goal = Goal(row(1, 0), (row(0, 1), row(2)))
    assert as_dict(goal.measured([loss, cost]).feasible_first(0)) == {2: 0, 0: 1, 1: 2, 4: 3, 3: 4}


def test_points_without_a_deciding_metric_are_left_out() -> None:
    loss, cost = dataset({0: -5.0, 1: -1.0, 2: -2.0}), dataset({0: 1.0, 2: 1.0})
    tracked = dataset({1: 0.0})
    goal = Goal(row(1, 0, 0), (row(0, 1, 0), row(2)))
    assert goal.metrics == [0, 1]
    assert as_dict(goal.measured([loss, cost, tracked]).feasible_first(0)) == {2: 0, 0: 1}
    with pytest.raises(InputDataError, match="two distinct points"):
        _ = goal.measured([loss, dataset({0: 1.0})]).feasible_first(0)


def test_replicates_in_several_trials_are_one_point() -> None:
    X = torch.tensor([[0.0], [0.0], [1.0]], dtype=torch.double)
    groups = torch.tensor([4, 7, 5])
    loss, cost = (
        SupervisedDataset(
            X,
            torch.tensor(y).double().unsqueeze(-1),
            feature_names=["x"],
            outcome_names=["y"],
            group_indices=groups,
        )
        for y in ([1.0, 5.0, 2.0], [0.0, 1.0, 0.0])
    )
    summed = Goal(row(1, -1)).measured([loss, cost]).feasible_first(0)
    assert as_dict(summed) == {0.0: 0, 1.0: 1}  # the mean of 1 and 4 against 2


def test_objectives_are_traded_off_differently_for_every_number_of_points() -> None:
    points = range(30)
    first = dataset({i: math.sin(i) for i in points})
    second = dataset({i: math.cos(i) for i in points})
    goal = Goal(torch.eye(2, dtype=torch.double))
    once, again = (goal.measured([first, second]).feasible_first(0) for _ in range(2))
    assert torch.equal(once.score, again.score)
    best = {
        goal.measured([first, second]).feasible_first(seed).score.argmax().item()
        for seed in range(20)
    }
    dominated = {
        i for i in points for j in points if first.Y[j] > first.Y[i] and second.Y[j] > second.Y[i]
    }
    assert len(best) > 1
    assert not best & dominated


def test_values_below_a_threshold_are_violations() -> None:
    first, second = dataset({0: 9.0, 1: 4.0, 2: 3.0}), dataset({0: 0.0, 1: 2.0, 2: 1.0})
    threshold = torch.tensor([math.nan, 1.5], dtype=torch.double)
    goal = Goal(torch.eye(2, dtype=torch.double), objective_thresholds=threshold)
    measured = goal.measured([first, second])
    assert as_dict(measured.feasible_first(0)) == {1: 0, 2: 1, 0: 2}
    assert measured.excess.tolist() == [[-1.5], [0.5], [-0.5]]
    assert measured.slack_orders() == []


def test_a_failure_fails_in_every_objective() -> None:
    first, second = dataset({0: 9.0, 1: -INF, 2: 3.0}), dataset({0: 0.0, 1: 2.0, 2: 1.0})
    measured = Goal(torch.tensor([[1.0, 0.0], [1.0, 2.0]]).double()).measured([first, second])
    assert measured.objectives.tolist() == [[9.0, 9.0], [-INF, -INF], [3.0, 5.0]]


def test_slacks_are_kept_of_constraints_that_a_success_violates() -> None:
    loss = dataset({0: -5.0, 1: -1.0, 2: -2.0, 3: -INF})
    cost, size = dataset({0: 1.0, 1: 3.0, 2: 0.5}), dataset({0: 1.0, 1: 1.0, 2: 1.0})
    bounds = torch.tensor([[0.0, 2.0, 0.0], [0.0, 0.0, -1.0]], dtype=torch.double)
    goal = Goal(row(1, 0, 0), (bounds, torch.tensor([[4.0], [-0.5]]).double()))
    measured = goal.measured([loss, cost, size])
    assert measured.slack[:3].tolist() == [[2.0, 0.5], [-2.0, 0.5], [3.0, 0.5]]
    [slack] = measured.slack_orders()
    assert slack.X.tolist() == [[0.0], [1.0], [2.0]]
    assert slack.score.tolist() == [2.0, -2.0, 3.0]


def test_known_variances_reach_sums_and_slacks() -> None:
    loss, cost = dataset({0: -5.0, 1: -1.0, 2: -2.0}), dataset({0: 1.0, 1: 3.0, 2: 0.5})
    loss._Yvar = torch.tensor([[0.1], [0.2], [0.3]]).double()
    summed = Goal(row(2, -1)).measured([loss, cost])
    assert summed.variance.isnan().all(), "nothing is known of the costs"
    cost._Yvar = torch.tensor([[0.4], [0.5], [math.nan]]).double()
    measured = Goal(row(2, -1), (row(0, 3), row(6))).measured([loss, cost])
    [value], [slack] = measured.objective_orders(), measured.slack_orders()
    torch.testing.assert_close(value.variance[:2], torch.tensor([0.8, 1.3]).double())
    torch.testing.assert_close(slack.variance[:2], torch.tensor([3.6, 4.5]).double())
    assert value.variance[2] == value.variance[:2].mean(), "unknown ones are as the others"


def test_outcomes_of_no_standard_error_are_exact() -> None:
    loss = dataset({0: -5.0, 1: -1.0, 2: -INF, 3: -2.0})
    [unknown] = Goal(row(1)).measured([loss]).objective_orders()
    loss._Yvar = torch.tensor([[0.0], [0.0], [math.nan], [0.0]]).double()
    [exact] = Goal(row(1)).measured([loss]).objective_orders()
    assert (unknown.is_exact, exact.is_exact) == (False, True)


def test_one_success_cannot_be_compared() -> None:
    loss, cost = dataset({0: -5.0, 1: -INF}), dataset({0: 3.0})
    measured = Goal(row(1, 0), (row(0, 1), row(2))).measured([loss, cost])
    assert measured.slack_orders() == []
    assert as_dict(measured.feasible_first(0)) == {0: 0, 1: 1}


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (Goal(row(0, 2)), True),
        (Goal(row(0, -1)), False),
        (Goal(row(1, 1)), False),
        (Goal(row(1, 0), (row(0, 1), row(2))), False),
        (Goal(torch.eye(2)), False),
    ],
)
def test_a_single_maximised_metric_needs_no_ranking_of_its_own(goal: Goal, expected: bool) -> None:
    assert goal.is_one_metric == expected
