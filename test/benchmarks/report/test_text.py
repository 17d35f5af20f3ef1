from dataclasses import replace

from botorch_popbo.benchmarks.report import table

from .conftest import BETTER, CURVE, SUMMARIES

BRANIN, DIGITS = SUMMARIES


def test_the_best_is_the_highest_where_that_is_better() -> None:
    assert DIGITS.best == {"popbo"}
    assert replace(DIGITS, problem=replace(DIGITS.problem, minimize=False)).best == {"random"}
    assert "popbo 3/3 * 0.0625 ± 0.12" in " ".join(table([BRANIN]).split())
    lossy = replace(BETTER, seeds=(0, 2), traces=BETTER.traces[:2])
    assert replace(BRANIN, curves=(CURVE, lossy)).best == {"random"}
