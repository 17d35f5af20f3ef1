"""How each method makes a suggestion.

Optuna's sampler is new each time, as the models are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import torch
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax._optimizer_options import OPTIMIZER_OPTIONS
from botorch_popbo.benchmarks.experiments.suggestion_time._points import BOUNDS, Data, attached
from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.benchmarks.methods._popbo import maximize_in_box
from botorch_popbo.data import from_outcomes
from botorch_popbo.likelihoods import truncated_poisson
from botorch_popbo.models import PoissonRankModel, RankingGP

#: The default preset.
DEFAULT = "popbo"
#: The Gaussian processes that the others are compared with, in BoTorch and through Ax.
REFERENCE, AX_REFERENCE = "botorch-gp", "ax-gp-logei"


@dataclass(frozen=True)
class Loop:
    """How a method makes a suggestion.

    Attributes:
        description: One line for a list of methods.
        suggest: Makes a suggestion of what ``fit`` returned.
        prepare: Turns points and outcomes into what the method starts from; not timed.
        fit: Fits a model; ``None`` where ``suggest`` does both.
        library: The module that the method needs beside this package's own requirements.
    """

    description: str
    suggest: Callable[[Any], object]
    prepare: Callable[[Data], Any] = lambda data: data
    fit: Callable[[Any], Any] | None = None
    library: str | None = None


def _paper(title: str, acquisition: Callable[[Any], RectifiedAcquisitionFunction]) -> Loop:
    def suggest(model: PoissonRankModel) -> Tensor:
        options = OPTIMIZER_OPTIONS["optimize_acqf"]
        best, _ = optimize_acqf(acquisition(model), BOUNDS, q=1, **options)
        return best[0]

    return Loop(
        f"ranks: paper preset, {title}",
        fit=lambda data: PoissonRankModel.paper(data[0], data[1]).fit(),
        suggest=suggest,
    )


def _optuna_study(data: Data) -> Any:
    """A study that knows the points, with a sampler that has not fitted anything yet."""
    optuna = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=0))
    for x, y in zip(data[0].tolist(), data[1].squeeze(-1).tolist(), strict=True):
        study.add_trial(
            optuna.create_trial(params=_named(x), distributions=_optuna_space(), value=y)
        )
    return study


def _optuna_space() -> dict[str, Any]:
    distributions = import_module("optuna.distributions")
    return _named([distributions.FloatDistribution(0.0, 1.0)] * 6)


def _named(values: Sequence[Any]) -> dict[str, Any]:
    return {f"x{i}": value for i, value in enumerate(values)}


def _likelihood(exposure: float, title: str) -> Loop:
    """Value and gradient of log-probabilities at well-fitted rates."""

    def prepare(data: Data) -> tuple[Tensor, Tensor]:
        counts = torch.randint(int(min(exposure, 999.0)) + 1, (len(data[0]),)).double()
        return counts, (counts + 0.5).log().requires_grad_()

    def run(prepared: tuple[Tensor, Tensor]) -> None:
        limit = torch.tensor(exposure, dtype=torch.float64)
        truncated_poisson.log_prob(*prepared, limit).sum().backward()

    return Loop(f"alone: likelihood and gradient of records, {title}", run, prepare)


#: The methods by name.
LOOPS = {
    DEFAULT: Loop(
        "ranks: default preset, in a plain BoTorch loop",
        fit=lambda data: RankingGP(data[0], data[1], input_transform=None).fit(),
        suggest=lambda model: maximize_in_box(LogExpectedUtilityImprovement(model), BOUNDS),
    ),
    "paper-rlcb": _paper("rectified lower confidence bound", RectifiedLowerConfidenceBound.paper),
    "paper-eri": _paper("expected ranking improvement", ExpectedRankingImprovement),
    REFERENCE: Loop(
        "BoTorch's SingleTaskGP, log expected improvement",
        fit=lambda data: (botorch_gp.fit(SingleTaskGP(*data)), data[0]),
        suggest=lambda fitted: botorch_gp.suggest(fitted[0], fitted[1], BOUNDS),
    ),
    **{
        f"ax-{name}": Loop(
            f"the strategy {name} through Ax's service loop",
            prepare=partial(attached, name),
            suggest=lambda client: client.get_next_trials(max_trials=1),
        )
        for name in ("popbo-logei", "paper-eri", "paper-rlcb", "gp-logei")
    },
    "optuna-gp": Loop(
        "Optuna's Gaussian process",
        prepare=_optuna_study,
        suggest=lambda study: study.ask(_optuna_space()),
        library="optuna",
    ),
    "ranking": Loop("alone: ranks of the outcomes", lambda data: from_outcomes(*data)),
    "likelihood": _likelihood(torch.inf, "untruncated"),
    "likelihood-truncated": _likelihood(999.0, "of 999"),
}
