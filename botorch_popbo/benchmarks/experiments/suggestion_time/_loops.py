"""The points that suggestions are made from, and how each method makes one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import optuna
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models import SingleTaskGP
from botorch.test_functions.synthetic import Hartmann
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.space import Parameter, Space

_NAMES = [f"x{i}" for i in range(6)]
_SPACE = Space(dict.fromkeys(_NAMES, Parameter(0.0, 1.0)))
_FUNCTION = Hartmann(dim=6, dtype=torch.float64)
_OPTUNA_SPACE: dict[str, Any] = dict.fromkeys(
    _NAMES, optuna.distributions.FloatDistribution(0.0, 1.0)
)

#: The Gaussian process that the others are compared with.
REFERENCE = "botorch-gp"

#: Points, ``N x 6``, and their outcomes, ``N x 1``, larger being better.
Data = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Loop:
    """How a method makes a suggestion: what ``fit`` returns is ``suggest``'s, which may do both.

    To prepare, which is not timed, is to turn points and outcomes into what the method starts from.
    """

    description: str
    suggest: Callable[[Any], object]
    prepare: Callable[[Data], Any] = lambda data: data
    fit: Callable[[Any], Any] | None = None


def uniform_data(num_points: int) -> Data:
    """Uniform points of the domain of Hartmann-6 with their outcomes."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 6, generator=generator, dtype=torch.float64)
    return X, -_FUNCTION(X, noise=False).unsqueeze(-1)


def _optuna_study(data: Data) -> optuna.Study:
    """A study that knows the points, with a sampler that, as the models, has fitted nothing yet."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=0))
    for x, [y] in zip(*(part.tolist() for part in data), strict=True):
        told = {"params": dict(zip(_NAMES, x, strict=True)), "value": y}
        study.add_trial(optuna.create_trial(distributions=_OPTUNA_SPACE, **told))
    return study


def _maximize(acquisition: AcquisitionFunction) -> Tensor:
    # Of a box nothing depends on the points that are known, unless one is met again.
    return maximize(acquisition, _SPACE, _SPACE.bounds[:0], seed=0)


def _paper(title: str, acquisition: Callable[[Any], RectifiedAcquisitionFunction]) -> Loop:
    return Loop(
        f"ranks: paper preset, {title}",
        fit=lambda data: PoissonRankModel.paper(data[0], data[1]).fit(),
        suggest=lambda model: _maximize(acquisition(model)),
    )


def _suggest_by_gp(fitted: tuple[SingleTaskGP, Tensor]) -> Tensor:
    acquisition, _ = botorch_gp.expected_improvement(*fitted)
    return botorch_gp.maximize_in_box(acquisition, _SPACE.bounds)


#: The methods by name.
LOOPS = {
    "popbo": Loop(
        "ranks: default preset, in a plain BoTorch loop",
        fit=lambda data: RankingGP(data[0], data[1], input_transform=None).fit(),
        suggest=lambda model: _maximize(LogExpectedUtilityImprovement(model)),
    ),
    "paper-rlcb": _paper("rectified lower confidence bound", RectifiedLowerConfidenceBound.paper),
    "paper-eri": _paper("expected ranking improvement", ExpectedRankingImprovement),
    REFERENCE: Loop(
        "BoTorch's SingleTaskGP, log expected improvement",
        fit=lambda data: (botorch_gp.fit(SingleTaskGP(*data)), data[0]),
        suggest=_suggest_by_gp,
    ),
    "optuna-gp": Loop(
        "Optuna's Gaussian process",
        prepare=_optuna_study,
        suggest=lambda study: study.ask(_OPTUNA_SPACE),
    ),
}
