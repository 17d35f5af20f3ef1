"""Evaluate trials on workers, and keep the experiment in a file that survives their death."""

from botorch_popbo.ax.running._outcomes import Outcome
from botorch_popbo.ax.running.ask_tell import run_ask_tell
from botorch_popbo.ax.running.executors import (
    Objective,
    ProcessPool,
    Submit,
    WorkerDiedError,
    ray_tasks,
)
from botorch_popbo.ax.running.snapshots import load_client, save_client

__all__ = [
    "Objective",
    "Outcome",
    "ProcessPool",
    "Submit",
    "WorkerDiedError",
    "load_client",
    "ray_tasks",
    "run_ask_tell",
    "save_client",
]
