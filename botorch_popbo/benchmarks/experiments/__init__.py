"""What campaigns can do: one module or folder for each experiment."""

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from botorch_popbo.benchmarks.experiments.optimization.campaign import Optimization
from botorch_popbo.benchmarks.run.campaign import Campaign

#: The experiment of a campaign that names none.
DEFAULT = "optimization"

#: Where experiments are, by the name that campaign files give them.
EXPERIMENTS: Mapping[str, str] = {
    DEFAULT: "optimization.campaign:Optimization",
    "rank-agreement": "_rank_agreement:RankAgreement",
    "rank-calibration": "_rank_calibration:RankCalibration",
    "preferences": "_preferences:Preferences",
    "transfer": "_transfer:Transfer",
    "fronts": "_goals:Fronts",
}


def experiment(name: str) -> type[Campaign[Any, Any]]:
    """Load the experiment of that name."""
    return resolve_name(f"{__name__}.{EXPERIMENTS[name]}")


__all__ = ["DEFAULT", "EXPERIMENTS", "Optimization", "experiment"]
