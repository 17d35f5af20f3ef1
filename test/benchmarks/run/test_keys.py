import math
from typing import Any

import pytest

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.run import _keys


@pytest.mark.parametrize(
    ("key", "valid", "invalid"),
    [
        (_keys.text(), ["", "a"], [1, None, ["a"]]),
        (_keys.texts(), [["a", "b"]], [[], "a", ["a", 1]]),
        (_keys.flag(), [True, False], [1, 0, "true"]),
        (_keys.count(), [1, 9], [0, -1, 1.0, True, "1"]),
        (_keys.count(least=2), [2], [1]),
        (_keys.counts((1,), smoke=tuple), [[1, 2]], [[], [0], [1.5], 1]),
        (_keys.number(0.0), [0, 0.5], [-1.0, math.inf, math.nan, True, "0"]),
        (_keys.numbers((0.0,), smoke=tuple), [[0, 1.5]], [[], [-1.0]]),
        (_keys.seconds(), [1, 0.5], [0, -1.0, math.inf]),
        (_keys.names(["a"]), [["a"]], [[], "a", [1]]),
    ],
)
def test_kinds_of_values(key: _keys.Key, valid: list[Any], invalid: list[Any]) -> None:
    for value in valid:
        expected = tuple(value) if isinstance(value, list) else value
        assert key.check_kind("some", value) == expected
    for value in invalid:
        with pytest.raises(UsageError, match=f"some is {key.kind}, not"):
            key.check_kind("some", value)


def expand(name: str) -> list[str]:
    return ["a", "b"] if name == "both" else [name]


def test_what_a_list_says_twice_it_says_once() -> None:
    key = _keys.numbers((1.0,), smoke=lambda values: values)
    assert key.check_kind("variances", [0.0, 0.25, 0]) == (0.0, 0.25)


def test_names_are_known_stand_for_others_or_need_not_be() -> None:
    key = _keys.names(["a", "b", "c"], expand=expand, is_other=lambda name: ".py" in name)
    assert key.default == ("a", "b", "c")
    assert key.check_names("methods", ("b", "both", "my.py")) == ("b", "a", "my.py")
    with pytest.raises(
        UsageError, match=r"no method 'zzz'; known: a, b, c, and path/to/my\.py:name"
    ):
        key.check_names("methods", ("a", "zzz"))
    assert _keys.names(["a", "b"], "b").default == ("b",)


def test_a_single_text_may_be_one_of_those_known() -> None:
    key = _keys.text("even", known=("even", "uniform"))
    assert key.check_names("design", "uniform") == "uniform"
    with pytest.raises(UsageError, match="no design 'zzz'; known: even, uniform"):
        key.check_names("design", "zzz")
    assert _keys.text().check_names("table", "anything") == "anything"
