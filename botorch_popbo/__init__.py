"""Rank-based Bayesian optimization, for BoTorch and Ax.

A name is loaded when it is first asked for: ``import botorch_popbo`` alone does not load torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from botorch_popbo.version import __version__

if TYPE_CHECKING:
    from botorch_popbo import sampling
    from botorch_popbo.acquisition import (
        ExpectedRankingImprovement,
        LogConstrainedExpectedUtilityImprovement,
        LogExpectedFrontImprovement,
        LogExpectedUtilityImprovement,
        RankAcquisitionFunction,
        RectifiedAcquisitionFunction,
        RectifiedLowerConfidenceBound,
    )
    from botorch_popbo.ax.minimize import minimize  # noqa: F401
    from botorch_popbo.columns import Column
    from botorch_popbo.data import Order, RankCounts
    from botorch_popbo.models import (
        PoissonRankModel,
        RankingGP,
        RankModel,
    )
    from botorch_popbo.optim import rank_initial_conditions
    from botorch_popbo.posteriors import (
        GaussianRankPosterior,
        NegatedRank,
        PoissonRankPosterior,
        RankPosterior,
    )
    from botorch_popbo.preference_search import PreferenceSearch
    from botorch_popbo.trials import read_trials

# The names below are theirs; the first registers samplers and sample paths with BoTorch.
_MODULES = (
    *("sampling", "acquisition", "columns", "data", "likelihoods", "models", "optim"),
    *("posteriors", "preference_search", "trials"),
)

__all__ = [
    "Column",
    "ExpectedRankingImprovement",
    "GaussianRankPosterior",
    "LogConstrainedExpectedUtilityImprovement",
    "LogExpectedFrontImprovement",
    "LogExpectedUtilityImprovement",
    "NegatedRank",
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
    "__version__",
    "rank_initial_conditions",
    "read_trials",
    "sampling",
]


def __getattr__(name: str) -> Any:
    """Load a public name, or one of the modules that hold them."""
    if name == "minimize":  # not in __all__: it needs Ax
        return _from_ax(name)
    if name not in {*__all__, *_MODULES}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = {module: import_module(f"{__name__}.{module}") for module in _MODULES}
    if name in modules:
        return modules[name]
    found = next(getattr(m, name) for m in modules.values() if hasattr(m, name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "minimize"})


def _from_ax(name: str) -> Any:
    try:
        return getattr(import_module(f"{__name__}.ax"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(__name__):
            raise
        raise ImportError(f"{name} needs Ax: pip install 'botorch-popbo[ax]'") from error
