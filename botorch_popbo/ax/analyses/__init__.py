"""Cards for :meth:`ax.api.client.Client.compute_analyses` on what a rank model has learned."""

from ax.analysis.analysis import Analysis
from ax.analysis.overview import OverviewAnalysis

from botorch_popbo.ax.analyses.outcome_warp import OutcomeWarp
from botorch_popbo.ax.analyses.rank_calibration import RankCalibration

__all__ = ["OutcomeWarp", "RankCalibration", "popbo_analyses"]


def popbo_analyses() -> list[Analysis]:
    """The analyses that Ax shows by default, followed by those of the ranks.

    Returns:
        Analyses for ``client.compute_analyses(analyses=popbo_analyses())``.
    """
    return [OverviewAnalysis(), RankCalibration(), OutcomeWarp()]
