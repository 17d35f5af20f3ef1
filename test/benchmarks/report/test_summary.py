import numpy as np
import pytest

from botorch_popbo.benchmarks.report.summary import standard_error

from .conftest import CURVE, curve, summary


def test_a_curve_tells_where_it_ended_and_how_long_it_took() -> None:
    np.testing.assert_allclose(CURVE.mean, [4.0, 2.0, 0.25])
    np.testing.assert_allclose(CURVE.error, [1.0, 3.0, 0.125])
    assert CURVE.results.tolist() == CURVE.traces[:, -1].tolist()
    assert CURVE.best.tolist() == CURVE.evaluated[:, -1].tolist()
    assert CURVE.seconds_per_suggestion == pytest.approx(1e-4)


def test_an_error_is_that_of_the_mean_and_unknown_of_a_single_value() -> None:
    values = np.array([[1.0, 2.0], [3.0, 2.0], [8.0, 2.0]])
    expected = [np.sqrt(((values[:, 0] - 4.0) ** 2).sum() / 2.0 / 3.0), 0.0]
    np.testing.assert_allclose(standard_error(values), expected)
    assert np.isnan(standard_error(values[:1])).all()


@pytest.mark.parametrize(("minimize", "best"), [(True, {"a", "b"}), (False, {"c"})])
def test_methods_with_all_replications_compete(minimize: bool, best: set[str]) -> None:
    curves = (
        curve("a", 1.0, 2.0, 3.0),
        curve("b", 2.0, 2.0, 2.0),
        curve("c", 4.0, 4.0, 4.0),
        curve("lost one", 0.0, 9.0),
        curve("failed once", 0.0, 0.0, 0.0, num_failed=1),
    )
    found = summary(*curves, minimize=minimize)
    assert [c.method for c in found.whole] == ["a", "b", "c"]
    assert found.best == best
    assert found.is_loss == minimize
    assert ("regret" in found.quantity) == minimize
