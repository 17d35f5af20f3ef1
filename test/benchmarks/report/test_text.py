from botorch_popbo.benchmarks.report.verdict import verdicts

from .conftest import curve, summary


def ends(seeds: int, *results: list[float]) -> str:
    """The verdict on two methods that ended there."""
    both = [curve(name, *values) for name, values in zip(("a", "b"), results, strict=True)]
    (line,) = verdicts([summary(*both, seeds=seeds)])
    return line


def test_a_method_is_ahead_by_students_quantile_of_its_seeds() -> None:
    # Means of 3.5 and 2.7 standard errors; the quantiles are 4.3 of three seeds, 2.6 of six.
    assert ends(3, [0.0, 0.0, 0.0], [2.0, 4.0, 1.0]) == "verdict on branin: level"
    assert ends(3, [0.0, 0.0, 0.0], [2.0, 2.5, 3.0]) == "verdict on branin: a ahead of b"
    assert ends(6, [0.0] * 6, [2.0, 4.0, 1.0, 2.0, 5.0, -0.5]) == "verdict on branin: a ahead of b"
    assert ends(2, [0.0, 0.0], [9.0, 9.1]) == "verdict on branin: no verdict from less than 3 seeds"
