"""Rank-based Bayesian optimization, for BoTorch, Ax and Optuna.

A name is loaded when it is first asked for: ``import botorch_popbo`` alone does not load torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from botorch_popbo.version import __version__

if TYPE_CHECKING:
    from botorch_popbo.acquisition import (
        ExpectedRankingImprovement,
        LogExpectedFrontImprovement,
        LogExpectedRankImprovement,
        LogExpectedUtilityImprovement,
        LogRankConfidenceBound,
        RankAcquisitionFunction,
        RectifiedAcquisitionFunction,
        RectifiedLowerConfidenceBound,
    )
    from botorch_popbo.data import Order, RankCounts
    from botorch_popbo.minimization import minimize
    from botorch_popbo.models import PoissonRankModel, RankingGP, RankModel
    from botorch_popbo.optimizer import Optimizer
    from botorch_popbo.posteriors import (
        GaussianRankPosterior,
        NegatedRank,
        PoissonRankPosterior,
        RankPosterior,
    )
    from botorch_popbo.preference_search import PreferenceSearch
    from botorch_popbo.search import rank_initial_conditions, unseen_candidates
    from botorch_popbo.settings import Settings
    from botorch_popbo.space import Space
    from botorch_popbo.trials import read_trials

# The names below are theirs; the first two register with BoTorch, of which the second loads what a
# search does not need.
_MODULES = (
    *("sampling", "acquisition.input_constructors", "acquisition", "data", "likelihoods", "models"),
    *("posteriors", "space", "search", "settings", "preference_search", "trials", "minimization"),
    "optimizer",
)

__all__ = [
    "ExpectedRankingImprovement",
    "GaussianRankPosterior",
    "LogExpectedFrontImprovement",
    "LogExpectedRankImprovement",
    "LogExpectedUtilityImprovement",
    "LogRankConfidenceBound",
    "NegatedRank",
    "Optimizer",
    "Order",
    "PoissonRankModel",
    "PoissonRankPosterior",
    "PreferenceSearch",
    "RankAcquisitionFunction",
    "RankCounts",
    "RankModel",
    "RankPosterior",
    "RankingGP",
    "RectifiedAcquisitionFunction",
    "RectifiedLowerConfidenceBound",
    "Settings",
    "Space",
    "__version__",
    "minimize",
    "rank_initial_conditions",
    "read_trials",
    "unseen_candidates",
]


def __getattr__(name: str) -> Any:
    """Load a public name, or one of the modules that hold them."""
    if name not in {*__all__, *_MODULES}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [import_module(f"{__name__}.{module}") for module in _MODULES]
    if name not in globals():  # where a module is, once it is loaded
        globals()[name] = next(getattr(m, name) for m in modules if hasattr(m, name))
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
