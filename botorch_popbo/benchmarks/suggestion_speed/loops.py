"""How each method makes a suggestion.

Optuna's sampler is new each time, as the models are.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax.optimizer_options import OPTIMIZER_OPTIONS
from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.benchmarks.methods._popbo import maximize_in_box
from botorch_popbo.benchmarks.suggestion_speed.data import BOUNDS, Data
from botorch_popbo.benchmarks.suggestion_speed.service_loop import STRATEGIES, attached
from botorch_popbo.models import PoissonRankModel

#: The default preset.
DEFAULT = "popbo"
#: The Gaussian processes that the others are compared with, in BoTorch and through Ax.
REFERENCE = "botorch-gp"
AX_REFERENCE = "ax-gp-logei"
#: Needs a package that the benchmarks do without.
OPTUNA = "optuna-gp"


@dataclass(frozen=True)
class Loop:
    """How a method makes a suggestion.

    Attributes:
        prepare: Turns points and outcomes into what the method starts from; not timed.
        suggest: Makes a suggestion of what ``fit`` returned.
        fit: Fits a model; ``None`` where ``suggest`` does both.
    """

    prepare: Callable[[Data], Any]
    suggest: Callable[[Any], object]
    fit: Callable[[Any], Any] | None = None


def _paper(acquisition: Callable[[PoissonRankModel], RectifiedAcquisitionFunction]) -> Loop:
    def suggest(model: PoissonRankModel) -> Tensor:
        options = OPTIMIZER_OPTIONS["optimize_acqf"]
        best, _ = optimize_acqf(acquisition(model), BOUNDS, q=1, **options)
        return best[0]

    return Loop(
        prepare=lambda data: data,
        fit=lambda data: PoissonRankModel(data[0], data[1], preset="paper").fit(),
        suggest=suggest,
    )


def _optuna_study(data: Data) -> Any:
    """A study that knows the points, with a sampler that has not fitted anything yet."""
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=0))
    X, Y = data
    trials = [
        optuna.create_trial(params=_named(x), distributions=_optuna_space(len(x)), value=y)
        for x, y in zip(X.tolist(), Y.squeeze(-1).tolist(), strict=True)
    ]
    study.add_trials(trials)
    return study


def _optuna_space(dim: int) -> dict[str, Any]:
    distributions = importlib.import_module("optuna.distributions")
    return _named([distributions.FloatDistribution(0.0, 1.0)] * dim)


def _named(values: Sequence[Any]) -> dict[str, Any]:
    return {f"x{i}": value for i, value in enumerate(values)}


#: The methods by name.
LOOPS = {
    DEFAULT: Loop(
        prepare=lambda data: data,
        fit=lambda data: PoissonRankModel(data[0], data[1], input_transform=None).fit(),
        suggest=lambda model: maximize_in_box(LogExpectedUtilityImprovement(model), BOUNDS),
    ),
    "paper-rlcb": _paper(RectifiedLowerConfidenceBound),
    "paper-eri": _paper(ExpectedRankingImprovement),
    REFERENCE: Loop(
        prepare=lambda data: data,
        fit=lambda data: (botorch_gp.fit(SingleTaskGP(*data)), data[0]),
        suggest=lambda fitted: botorch_gp.suggest(fitted[0], fitted[1], BOUNDS),
    ),
    **{
        f"ax-{name}": Loop(
            prepare=partial(attached, name),
            suggest=lambda client: client.get_next_trials(max_trials=1),
        )
        for name in STRATEGIES
    },
    OPTUNA: Loop(prepare=_optuna_study, suggest=lambda study: study.ask(_optuna_space(6))),
}


def reference(method: str) -> str:
    """The Gaussian process that a method is compared with: through Ax where the method is.

    Args:
        method: A name in :data:`LOOPS`.

    Returns:
        Another one.
    """
    return AX_REFERENCE if method.startswith("ax-") else REFERENCE
