"""Every acquisition function on every model that it supports."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from botorch.optim import optimize_acqf
from botorch.utils.sampling import manual_seed
from helpers.toy import BOUNDS, toy_data
from torch import Tensor
from torch.nn import Module

from botorch_popbo import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    PoissonRankModel,
    RankAcquisitionFunction,
    RankingGP,
    RankModel,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.settings import PaperSettings

Kind = type[RankAcquisitionFunction]

RECTIFIED: tuple[Kind, ...] = (
    ExpectedRankingImprovement,
    RectifiedLowerConfidenceBound,
)
OF_RANKS = RECTIFIED


class Constrained(LogExpectedUtilityImprovement):
    """The same with models of slacks."""


OF_UTILITIES = (LogExpectedUtilityImprovement, Constrained)
ALL = (*OF_RANKS, *OF_UTILITIES)


@dataclass(frozen=True)
class Case:
    """An acquisition function and a model."""

    kind: Kind
    model: RankModel

    def make(self, **options: Any) -> RankAcquisitionFunction:
        return self.kind(self.model, **self.required, **options)

    @property
    def required(self) -> dict[str, Any]:
        """What the constructor wants beside a model."""
        if self.kind is not Constrained:
            return {}
        return {"slack_models": [slack_model(2.0, self.model.train_targets.dtype)]}

    @property
    def ceiling(self) -> float:
        """No known point has a higher value."""
        if self.model.has_uncertainty:
            return -60.0 if self.model.train_targets.dtype == torch.float32 else -600.0
        return 0.0 if self.kind is ExpectedRankingImprovement else -2.0


class FixedRate(Module):
    """A log-rate that needs no training."""

    def __init__(self, log_rate: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.log_rate = log_rate

    def forward(self, X: Tensor) -> Tensor:
        return self.log_rate(X)


def fixed(
    log_rate: Callable[[Tensor], Tensor], X: Tensor, Y: Tensor, known_radius: float = 0.02
) -> PoissonRankModel:
    """The paper's model with a log-rate that is known."""
    model = PoissonRankModel.paper(X, Y, settings=PaperSettings(known_radius=known_radius))
    model.rate = FixedRate(log_rate)
    return model.eval()


@cache
def slack_model(border: float, dtype: torch.dtype = torch.float64) -> RankingGP:
    """Of a constraint that points right of the border satisfy. Shared: do not change it."""
    X, _ = toy_data(15, dtype=dtype)
    return RankingGP(X, X[:, :1] - border).fit()


def optimized(function: RankAcquisitionFunction, **options: Any) -> Tensor:
    """Candidates that lie within the box, ``q x d``."""
    options = {"num_restarts": 4, "raw_samples": 32, "options": {"maxiter": 20}} | options
    with manual_seed(0):
        X: Tensor = optimize_acqf(function, bounds=BOUNDS, **options)[0]
    assert torch.equal(X, X.clamp(BOUNDS[0], BOUNDS[1]))
    return X
