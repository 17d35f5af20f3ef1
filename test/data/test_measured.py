import math

import pytest
import torch
from botorch.exceptions import InputDataError

from botorch_popbo.data._measured import Measured

X = torch.tensor([[0.0], [1.0], [2.0], [3.0]]).double()
FAILED = -math.inf


def measured(objectives: list[list[float]], slack: list[list[float]]) -> Measured:
    y, s = torch.tensor(objectives).double(), torch.tensor(slack).double()
    unknown = torch.nan
    return Measured(X, y, torch.full_like(y, unknown), s, torch.full_like(s, unknown), s[:, :0])


def test_each_objective_has_an_order_of_all_points() -> None:
    both = measured([[1.0, 9.0], [2.0, 8.0], [FAILED, FAILED], [0.0, 7.0]], [[1.0]] * 4)
    first, second = both.objective_orders()
    assert first.score.tolist() == [1.0, 2.0, FAILED, 0.0]
    assert second.score.tolist() == [9.0, 8.0, FAILED, 7.0]


def test_slacks_of_successes_are_ordered_where_one_is_violated() -> None:
    slack = [[1.0, 1.0], [-1.0, 2.0], [-9.0, -9.0], [3.0, 3.0]]
    (order,) = measured([[1.0], [2.0], [FAILED], [0.0]], slack).slack_orders()
    assert order.score.tolist() == [1.0, -1.0, 3.0]


def test_one_point_has_no_order() -> None:
    one = measured([[1.0]] * 4, [[1.0]] * 4)
    alone = Measured(*(part[:1] for part in vars(one).values()))
    with pytest.raises(InputDataError):
        alone.objective_orders()
