import numpy as np
import pytest

from botorch_popbo.benchmarks.data.rows import Rows

ROWS = Rows(
    place=lambda point: np.array([float(point["x"]), float(point["kind"])]),
    places=np.array([[0.0, 0.0], [0.9, 0.0], [0.5, 3.0]]),
    is_category=np.array([False, True]),
    values=np.empty(3, dtype=object),
    means=np.arange(3.0),
)


@pytest.mark.parametrize(
    ("x", "kind", "nearest"),
    [
        (0.4, 0, 0),
        (0.5, 0, 1),
        (0.5, 3, 2),
        (0.95, 3, 2),
        # Another category is as far as the end of a range, however far its number.
        (0.5, 1, 2),
        (0.85, 2, 1),
    ],
)
def test_the_nearest_row_is_looked_up(x: float, kind: int, nearest: int) -> None:
    assert ROWS.cell({"x": x, "kind": kind}) == (nearest,)
