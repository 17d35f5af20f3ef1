"""Whether anything better is left to be found, and what a suggestion is for."""

import math
from typing import NamedTuple

import torch
from botorch.exceptions import UnsupportedError
from torch import Tensor

from botorch_popbo._plain import Value
from botorch_popbo._reproducible import derive_seed, one_thread, seeded
from botorch_popbo.acquisition import RankAcquisitionFunction
from botorch_popbo.acquisition._log_improvement import MIN_VARIANCE, log_improvement
from botorch_popbo.acquisition._slack_constraint import place_of
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP
from botorch_popbo.sampling._joint import draw_utilities
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import table_candidates
from botorch_popbo.search.starts import points_near, random_points
from botorch_popbo.search.suggest import Models, Search
from botorch_popbo.search.trials import Trials
from botorch_popbo.space import Space

# Samples of the utility, and points that may be better, the most promising of those looked at.
_NUM_SAMPLES, _NUM_RIVALS = 512, 128


class Outlook(NamedTuple):
    """Whether to go on.

    Attributes:
        chance: The chance that some point of the space is better than the best one by the margin;
            NaN before the end of the design.
        margin: In the unit of the outcomes.
    """

    chance: float
    margin: float

    def __str__(self) -> str:
        return f"{self.chance:.0%} chance of anything better by {self.margin:.2g}"


@one_thread()
def outlook(search: Search, space: Space, trials: Trials, margin: float | None) -> Outlook:
    """Whether anything better is left to be found.

    Args:
        search: What suggests; it keeps the models.
        space: Where to search.
        trials: What is known of points.
        margin: By how much to be better, in the unit of the outcomes. By default a hundredth of the
            distance between the best outcome and the median one of the design. Where the order
            alone counts, any margin above zero is half a place.

    Returns:
        The chance.

    Raises:
        UnsupportedError: If there are several objectives.
    """
    if trials.objectives.shape[-1] > 1:
        raise UnsupportedError("Of several objectives no outcome is the best one to improve on.")
    values = trials.objectives[trials.objectives[:, 0].isfinite(), 0]
    if margin is None:
        design = values[: search.num_initial]
        margin = 0.01 * float(values.max() - design.median()) if len(values) else math.nan
    if not search.has_model(trials):
        return Outlook(math.nan, margin)
    models = search.models(space, trials)
    seed = derive_seed(search.seed, len(trials.X))
    return Outlook(chance_of_better(models, space, margin, seed), margin)


@torch.no_grad()
def chance_of_better(models: Models, space: Space, margin: float, seed: int) -> float:
    """The chance that some point of the space is better than the incumbent by a margin.

    Of points all over the space and near the best ones those of the largest expected improvement
    are compared with the incumbent, in joint draws of their utilities.

    Args:
        models: Of a single objective.
        space: Where to search.
        margin: In the unit of the outcomes.
        seed: Seed of points and samples.

    Returns:
        The chance; 1 if no evaluated point of the space satisfies all constraints.
    """
    [model] = models.objectives
    acquisition, incumbent = _to_improve_on(models, space)
    if not len(incumbent):
        return 1.0
    gap = _gap_of(model, margin)
    with seeded(seed):
        X = _others(acquisition, Domain.of(space, models.settings.search), seed)
        differences = model.differences_from(model.encode(incumbent)[0])
        mean, variance, _ = differences.moments(model.encode(X.unsqueeze(-2)))
        gain = log_improvement(mean - gap, variance).squeeze(-1)
        X = X[gain.topk(min(_NUM_RIVALS, len(X))).indices]
        drawn = draw_utilities(model, torch.cat([incumbent, X]), _NUM_SAMPLES)
        is_better = drawn[:, 1:] > drawn[:, :1] + gap
        for slack in models.slacks if len(X) else ():
            is_better &= draw_utilities(slack, X, _NUM_SAMPLES) > place_of(slack, 0.0)
    return float(is_better.any(-1).double().mean())


@one_thread()
@torch.no_grad()
def why(search: Search, space: Space, trials: Trials, x: Tensor) -> str:
    """What a point is suggested for, what is expected of it, and how it differs from the best.

    Args:
        search: What has suggested it.
        space: Where it searched.
        trials: What was known of points.
        x: The point, of shape ``d``.

    Returns:
        A sentence or two.
    """
    if not search.has_model(trials):
        return "Part of the design."
    models = search.models(space, trials)
    model, *others = models.objectives
    if others:
        return "Extends the front."
    acquisition, incumbent = _to_improve_on(models, space)
    if not len(incumbent):
        return "Looks for a point that satisfies all constraints."
    encoded, followed = model.encode(x.unsqueeze(0)), acquisition._followed
    mean, variance, _ = model.differences_from(model.encode(incumbent)[0]).moments(encoded)
    chance = float(torch.special.ndtr(mean / variance.clamp_min(MIN_VARIANCE).sqrt()))
    purpose = "Improves on the best" if chance >= 0.5 else "Explores"
    if bool(is_row_of(x.unsqueeze(0), model.known_X)):
        purpose = "Repeats a known point"
    elif len(followed) and bool((torch.cdist(encoded, followed) <= acquisition._reach).any()):
        purpose = "Follows a surprise"
    place = 1.0 + float(model.rank_law(encoded).mean)
    return (
        f"{purpose}: better than the best with {chance:.0%}, expected place {place:.1f} of "
        f"{len(model.known_X) + 1}. {_compared(space, x, incumbent[0])}"
    )


def _compared(space: Space, x: Tensor, best: Tensor) -> str:
    """The parameters in which a point differs most from another one, in words."""
    away = (space.to_unit(x) - space.to_unit(best)).abs()
    away = away.where(~space.is_categorical | (away == 0.0), 1.0)
    names, values, others = [*space.parameters], space.decode(x), space.decode(best)
    largest = [names[i] for i in away.argsort(descending=True)[:3] if away[i] > 0.01]
    listed = (f"{name} ({_short(values[name])}, not {_short(others[name])})" for name in largest)
    return f"It differs from it in {', '.join(listed)}." if largest else "It is close to it."


def _short(value: Value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _to_improve_on(models: Models, space: Space) -> tuple[RankAcquisitionFunction, Tensor]:
    """What is maximised, and the point that is to be improved on, ``1 x d``, if there is one."""
    model = models.objectives[0]
    acquisition, is_eligible = models.to_improve_on(space)
    if not bool(is_eligible.any()):
        return acquisition, model.known_X[:0]
    return acquisition, model.incumbent_among(is_eligible).unsqueeze(0)


def _others(acquisition: RankAcquisitionFunction, domain: Domain, seed: int) -> Tensor:
    """Points that are not known, all over the space and near the best, ``n x d``."""
    known = acquisition.model.known_X
    if domain.is_table:
        return table_candidates(acquisition, domain, known, seed)
    half = domain.settings.num_raw // 2
    X = torch.cat([random_points(domain, half), points_near(acquisition, domain, half)])
    X = domain.filled(X).unique(dim=0)
    return X[~is_row_of(X, known)]


def _gap_of(model: RankingGP, margin: float) -> Tensor:
    """How much larger the utility of an outcome is that is better than the best by a margin."""
    order = model.order
    best = int(order.score.argmax())
    utility = model.expected_utility(order.X[order.item[[best]]]).squeeze()
    return (place_of(model, float(order.score[best]) + margin) - utility).clamp_min(0.0)
