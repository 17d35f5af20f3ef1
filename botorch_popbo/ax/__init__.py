"""Rank-based strategies for Ax. Importing this registers every class with Ax's storage."""

from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.best_point import BestPoint, best_point, fit_model
from botorch_popbo.ax.feedback import report_comparisons, report_ranking
from botorch_popbo.ax.minimize import minimize
from botorch_popbo.ax.minimum import Minimum
from botorch_popbo.ax.nodes import (
    RANK_TRANSFORM_CONFIGS,
    RANK_TRANSFORMS,
    NodeOptions,
    initial_node,
    popbo_node,
)
from botorch_popbo.ax.running import (
    ProcessPool,
    WorkerDiedError,
    load_client,
    ray_tasks,
    run_ask_tell,
    save_client,
)
from botorch_popbo.ax.space import parameter_configs
from botorch_popbo.ax.storage import register
from botorch_popbo.ax.strategy import (
    generation_strategies,
    gp_generation_strategy,
    popbo_generation_strategy,
)
from botorch_popbo.ax.surrogate import RankSurrogate

register()

__all__ = [
    "RANK_TRANSFORMS",
    "RANK_TRANSFORM_CONFIGS",
    "BestPoint",
    "Minimum",
    "NodeOptions",
    "ProcessPool",
    "RankAcquisition",
    "RankSurrogate",
    "WorkerDiedError",
    "best_point",
    "fit_model",
    "generation_strategies",
    "gp_generation_strategy",
    "initial_node",
    "load_client",
    "minimize",
    "parameter_configs",
    "popbo_generation_strategy",
    "popbo_node",
    "ray_tasks",
    "register",
    "report_comparisons",
    "report_ranking",
    "run_ask_tell",
    "save_client",
]
