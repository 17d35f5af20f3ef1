"""What campaigns can do: one module or folder for each experiment."""

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from botorch_popbo.benchmarks.experiments.optimization import Optimization
from botorch_popbo.benchmarks.run.campaign import Campaign

#: The experiment of a campaign that names none.
DEFAULT = "optimization"

#: Where experiments are, by the name that campaign files give them.
EXPERIMENTS: Mapping[str, str] = {
    DEFAULT: "optimization:Optimization",
    "rank-agreement": "rank_agreement:RankAgreement",
    "rank-calibration": "rank_calibration:RankCalibration",
    "preferences": "preferences:Preferences",
    "transfer": "transfer:Transfer",
    "fronts": "goals:Fronts",
    "parts": "parts:PartsExperiment",
    "notebook": "notebook:Notebook",
}


def experiment(name: str) -> type[Campaign[Any, Any]]:
    """Load the experiment of that name."""
    return resolve_name(f"{__name__}.{EXPERIMENTS[name]}")


__all__ = ["DEFAULT", "EXPERIMENTS", "Optimization", "experiment"]
