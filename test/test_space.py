import json
import math
import re
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from botorch.exceptions import BotorchTensorDimensionError, InputDataError
from botorch.exceptions.warnings import InputDataWarning
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.search.domain import Domain
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Parameter, Space

SPACE = Space.read(
    {
        "size": (-1.0, 3.0),
        "number": (2, 5),
        "cup": {"ordered": ["small", "large"]},
        "milk": ["none", "oat", "cow"],
        "rate": (1e-4, 1.0, "log"),
        "width": (8, 256, "log"),
    }
)


def test_points_of_the_unit_cube_fall_into_equal_parts() -> None:
    u = torch.tensor([0.0, 0.24, 0.26, 0.49, 0.51, 0.74, 0.76, 1.0]).double()
    X = SPACE.from_unit(u.unsqueeze(-1).expand(-1, 6))
    assert torch.allclose(X[:, 0], 4.0 * u - 1.0)
    assert X[:, 1].tolist() == [2, 2, 3, 3, 4, 4, 5, 5]
    assert X[:, 2].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert X[:, 3].tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert torch.allclose(X[:, 4], math.log(1e-4) * (1.0 - u))
    assert X[:, 5].exp().round().tolist()[::7] == [8, 256]


def test_there_and_back() -> None:
    X = SPACE.draw(64, seed=1)
    assert torch.allclose(SPACE.from_unit(SPACE.to_unit(X)), X)
    assert torch.equal(SPACE.draw(9, seed=1), X[:9])
    assert torch.equal(torch.stack([SPACE.encode(SPACE.decode(x)) for x in X]), X)
    assert [len(column.unique()) for column in X.T[1:4]] == [4, 2, 3]
    assert torch.equal(X.clamp(*SPACE.bounds), X)
    assert torch.equal(SPACE.snap(X), X)
    assert Space.read(json.loads(json.dumps(SPACE.to_json()))).parameters == SPACE.parameters


@given(
    offset=st.integers(-(2**52), 2**52),
    width=st.integers(1, 10**6),
    is_whole=st.booleans(),
    unit=st.floats(0.0, 1.0),
)
def test_there_and_back_far_from_zero(offset: int, width: int, is_whole: bool, unit: float) -> None:
    kind = int if is_whole else float
    space = Space.read({"x": (kind(offset), kind(offset + width))})
    x = space.from_unit(torch.tensor([unit], dtype=torch.double))
    value = space.decode(x)["x"]
    assert type(value) is kind
    assert offset <= value <= offset + width
    assert space.decode(space.encode({"x": value})) == {"x": value}
    space.check(x)
    back = space.to_unit(x)
    assert torch.equal(space.from_unit(back), x) or not is_whole
    part = 0.5 / (width + 1) if is_whole else 0.0  # in the middle of a part
    assert abs(float(back) - unit) <= part + 2.0 * math.ulp(max(abs(offset), width)) / width


def test_the_ends_of_a_logarithmic_range_are_reached() -> None:
    space = Space.read({"x": (1e-4, 1e3, "log")})
    unit = torch.tensor([[0.0], [1.0]], dtype=torch.double)
    for ends in (space.bounds, space.bounds * (1 - 1e-15), space.from_unit(unit)):
        assert [space.decode(x)["x"] for x in ends] == [1e-4, 1e3]


def test_a_model_sees_ends_at_0_and_1_and_categories_equally_far_apart() -> None:
    transform = SPACE.input_transform()
    encoded = transform(SPACE.bounds)
    assert encoded.shape == (2, SPACE.encoded_dim)
    assert encoded[:, :5].tolist() == [[0.0] * 5, [1.0] * 5]
    points = SPACE.bounds[[0, 0, 0]]
    points[:, 3] = torch.arange(3)
    assert torch.allclose(torch.pdist(transform(points)), torch.ones(3).double())


def test_what_is_long_is_searched_like_a_range_and_rounded() -> None:
    domain = Domain.of(SPACE, SearchSettings())
    assert set(domain.choices) == {1, 2, 3}
    assert domain.categorical == [3]
    assert domain.snap(SPACE.bounds + 0.01)[0, 5].item() == math.log(8)
    assert set(Domain.of(SPACE, SearchSettings(max_listed=1000)).choices) == {1, 2, 3, 5}
    few = Space.read({"n": (1, 500), "flag": [True, False]})
    assert set(Domain.of(few, SearchSettings()).choices) == {0, 1}
    assert (SPACE.num_points, few.num_points) == (math.inf, 1000)


def test_what_has_no_meaning_is_filled() -> None:
    parameters = {"kind": Parameter.of_choices("ab", False), "x": Parameter(0.0, 1.0)}
    space = Space(parameters, {"kind": {1.0: ["x"]}})
    assert space.encode({"kind": "a", "x": 0.9}).tolist() == [0.0, 0.5]
    assert space.encode({"kind": "b", "x": 0.9}).tolist() == [1.0, 0.9]
    drawn = space.draw(64, seed=0)
    assert len(drawn[drawn[:, 0] == 0.0].unique(dim=0)) == 1
    one, other = space.input_transform()(torch.tensor([[0.0, 0.1], [0.0, 0.9]]))
    assert torch.equal(one, other)


def test_bounds_are_a_space() -> None:
    bounds = torch.tensor([[0.0, -2.0], [1.0, 5.0]])
    space = Space.read(bounds)
    assert list(space.parameters) == ["x1", "x2"]
    assert torch.equal(space.bounds, bounds.double())
    with pytest.raises(BotorchTensorDimensionError, match="2 x d"):
        Space.read(bounds[0])


def test_what_numpy_makes_is_python_s_own() -> None:
    made: dict[str, Any] = {
        "layers": (np.int64(1), np.int64(5)),
        "share": (np.float32(0), np.float32(0.5)),
        "batch": list(np.arange(5, 0, -1)),
        "kernel": list(np.array(["rbf", "poly"])),
        "bias": [np.True_, np.False_],
        "constant": np.True_,
    }
    plain: dict[str, Any] = {"layers": (1, 5), "share": (0.0, 0.5), "batch": [5, 4, 3, 2, 1]}
    plain |= {"kernel": ["rbf", "poly"], "bias": [True, False], "constant": True}
    assert Space.read(made).key == Space.read(plain).key
    assert Space.read(plain).parameters["batch"].choices == (1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({}, "The space must be a dictionary such as"),
        ({1: (0, 1)}, "The name of a parameter must be a text; got 1."),
        ({"x": 3, "y": ["a"]}, "There is nothing to search"),
        ({"x": {}}, "x: {} is neither a tuple nor a list"),
        ({"x": {"choices": [1, 2], "step": 1}}, "is neither a tuple nor a list"),
        (
            {"x": {"range": [0.0, 1.0], "step": 0.3}},
            "x: The step 0.3 does not divide the range from 0.0 to 1.0. End it at 0.9 or 1.2.",
        ),
        (
            {"x": {"range": [1, 3], "step": 4}},
            "The step 4 does not divide the range from 1 to 3. End it at 5.",
        ),
        ({"x": {"range": [0.0, 1.0], "step": 0}}, "The step must be a positive number. Got 0"),
        ({"x": {"range": [1.0, 3.0, "log"], "step": 1}}, "a logarithmic range has none. Got 1"),
        ({"x": {"range": [0, 1], "step": "a"}}, "The step must be a positive number"),
        (
            {"x": {"range": (0.0, 1.0), "stepp": 0.1}},
            "'stepp' is none of the keys range, step",
        ),
        ({"x": {"low": 0.0, "high": 1.0}}, "x: 'low' is none of the keys range, step, choices, "),
        ({"x": None}, "x: None is neither a tuple nor a list; write (low, high)"),
        ({"x": {"a", "b"}}, "is neither a tuple nor a list"),
        ({"x": ("rbf", "poly")}, "[a, b, c] for choices"),
        ({"x": (0, True)}, "is not a range"),
        ({"x": (0.0, float("inf"))}, "is not a range"),
        ({"x": (-1.7e308, 1.7e308)}, "and a finite width; got -1.7e+308 and 1.7e+308"),
        ({"x": (0, 1, "linear")}, "A third entry is \"log\", not 'linear'"),
        ({"x": (16, 32, 64)}, "and choices are a list, [16, 32, 64]."),
        ({"x": (1, 1)}, "two finite ends, the lower one first; got 1 and 1"),
        ({"x": (0, 1, "log")}, "must be above zero; 0 is not"),
        ({"x": [1, 1.0, 2]}, "x: List at least two different choices"),
        ({"x": ["a", 1]}, "all text, all numbers or all truth values"),
        ({"x": [1.0, float("nan")]}, "must be finite"),
    ],
)
def test_what_is_no_space_is_refused_by_name(space: Any, message: str) -> None:
    with pytest.raises(InputDataError, match=re.escape(message)):
        Space.read(space)


def test_points_are_of_the_space_but_for_rounding() -> None:
    inside = SPACE.draw(1, seed=0)
    SPACE.check(inside)
    SPACE.check(inside * (1.0 + 1e-7 * torch.tensor([1.0, 0, 0, 0, 0, 0])))


@pytest.mark.parametrize(
    ("notation", "value", "message"),
    [
        ((-1.0, 3.0), 6.5, r"x holds numbers from -1 to 3, but was given 6\.5"),
        ((2, 5), 6.5, "x holds whole numbers from 2 to 5"),
        ((0, 3_000_000), 0.4, "whole"),
        ((1_000_000_000, 1_000_000_010), 1_000_000_020.0, "whole"),
        ({"range": (0.0, 1.0), "step": 0.1}, 0.3 + 1e-6, "numbers in steps of 0.1"),
    ],
)
def test_points_of_no_value_are_refused(notation: Any, value: float, message: str) -> None:
    with pytest.raises(InputDataError, match=message):
        Space.read({"x": notation}).check(torch.tensor([[value]], dtype=torch.double))


@pytest.mark.parametrize(
    ("notation", "values"),
    [
        ({"range": [0.0, 1.0], "step": 0.25}, [0.0, 0.25, 0.5, 0.75, 1.0]),
        ({"range": [2, 10], "step": 4}, [2, 6, 10]),
        ({"range": [0, 1], "step": 0.5}, [0, 0.5, 1]),
    ],
)
def test_a_range_may_have_steps(notation: Any, values: list[float]) -> None:
    space = Space.read({"x": notation})
    assert space.num_points == len(values)
    drawn = {space.decode(x)["x"] for x in space.draw(64, seed=0)}
    assert sorted(drawn) == values
    assert Space.read(space.to_json()).key == space.key


def test_a_step_is_the_same_however_it_is_written() -> None:
    space = Space.read({"x": {"range": (0.0, 1.0), "step": 0.1}})
    written = torch.arange(11).unsqueeze(-1).double() / 10.0
    points = torch.stack([space.encode({"x": x}) for x in written.flatten().tolist()])
    assert points.flatten().tolist() == space.parameters["x"].places()
    space.check(written)
    space.check(written.float())


def test_a_part_of_a_space_is_searched_and_the_model_stays() -> None:
    part = SPACE.at_places({"size": 9.0, "milk": 1.0, "width": math.log(37.5)})
    drawn = part.draw(16, seed=1)
    assert (drawn[:, [0, 3, 5]] == drawn.new_tensor([9.0, 1.0, math.log(37.5)])).all()
    assert torch.equal(drawn[:, [1, 2, 4]], SPACE.draw(16, seed=1)[:, [1, 2, 4]])
    domain = Domain.of(part, SearchSettings())
    assert torch.equal(domain.snap(drawn), drawn)
    assert [domain.choices[i] for i in (0, 3)] == [[9.0], [1.0]]
    assert domain.categorical == []
    assert part.key == SPACE.key
    assert SPACE.fixed == {}


def test_two_numbers_that_look_like_a_range_are_warned_of() -> None:
    for notation, hint in (
        ([0.0, 1.0], r"x: \[0.0, 1.0\] are two .* written \(0.0, 1.0\)"),
        ((0, 1), r"are whole numbers; .* written \(0.0, 1.0\)"),
        ({"range": [0, 1]}, "are whole numbers"),
    ):
        with pytest.warns(InputDataWarning, match=hint):
            assert Space.read({"x": notation}).num_points == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Space.read({"x": {"choices": [0.0, 1.0]}, "y": [0.0, 0.5, 1.0], "z": [0, 1]})
        Space.read({"x": (0, 1.0), "y": (1, 2), "z": {"range": (0, 1), "step": 1}})


def test_distributions_of_optuna_are_read() -> None:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    read = Space.read(
        {
            "rate": FloatDistribution(1e-4, 1.0, log=True),
            "share": FloatDistribution(0.0, 1.0, step=0.25),
            "depth": IntDistribution(1, 9, step=2),
            "width": IntDistribution(8, 256, log=True),
            "seed": IntDistribution(3, 3),
            "kernel": {"rbf": {"gamma": FloatDistribution(0.0, 2.0)}, "linear": {}},
            "milk": CategoricalDistribution(["oat", "cow"]),
        }
    )
    written = {
        "rate": (1e-4, 1.0, "log"),
        "share": {"range": (0.0, 1.0), "step": 0.25},
        "depth": {"range": (1, 9), "step": 2},
        "width": (8, 256, "log"),
        "seed": 3,
        "kernel": {"rbf": {"gamma": (0.0, 2.0)}, "linear": {}},
        "milk": ["oat", "cow"],
    }
    assert read.to_json() == Space.read(written).to_json()
