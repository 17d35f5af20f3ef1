"""What was measured beside what Wang et al. (2023) report.

``paper.csv`` holds the paper's table 1 (accuracies on NAS-Bench-201), its appendix's ablation of
the share of promising points, and its appendix's table of FCNet (regrets): mean and deviation
over ten runs of 80 evaluations after 12 initial points.
"""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from botorch_popbo.benchmarks.report.summary import Curve, Summary
from botorch_popbo.benchmarks.report.text import estimate

_INITIAL, _TRIALS = 12, 80
_REGRET = "regret"
_KEYS = ["problem", "measure", "method"]
_TITLE = "beside the paper (mean ± standard deviation; the paper's of ten runs)"


def compare_with_paper(summaries: Sequence[Summary]) -> pd.DataFrame:
    """Find what the paper reports of a campaign.

    There is a row for each cell of the paper's tables for which there is a complete replication,
    none for problems that were run with other than the paper's numbers of evaluations. The verdict
    says whether the mean here lies within the paper's mean ± its standard deviation, or on which
    side of that; the deviation of a single seed is not a number.
    """
    measured = [
        (s.problem.name, measure, curve.method, values.mean(), values.std(), len(values))
        for s in summaries
        if (s.initial, s.trials) == (_INITIAL, _TRIALS)
        for curve in s.curves
        for measure, values in _values(curve).items()
    ]
    here = pd.DataFrame(measured, columns=[*_KEYS, "mean", "deviation", "seeds"])
    with files(__package__).joinpath("paper.csv").open(encoding="utf-8") as file:
        paper = pd.read_csv(file)
    cells = here.merge(paper, on=_KEYS, suffixes=("", "_paper")).dropna(subset="mean")
    # The paper minimizes regrets and maximizes accuracies.
    sign = np.where(cells["measure"] == _REGRET, -1.0, 1.0)
    gain = sign * (cells["mean"] - cells["mean_paper"])
    side = np.where(gain > 0.0, "better", "worse")
    return cells.assign(verdict=np.where(gain.abs() <= cells["deviation_paper"], "within", side))


def paper_table(cells: pd.DataFrame) -> str:
    """Tabulate the comparison."""
    shown = cells[_KEYS].assign(
        paper=[f"{c.mean_paper:#.4g} ± {c.deviation_paper:.2g}" for c in cells.itertuples()],
        here=[estimate(c.mean, c.deviation) for c in cells.itertuples()],
    )
    shown = shown.join(cells[["seeds", "verdict"]]).set_index(_KEYS)
    return f"{_TITLE}\n{shown.to_string()}"


def _values(curve: Curve) -> dict[str, "pd.Series[float]"]:
    measures: Any = dict(pd.DataFrame(curve.measures).items())
    return {_REGRET: pd.Series(curve.results), **measures}
