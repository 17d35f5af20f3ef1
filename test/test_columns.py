import json
import math

import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError

from botorch_popbo.columns import Column, Columns

COLUMNS = Columns(
    {
        "size": Column.continuous(-1, 3),
        "number": Column.integer(2, 5),
        "cup": Column.ordered(["small", "large"]),
        "milk": Column.categorical(["none", "oat", "cow"]),
    }
)


def test_points_of_the_unit_cube_fall_into_equal_parts() -> None:
    u = torch.tensor([0.0, 0.24, 0.26, 0.49, 0.51, 0.74, 0.76, 1.0]).double()
    X = COLUMNS.from_unit(u.unsqueeze(-1).expand(-1, 4))
    assert torch.allclose(X[:, 0], 4.0 * u - 1.0)
    assert X[:, 1].tolist() == [2, 2, 3, 3, 4, 4, 5, 5]
    assert X[:, 2].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert X[:, 3].tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


def test_there_and_back() -> None:
    X = COLUMNS.draw(64, seed=1)
    assert torch.allclose(COLUMNS.from_unit(COLUMNS.to_unit(X)), X)
    assert torch.equal(COLUMNS.draw(9, seed=1), X[:9])
    assert [len(column.unique()) for column in X.T[1:]] == [4, 2, 3]


def test_categories_are_equally_far_apart_for_a_model() -> None:
    transform = COLUMNS.input_transform()
    encoded = transform(torch.tensor([[3.0, 5, 1, k] for k in range(3)]).double())
    assert encoded.shape == (3, COLUMNS.encoded_dim)
    assert torch.allclose(encoded[:, :3], torch.ones(3, 3).double())
    assert torch.allclose(torch.pdist(encoded), torch.ones(3).double())


def test_all_columns_may_be_categorical() -> None:
    columns = Columns({"milk": Column.categorical(["none", "oat"])})
    assert columns.input_transform()(columns.bounds).shape == (2, columns.encoded_dim)


def test_points_are_described_by_name_and_kept_as_json() -> None:
    point = torch.tensor([0.5, 3.0, 1.0, 2.0]).double()
    told = {"size": 0.5, "number": 3, "cup": "large", "milk": "cow"}
    assert COLUMNS.describe(point) == told
    assert Columns.from_json(COLUMNS.to_json()).describe(point) == told


def test_what_lacks_the_last_digit_is_not_cut_off() -> None:
    point = torch.nextafter(torch.tensor([0.5, 3.0, 1.0, 2.0]).double(), COLUMNS.bounds[0])
    assert COLUMNS.describe(point) == {"size": point[0], "number": 3, "cup": "large", "milk": "cow"}


def test_lists_among_values_are_tuples_also_after_a_round_trip() -> None:
    values = [(64, 64), [128, [2.0, "relu"]]]
    columns = Columns({"layers": Column.categorical(values)})
    again = Columns.from_json(json.loads(json.dumps(columns.to_json())))
    assert again.by_name == columns.by_name
    assert columns.by_name["layers"].values == ((64, 64), (128, (2.0, "relu")))


def test_bounds_are_columns() -> None:
    bounds = torch.tensor([[0.0, -2.0], [1.0, 5.0]])
    columns = Columns.from_bounds(bounds)
    assert list(columns.by_name) == ["x1", "x2"]
    assert torch.equal(columns.bounds, bounds.double())
    with pytest.raises(BotorchTensorDimensionError, match="2 x d"):
        Columns.from_bounds(bounds[0])


def test_bounds_keep_all_their_digits() -> None:
    column = Column.continuous(0.1, 0.1 + 1e-12)
    assert Columns({"x": column}).bounds.flatten().tolist() == [column.low, column.high]
    largest = Columns({"n": Column.integer(0, 2**24 + 1)}).from_unit(torch.ones(1).double())
    assert largest.item() == 2**24 + 1


def test_bad_columns_are_named() -> None:
    for low, high in ((1.0, 1.0), (2.0, 1.0), (0.0, math.inf), (math.nan, 1.0)):
        with pytest.raises(InputDataError, match="below its upper bound"):
            Column.continuous(low, high)
    for values in ([], ["one"], ["one", "one"]):
        with pytest.raises(InputDataError, match="two different values"):
            Column.categorical(values)
    for make in (Column.ordered, Column.categorical):
        with pytest.raises(InputDataError, match="no order that lasts"):
            make({"oat", "cow"})  # type: ignore[arg-type]
    with pytest.raises(InputDataError, match="named by a text, not by 1"):
        Columns({1: Column.integer(1, 4)})  # type: ignore[dict-item]
    with pytest.raises(InputDataError, match="no column"):
        Columns({})


@pytest.mark.parametrize("high", [math.inf, math.nan, 0.5])
def test_an_end_of_whole_numbers_is_checked(high: float) -> None:
    with pytest.raises(InputDataError, match="below its upper bound"):
        Column.integer(0, high)  # type: ignore[arg-type]


def test_a_width_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputDataError, match=r"from -1e\+308 to 1e\+308 has no finite width"):
        Column.continuous(-1e308, 1e308)


def test_points_are_of_the_space_but_for_rounding() -> None:
    inside = torch.tensor([[3.0, 2.0, 0.0, 2.0]]).double()
    COLUMNS.check(inside)
    COLUMNS.check(inside * (1.0 + 1e-7 * torch.tensor([1.0, 0.0, 0.0, 0.0])))
    with pytest.raises(
        InputDataError, match=r"size holds numbers from -1 to 3, but was given 3\.1"
    ):
        COLUMNS.check(inside + torch.tensor([0.1, 0.0, 0.0, 0.0]))
