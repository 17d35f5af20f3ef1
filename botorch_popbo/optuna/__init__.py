"""Optuna samplers that learn from the order of the trials."""

try:
    import optuna as _optuna  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        'botorch_popbo.optuna needs Optuna. In the clone, run pip install ".[optuna]".'
    ) from error

from botorch_popbo.optuna._result import plot_result, study_of
from botorch_popbo.optuna.preferential import PreferentialPoPBOSampler
from botorch_popbo.optuna.pruner import PoPBOPruner, report_parts
from botorch_popbo.optuna.sampler import PoPBOSampler, PoPBOTerminator

__all__ = [
    "PoPBOPruner",
    "PoPBOSampler",
    "PoPBOTerminator",
    "PreferentialPoPBOSampler",
    "plot_result",
    "report_parts",
    "study_of",
]
