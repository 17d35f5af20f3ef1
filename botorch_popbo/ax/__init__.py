"""Rank-based strategies for Ax. Importing this registers every class with Ax's storage."""

try:
    import ax.api as _ax  # noqa: F401  (another package is called ax, too)
except ModuleNotFoundError as error:
    raise ImportError(
        'botorch_popbo.ax needs Ax. In the clone, run pip install ".[ax]".'
    ) from error

from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.best_point import BestPoint, best_point, fit_model
from botorch_popbo.ax.early_stopping import RankEarlyStopping
from botorch_popbo.ax.feedback import report_comparisons, report_ranking
from botorch_popbo.ax.generator_spec import RANK_TRANSFORM_CONFIGS, RANK_TRANSFORMS, NodeOptions
from botorch_popbo.ax.space import parameter_configs
from botorch_popbo.ax.stopping import RankGlobalStopping
from botorch_popbo.ax.storage import register
from botorch_popbo.ax.strategy import (
    gp_generation_strategy,
    initial_node,
    popbo_generation_strategy,
    popbo_node,
)
from botorch_popbo.ax.surrogate import RankSurrogate

register()

__all__ = [
    "RANK_TRANSFORMS",
    "RANK_TRANSFORM_CONFIGS",
    "BestPoint",
    "NodeOptions",
    "RankAcquisition",
    "RankEarlyStopping",
    "RankGlobalStopping",
    "RankSurrogate",
    "best_point",
    "fit_model",
    "gp_generation_strategy",
    "initial_node",
    "parameter_configs",
    "popbo_generation_strategy",
    "popbo_node",
    "register",
    "report_comparisons",
    "report_ranking",
]
