from itertools import pairwise
from pathlib import Path

import pytest
import torch
from ax.api.configs import RangeParameterConfig

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Parameters

from .conftest import CHOICES, INTEGERS, RANGES


def close(found: Parameters, expected: Parameters) -> bool:
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert type(found[name]) is type(value)
        assert found[name] == (pytest.approx(value, rel=1e-12) if type(value) is float else value)
    return True


EVERY_KIND = ("sklearn-digits", "hartmann6", "rosenbrock6-student", "fcnet-slice", "nasbench201")


@pytest.mark.parametrize("name", [*EVERY_KIND, "branin"])
def test_a_point_of_every_kind_of_problem_comes_back(tables: Path, name: str) -> None:
    problem = PROBLEMS[name].load(tables)
    encoding = Encoding(problem.parameters)
    low, high = encoding.bounds
    for trial in range(200):
        point = uniform_point(problem.parameters, name, 0, trial)
        x = encoding.encode(point)
        assert x.dtype == torch.float64
        assert ((low <= x) & (x <= high)).all()
        assert close(encoding.decode(x), point)
        torch.testing.assert_close(encoding.encode(encoding.decode(x)), x, rtol=0, atol=1e-14)


@pytest.mark.parametrize("config", INTEGERS, ids=lambda config: config.name)
def test_every_integer_comes_back(config: RangeParameterConfig) -> None:
    encoding = Encoding([config])
    low, high = map(int, config.bounds)
    codes = [encoding.encode({config.name: value}) for value in range(low, high + 1)]
    values = [encoding.decode(code)[config.name] for code in codes]
    assert values == list(range(low, high + 1))
    assert all(0 < code < 1 for code in codes)
    assert all(first < second for first, second in pairwise(codes))


def test_the_ends_of_the_bounds_are_the_ends_of_the_space() -> None:
    encoding = Encoding([*RANGES, *INTEGERS[1:3], *CHOICES])
    assert encoding.bounds.tolist() == [[0.0] * 8, [1, 1, 1, 1, 2, 1, 1, 1]]
    low = {"linear": -5.0, "log": 1e-4, "wide": -100, "one": 1}
    high = {"linear": 10.0, "log": 1e2, "wide": 900, "one": 100}
    first = {"name": "a", "ordered": 8, "real": 0.0, "flag": False}
    last = {"name": "c", "ordered": 64, "real": 0.3, "flag": True}
    for x, expected in zip(encoding.bounds, (low | first, high | last), strict=True):
        for outside in (0.0, -1e-9, 1e-9):
            found = encoding.decode(x + outside)
            assert all(found[name] == pytest.approx(expected[name], rel=1e-7) for name in low)
            assert all(found[name] == expected[name] for name in first)
            for config in RANGES:
                assert config.bounds[0] <= float(found[config.name]) <= config.bounds[1]


def test_ranges_have_the_scale_that_they_ask_for() -> None:
    encoding = Encoding(RANGES)
    torch.testing.assert_close(
        encoding.encode({"linear": 2.5, "log": 0.1}), torch.tensor([0.5, 0.5]).double()
    )


def test_choices_are_rounded_to_the_nearest() -> None:
    encoding = Encoding(CHOICES)
    assert encoding.encode({"name": "c", "ordered": 16, "real": 0.3, "flag": True}).tolist() == [
        *(2.0, pytest.approx(1 / 3), 1.0, 1.0)
    ]
    found = encoding.decode(torch.tensor([0.6, 0.49, 0.51, 0.4], dtype=torch.float64))
    assert found == {"name": "b", "ordered": 16, "real": 0.3, "flag": False}


def test_a_candidate_is_encoded_as_what_is_evaluated() -> None:
    encoding = Encoding([*RANGES, *INTEGERS[:3], *CHOICES])
    generator = torch.Generator().manual_seed(0)
    low, high = encoding.bounds
    for _ in range(200):
        draw = torch.rand(len(low), generator=generator, dtype=torch.float64)
        point = encoding.decode(low + draw * (high - low))
        again = encoding.decode(encoding.encode(point))
        assert close(again, point)


def test_kinds_of_columns_are_told_apart() -> None:
    mixed = Encoding([*RANGES, *CHOICES])
    assert mixed.categorical == [2, 5]
    assert sorted(mixed.choices) == [2, 3, 4, 5]


def test_a_value_that_is_no_choice_is_refused() -> None:
    with pytest.raises(ValueError, match="not in list"):
        Encoding(CHOICES[:1]).encode({"name": "d"})


def test_the_domain_lists_integers_unless_there_are_too_many() -> None:
    encoding = Encoding([*RANGES, *INTEGERS, *CHOICES])
    domain = encoding.domain
    names = [config.name for config in encoding.parameters]
    sizes = {names[i]: len(values) for i, values in domain.choices.items()}
    choices = {"name": 3, "ordered": 4, "real": 2, "flag": 2}
    assert sizes == {"few": 4, "one": 100, "bits": 497} | choices
    for i, values in domain.choices.items():
        assert values == sorted(values)
        assert [values[0], values[-1]] == domain.bounds[:, i].tolist()
    assert [names[i] for i in domain.categorical] == ["name", "flag"]
    assert not encoding.is_box
    assert Encoding(RANGES).is_box


def test_points_of_the_domain_are_rounded_to_integers() -> None:
    encoding = Encoding([*RANGES, *INTEGERS, *CHOICES])
    X = torch.rand(20, len(encoding.parameters), dtype=torch.float64)
    snapped = encoding.domain.snap(X)
    is_whole = torch.zeros(X.shape[-1], dtype=torch.bool).index_fill(
        0, torch.tensor(encoding.integers), True
    )
    assert torch.equal(snapped[:, ~is_whole], X[:, ~is_whole])
    for x, place in zip(X, snapped, strict=True):
        assert encoding.decode(x) == encoding.decode(place)
        assert torch.equal(encoding.encode(encoding.decode(x))[is_whole], place[is_whole])
