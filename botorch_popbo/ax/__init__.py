"""Rank-based strategies for Ax. Importing this registers every class with Ax's storage."""

from botorch_popbo.ax.feedback import report_comparisons, report_ranking
from botorch_popbo.ax.generation_strategy import (
    generation_strategies,
    gp_generation_strategy,
    popbo_generation_strategy,
)
from botorch_popbo.ax.model import OutcomePoissonRankModel
from botorch_popbo.ax.registration import register
from botorch_popbo.ax.running import (
    ProcessPool,
    WorkerDiedError,
    fit_model,
    load_client,
    ray_tasks,
    run_ask_tell,
    save_client,
)

register()

__all__ = [
    "OutcomePoissonRankModel",
    "ProcessPool",
    "WorkerDiedError",
    "fit_model",
    "generation_strategies",
    "gp_generation_strategy",
    "load_client",
    "popbo_generation_strategy",
    "ray_tasks",
    "register",
    "report_comparisons",
    "report_ranking",
    "run_ask_tell",
    "save_client",
]
