"""What campaigns can do: one module or folder for each experiment."""

from collections.abc import Mapping
from typing import Any

from botorch_popbo.benchmarks.experiments._goals import Fronts
from botorch_popbo.benchmarks.experiments._preferences import Preferences
from botorch_popbo.benchmarks.experiments._rank_agreement import RankAgreement
from botorch_popbo.benchmarks.experiments._rank_calibration import RankCalibration
from botorch_popbo.benchmarks.experiments._suggestion_time import SuggestionTime
from botorch_popbo.benchmarks.experiments._transfer import Transfer
from botorch_popbo.benchmarks.experiments.optimization.campaign import Optimization
from botorch_popbo.benchmarks.run.campaign import Campaign

#: The experiment of a campaign that names none.
DEFAULT = "optimization"

#: By the name that campaign files give them.
EXPERIMENTS: Mapping[str, type[Campaign[Any, Any]]] = {
    DEFAULT: Optimization,
    "rank-agreement": RankAgreement,
    "rank-calibration": RankCalibration,
    "suggestion-time": SuggestionTime,
    "preferences": Preferences,
    "transfer": Transfer,
    "fronts": Fronts,
}

__all__ = ["DEFAULT", "EXPERIMENTS", "Optimization"]
