import pytest

from botorch_popbo.benchmarks.data._grid import sort_into_grid
from botorch_popbo.benchmarks.errors import UsageError


def test_numbers_are_sorted_as_numbers() -> None:
    configurations = [{"b": b, "a": a} for b in (8, 16, 128) for a in ("x", "w")]
    choices, order = sort_into_grid(configurations, "table")
    assert choices == {"a": ("w", "x"), "b": (8, 16, 128)}
    assert [list(configurations[i].values()) for i in order] == [
        [8, "w"],
        [16, "w"],
        [128, "w"],
        [8, "x"],
        [16, "x"],
        [128, "x"],
    ]


@pytest.mark.parametrize(
    ("configurations", "message"),
    [
        ([{"a": 1}, {"a": 1.0}], "1 different configurations in 2 entries"),
        ([{"a": 1, "b": 1}, {"a": 2, "b": 2}], "the choices in them make 4"),
        ([{"a": 1}, {"b": 1}], "differ in their parameters"),
        ([{"a": 1}, {"a": "1"}], "both numbers and strings"),
    ],
)
def test_what_is_no_grid(configurations: list[dict[str, int]], message: str) -> None:
    with pytest.raises(UsageError, match=f"^table.*{message}"):
        sort_into_grid(configurations, "table")


def test_names_are_in_the_published_order() -> None:
    configurations = [{"a": a} for a in ("const", "tanh", "new", "cosine", "relu", "also")]
    choices, _ = sort_into_grid(configurations, "table")
    assert choices == {"a": ("relu", "tanh", "cosine", "const", "also", "new")}
