import math
from typing import Any

import pytest
from botorch.exceptions import InputDataError
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from botorch_popbo.optuna._axis import Axis

GRIDS: list[tuple[BaseDistribution, list[Any]]] = [
    (IntDistribution(-1, 5, step=2), [-1, 1, 3, 5]),
    (IntDistribution(1, 3, log=True), [1, 2, 3]),
    (FloatDistribution(-10.2, -9.9, step=0.1), [-10.2, -10.1, -10.0, -9.9]),
    (CategoricalDistribution([None, "a", 3.0]), [None, "a", 3.0]),
]


@pytest.mark.parametrize(("distribution", "values"), GRIDS)
def test_a_grid_is_its_values(distribution: BaseDistribution, values: list[Any]) -> None:
    axis = Axis(distribution)
    assert axis.values is not None
    found = [axis.value(place) for place in axis.values]
    assert found == pytest.approx(values) if isinstance(values[0], float) else found == values
    assert [type(value) for value in found] == [type(value) for value in values]
    assert [axis.place(value) for value in found] == axis.values == sorted(axis.values)
    assert (axis.low, axis.high) == (axis.values[0], axis.values[-1])
    assert axis.middle in axis.values


@pytest.mark.parametrize(("distribution", "values"), GRIDS)
def test_all_values_are_drawn(distribution: BaseDistribution, values: list[Any]) -> None:
    axis = Axis(distribution)
    assert axis.values is not None
    drawn = [axis.at((i + 0.5) / 1200) for i in range(1200)]
    assert sorted(set(drawn)) == axis.values
    if not isinstance(distribution, IntDistribution) or not distribution.log:
        assert {drawn.count(value) for value in axis.values} == {1200 // len(values)}


def test_a_range_has_its_scale() -> None:
    axis = Axis(FloatDistribution(1e-4, 1.0, log=True))
    assert axis.values is None
    assert not axis.is_relaxed
    assert axis.place(1e-4) == axis.low == math.log(1e-4)
    assert axis.value(axis.at(0.5)) == pytest.approx(1e-2)
    assert (axis.value(axis.low - 1e-9), axis.value(axis.high + 1e-9)) == (1e-4, 1.0)


@pytest.mark.parametrize("log", [False, True])
def test_a_fine_grid_is_searched_like_a_range_and_rounded(log: bool) -> None:
    axis = Axis(IntDistribution(1, 10**9, log=log))
    assert axis.values is None
    assert axis.is_relaxed
    assert axis.value(axis.place(123) + 1e-4) == 123
    assert axis.rounded(axis.place(123) + 1e-4) == axis.place(123)
    assert (axis.value(axis.low), axis.value(axis.high)) == (1, 10**9)


@pytest.mark.parametrize("ends", [(0.0, math.inf), (-math.inf, math.inf), (-1.7e308, 1.7e308)])
def test_a_range_without_a_width_is_refused(ends: tuple[float, float]) -> None:
    with pytest.raises(InputDataError, match="width of a range"):
        Axis(FloatDistribution(*ends))
