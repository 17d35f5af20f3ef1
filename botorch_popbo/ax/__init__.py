"""Rank-based strategies for Ax. Importing this registers every class with Ax's storage."""

from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.attach import attach_trials
from botorch_popbo.ax.best_point import BestPoint, best_point
from botorch_popbo.ax.feedback import report_comparisons, report_ranking
from botorch_popbo.ax.nodes import (
    RANK_TRANSFORM_CONFIGS,
    RANK_TRANSFORMS,
    NodeOptions,
    gp_node,
    initial_node,
    popbo_node,
)
from botorch_popbo.ax.running import (
    ProcessPool,
    WorkerDiedError,
    fit_model,
    load_client,
    ray_tasks,
    run_ask_tell,
    save_client,
)
from botorch_popbo.ax.space import parameter_configs
from botorch_popbo.ax.storage import register
from botorch_popbo.ax.strategy import (
    StrategyOptions,
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
    "NodeOptions",
    "ProcessPool",
    "RankAcquisition",
    "RankSurrogate",
    "StrategyOptions",
    "WorkerDiedError",
    "attach_trials",
    "best_point",
    "fit_model",
    "generation_strategies",
    "gp_generation_strategy",
    "gp_node",
    "initial_node",
    "load_client",
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
