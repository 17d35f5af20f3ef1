"""The default search without one of its mechanisms.

A mechanism is taken out by replacing attributes of modules and classes for as long as a suggestion
takes. So this file knows the library's private names, and belongs to the version it came with.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import torch
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo.acquisition import (
    LogExpectedUtilityImprovement,
    RankAcquisitionFunction,
    _tied_levels,
    front_improvement,
    utility_improvement,
)
from botorch_popbo.benchmarks.methods._popbo import Popbo, maximize_in_box
from botorch_popbo.benchmarks.methods._search import maximize, one_hot
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting
from botorch_popbo.models import RankingGP, kernels, ranking_gp
from botorch_popbo.models._fit import evidence, outliers, sources
from botorch_popbo.models._hyperparameters import correlation, priors
from botorch_popbo.models._law.differences import Moments
from botorch_popbo.models._records import from_order, representatives
from botorch_popbo.optim import challengers, initial_conditions

_BATCH = 4
_OF_SEARCH = (
    *("rough-part", "directions", "table-kernel", "outliers", "outlier-rounds", "noise-bound"),
    *("augmentation", "uncertain-incumbent", "near-starts", "tie-weights", "remoteness"),
    "best-half",
)
#: What matters only to those who are not told that outcomes are exact.
_OF_ERRORS = ("outliers", "outlier-rounds", "uncertain-incumbent")


class Replaced(NamedTuple):
    """An attribute and what takes its place."""

    owner: object
    name: str
    value: Any


def _unrotated(
    X: Tensor, records: Any, hyperparameters: Any, conditioned: Any, value: float
) -> Any:
    return hyperparameters, conditioned.theta


_improvement = RankingGP.improvement


def _certain_improvement(model: RankingGP, encoded: Tensor, reference: Tensor) -> Moments:
    """By how much points exceed the reference's mean, as if that were known."""
    mean, _, own = _improvement(model, encoded, reference)
    _, variance = model.law.predictor.moments(encoded.double())
    return mean, variance.to(encoded), own


def _no_gain(acquisition: Any, variance: Tensor) -> Tensor:
    return torch.zeros_like(variance)


def _no_gain_or_slope(acquisition: Any, variance: Tensor) -> tuple[Tensor, Tensor]:
    return torch.zeros_like(variance), torch.zeros_like(variance)


def _anywhere(centers: Tensor, bounds: Tensor, number: int) -> Tensor:
    return draw_sobol_samples(bounds, number, 1).to(centers)


def _anywhere_in_cube(center: Tensor, columns: Any) -> Tensor:
    cube = torch.stack([torch.zeros_like(center), torch.ones_like(center)])
    return draw_sobol_samples(cube, n=challengers._NUM_CANDIDATES, q=1).squeeze(1)


def _evenly_spaced(records: Any, number: int) -> Tensor:
    """Records evenly spaced in rank, the best half not among them as a matter of course."""
    own = records.is_target.nonzero().squeeze(-1)
    if len(own) <= number:
        return torch.arange(len(records), device=own.device)
    order = own[records.better[own].argsort(stable=True)]
    spaced = torch.arange(number, device=order.device) * (len(order) - 1) // (number - 1)
    return torch.cat([order[spaced].sort()[0], (~records.is_target).nonzero().squeeze(-1)])


def _only_known(acquisition: Any) -> None:
    """Pending points are kept away from, and the model learns nothing of them."""
    acquisition._informed = acquisition.model
    known = acquisition.model.known_X[acquisition._is_baseline]
    if acquisition.X_pending is not None:
        known = torch.cat([known, acquisition.X_pending.to(known)])
    encoded = acquisition.model.encode(known)
    acquisition.register_buffer("_known", encoded, persistent=False)


_gain = Replaced(LogExpectedUtilityImprovement, "_log_gain", _no_gain)
_slope = Replaced(LogExpectedUtilityImprovement, "_log_gain_and_slope", _no_gain_or_slope)
_by_autograd = Replaced(
    LogExpectedUtilityImprovement, "value_and_gradient", RankAcquisitionFunction.value_and_gradient
)

#: What is replaced to take out a mechanism, by its name.
MECHANISMS: dict[str, tuple[Replaced, ...]] = {
    "rough-part": (
        Replaced(kernels, "_ROUGHNESS_LIMITS", (-40.0, 3.0)),
        Replaced(priors, "_ROUGHNESS", (-30.0, 1e-3)),
    ),
    "directions": (Replaced(sources, "rotate", _unrotated),),
    "table-kernel": (Replaced(ranking_gp, "is_categorical", lambda transform: False),),
    "outliers": (Replaced(outliers, "_MIN_RECORDS", 10**9),),
    "outlier-rounds": (Replaced(outliers, "_LOG_ODDS", outliers._LOG_ODDS[:1]),),
    "noise-bound": (Replaced(priors, "_LOG_NOISE", (-13.8, 1.0)),),
    "known-variance": (
        Replaced(from_order, "known_variance", lambda score, variance, u: torch.zeros_like(u)),
    ),
    "augmentation": (_gain, _slope),
    "uncertain-incumbent": (
        Replaced(RankingGP, "improvement", _certain_improvement),
        _by_autograd,
    ),
    "near-starts": (Replaced(initial_conditions, "_near", _anywhere),),
    "tie-weights": (Replaced(evidence, "stand_alone", lambda relations: True),),
    "remoteness": (
        Replaced(utility_improvement, "log_remoteness", torch.zeros_like),
        Replaced(utility_improvement, "is_near_known", lambda *args: False),
        Replaced(front_improvement, "log_remoteness", torch.zeros_like),
    ),
    "best-half": (
        Replaced(sources, "representatives", _evenly_spaced),
        Replaced(representatives, "representatives", _evenly_spaced),
    ),
    "pending-ranks": (Replaced(RankAcquisitionFunction, "_prepare", _only_known),),
    "tied-levels": (
        Replaced(_tied_levels, "_tied_ranges", lambda model: model.known_X.new_zeros(0, 2)),
    ),
    "rounding": (Replaced(_tied_levels, "_ROUNDING", 0.0),),
    "front-margin": (Replaced(front_improvement, "_reference_point", infer_reference_point),),
    "target-loading": (
        Replaced(correlation, "TARGET_LOGIT_LOC", correlation.LOGIT_LOC),
        Replaced(correlation, "TARGET_LOGIT_DEVIATION", correlation.LOGIT_DEVIATION),
    ),
    "champions-box": (Replaced(challengers, "_near", _anywhere_in_cube),),
}


@contextmanager
def without(mechanism: str) -> Iterator[None]:
    """Take a mechanism out for as long as the block runs."""
    with ExitStack() as stack:
        for replaced in MECHANISMS[mechanism]:
            stack.enter_context(mock.patch.object(*replaced))
        yield


class Ablated(Popbo):
    """The default preset without a mechanism, or whole; perhaps in batches.

    In batches it suggests as if the outcomes of the present batch were not known yet.

    Args:
        mechanism: Its name, or nothing.
        batch: Number of points at a time.
        problem: The problem.
        setting: The replication.
        is_told: Whether it is told where outcomes are exact.
    """

    def __init__(
        self,
        mechanism: str,
        batch: int,
        problem: Problem,
        setting: Setting,
        is_told: bool = True,
    ) -> None:
        super().__init__(problem, setting, is_told)
        self.mechanism, self.batch = mechanism, batch

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        """See the base class."""
        with without(self.mechanism) if self.mechanism else nullcontext():
            number = len(X) - (len(X) - self.setting.initial) % self.batch
            if number == len(X):
                return super().choose_encoded(X, Y, seed)
            transform = one_hot(self.encoding)
            variance = torch.zeros_like(Y[:number]) if self.is_exact else None
            model = RankingGP(X[:number], Y[:number], variance, input_transform=transform).fit()
            acquisition = LogExpectedUtilityImprovement(model, X_pending=X[number:])
            if self.encoding.is_box:
                best = maximize_in_box(acquisition, self.encoding.bounds)
            else:
                best = maximize(acquisition, self.encoding, X, seed)
            return best, int((model.incumbent == X).all(-1).nonzero()[0])


def ablated() -> Iterator[Method]:
    """The methods of the campaign ``ablation``."""

    def method(name: str, mechanism: str = "", batch: int = 1, is_told: bool = True) -> Method:
        text = f", without {mechanism}" if mechanism else ""
        how = "" if is_told else ", not told where outcomes are exact"
        how += f", {batch} points at a time" if batch > 1 else ""
        start = partial(Ablated, mechanism, batch, is_told=is_told)
        return Method(name, f"ranks: default preset{text}{how}", "popbo", start)

    for mechanism in _OF_SEARCH:
        yield method(f"popbo-without-{mechanism}", mechanism)
    for mechanism in _OF_ERRORS:
        yield method(f"popbo-untold-without-{mechanism}", mechanism, is_told=False)
    yield method("popbo-batches", batch=_BATCH)
    yield method("popbo-batches-without-pending-ranks", "pending-ranks", batch=_BATCH)
