import pytest

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report._shares import shares

from ..conftest import trial


def test_shares_are_counted_after_the_design() -> None:
    problem = PROBLEMS["branin"].load(None)  # on [-5, 10] x [0, 15]
    points = [(0.0, 5.0, 7.0), (2.0, 6.0, 9.0), (-5.0, 15.0, 50.0), (-5.0, 7.0, 3.0)]
    points += [(0.1, 5.1, 7.0), (3.0, 3.0, None)]
    records = [
        trial(index, observed, observed, parameters={"x0": x, "x1": y})
        for index, (x, y, observed) in enumerate(points)
    ]
    assert shares(problem, records, 2) == {
        "parameters at bounds": pytest.approx(3 / 8),
        "corners": 0.5,
        "bad corners": 0.25,
        "repeated outcomes": 0.25,
        "near copies": 0.25,
    }
