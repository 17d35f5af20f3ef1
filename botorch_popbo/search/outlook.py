"""Whether anything better is left to be found, and what a suggestion is for."""

import math
from collections.abc import Callable
from typing import NamedTuple, cast

import torch
from botorch.exceptions import InputDataError
from torch import Tensor

from botorch_popbo._plain import Value
from botorch_popbo._reproducible import derive_seed, one_thread, seeded
from botorch_popbo.acquisition import LogExpectedFrontImprovement, RankAcquisitionFunction
from botorch_popbo.acquisition._log_improvement import deviation_of, log_improvement
from botorch_popbo.acquisition._slack_constraint import place_of
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP
from botorch_popbo.models.conditional import draw
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import table_candidates
from botorch_popbo.search.starts import points_near, random_points
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trials
from botorch_popbo.space import Space, is_number

# Samples of the utility, and points that may be better, the most promising of those looked at.
_NUM_SAMPLES, _NUM_RIVALS = 512, 128


class Outlook(NamedTuple):
    """Whether to continue.

    Attributes:
        chance: The chance that some point of the space is better than the best one by the margin,
            or enlarges the front by it; NaN before the end of the design, as is the margin.
        margin: In the unit of the outcomes; of several objectives a share of the hypervolume.
        is_front: Whether there are several objectives.
    """

    chance: float
    margin: float
    is_front: bool = False

    def __str__(self) -> str:
        if math.isnan(self.chance):
            return "no chance is known before the design has ended"
        if self.is_front:
            return f"{self.chance:.0%} chance of a front larger by {100 * self.margin:.2g}%"
        return f"{self.chance:.0%} chance of anything better by {self.margin:.2g}"


@one_thread()
def outlook(search: Search, space: Space, trials: Trials, margin: float | None = None) -> Outlook:
    """Whether anything better is left to be found.

    Args:
        search: What suggests; it keeps the models.
        space: Where to search.
        trials: What is known of points.
        margin: See :func:`chance_of_better`.

    Returns:
        The chance.

    Raises:
        InputDataError: If the margin is negative or not a number.
    """
    if margin is not None and not (is_number(margin) and margin >= 0.0):
        raise InputDataError(f"margin must be a number of at least 0, or None, not {margin!r}.")
    if not search.has_model(trials):
        return Outlook(math.nan, math.nan)
    models, seed = search.models(space, trials), derive_seed(search.seed, len(trials.X))
    acquisition = models.improvement_in(space, None)
    domain = Domain.of(space, models.settings.search)
    return chance_of_better(acquisition, domain, trials, search.num_initial, margin, seed)


@one_thread()
@torch.no_grad()
def chance_of_better(
    acquisition: RankAcquisitionFunction,
    domain: Domain,
    trials: Trials,
    num_initial: int,
    margin: float | None,
    seed: int,
    feasible: Callable[[Tensor], Tensor] = Tensor.clone,
) -> Outlook:
    """The chance that some point of the space is better than the incumbent by a margin.

    Of points all over the space and near the best ones those of the largest expected improvement
    are compared with the incumbent, in joint draws of their utilities. Of several objectives the
    draws are given that known points are as expected, as for the acquisition function, and a point
    is better if it alone enlarges the hypervolume of the front by the margin.

    Args:
        acquisition: What is maximized, a function of utilities.
        domain: Where to search.
        trials: What is known of points, those of the design first.
        num_initial: Number of trials of the design.
        margin: By how much to be better, in the unit of the outcomes. By default a hundredth of the
            distance between the best outcome and the median one of the design. Where the order
            alone counts, any margin above zero is half a place. Of several objectives it is a share
            of the hypervolume, by default a hundredth.
        seed: Seed of points and samples.
        feasible: Those of some points that may be suggested.

    Returns:
        The chance; 1 if no evaluated point of the space satisfies all constraints, or there is but
        one point.
    """
    is_front = isinstance(acquisition, LogExpectedFrontImprovement)
    if margin is None:
        values = trials.objectives[trials.objectives[:, 0].isfinite(), 0]
        left = max(values.tolist(), default=math.nan) - float(values[:num_initial].median())
        margin = 0.01 if is_front else 0.01 * left
    model = cast(RankingGP, acquisition.model)
    if not bool(acquisition.recommendable.any()) or not len(model.order.score):
        return Outlook(1.0, margin, is_front)
    with seeded(seed):
        X = feasible(_others(acquisition, domain, seed))
        if isinstance(acquisition, LogExpectedFrontImprovement):
            X = X[acquisition(X.unsqueeze(-2)).topk(min(_NUM_RIVALS, len(X))).indices]
            is_better = acquisition.draw_gains(X, _NUM_SAMPLES) > margin * acquisition.volume
        else:
            X, is_better = _better(acquisition, X, margin)
        for slack in acquisition.slack_models if len(X) else ():
            is_better &= draw(slack(X), _NUM_SAMPLES) > place_of(slack, 0.0)
    return Outlook(float(is_better.any(-1).double().mean()), margin, is_front)


def _better(function: RankAcquisitionFunction, X: Tensor, margin: float) -> tuple[Tensor, Tensor]:
    """The most promising points, and which of them are better than the best in each draw."""
    model = cast(RankingGP, function.model)
    incumbent = model.incumbent_among(function.recommendable).unsqueeze(0)
    differences, gap = model.differences_from(model.encode(incumbent)[0]), _gap_of(model, margin)
    mean, variance, _ = differences.moments(model.encode(X.unsqueeze(-2)))
    gain = log_improvement(mean - gap, variance).squeeze(-1)
    X = X[gain.topk(min(_NUM_RIVALS, len(X))).indices]
    drawn = draw(model(torch.cat([incumbent, X])), _NUM_SAMPLES)
    return X, drawn[:, 1:] > drawn[:, :1] + gap


@one_thread()
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
    # The best point may have other values of parameters that are fixed for this one.
    acquisition = search.models(space, trials).improvement_in(space.at_places({}), None)
    sentence, best = purpose(acquisition, x)
    if best is None:
        return sentence
    away = (space.to_unit(x) - space.to_unit(best)).abs()
    away = away.where(~space.is_categorical | (away == 0.0), 1.0)
    shares = dict(zip(space.parameters, away.tolist(), strict=True))
    # What has no meaning at a point is not named.
    values = [space.active(space.decode(point)) for point in (x, best)]
    return f"{sentence} {compared(shares, *values)}"


@one_thread()
@torch.no_grad()
def purpose(acquisition: RankAcquisitionFunction, x: Tensor) -> tuple[str, Tensor | None]:
    """What a point is suggested for, and what is expected of it.

    Args:
        acquisition: What was maximized, a function of utilities.
        x: The point, of shape ``d``.

    Returns:
        A sentence; and the point to improve on, of shape ``d``, if there is a single one.
    """
    if not bool(acquisition.recommendable.any()):
        return "Looks for a point that satisfies all constraints.", None
    if isinstance(acquisition, LogExpectedFrontImprovement):
        with seeded(0):
            gains = acquisition.draw_gains(x.unsqueeze(0), _NUM_SAMPLES)
        chance = float((gains > 0.0).double().mean())
        return f"Extends the front: {chance:.0%} likely to be a new trade-off.", None
    model = cast(RankingGP, acquisition.model)
    best = model.incumbent_among(acquisition.recommendable)
    encoded = model.encode(x.unsqueeze(0))
    differences = model.differences_from(model.encode(best.unsqueeze(0))[0])
    mean, variance, _ = differences.moments(encoded)
    chance = float(torch.special.ndtr(mean / deviation_of(variance)))
    name = "Improves on the best" if chance >= 0.5 else "Explores"
    if chance < 0.01:
        name = "Looks where little is known"
    if bool(is_row_of(x.unsqueeze(0), model.known_X)):
        name = "Repeats a known point"
    elif acquisition.follows(encoded):
        name = "Follows a surprise"
    place = 1.0 + float(model.rank_law(encoded).mean)
    number = len(model.known_X) + 1
    expected = f"{chance:.0%} likely to beat the best, expected place {place:.1f} of {number}."
    return f"{name}: {expected}", best


def compared(shares: dict[str, float], x: dict[str, Value], best: dict[str, Value]) -> str:
    """The parameters in which a point differs most from the best one, in words.

    Args:
        shares: By how much of its range each differs; 1 if two choices are different.
        x: The parameters of the point.
        best: Those of the best one; what only one of them has is left out.
    """
    both = [name for name in shares if shares[name] > 0.01 and name in x and name in best]
    largest = sorted(both, key=lambda name: -shares[name])[:3]
    listed = (f"{name} ({_short(x[name])}, not {_short(best[name])})" for name in largest)
    return f"It differs in {', '.join(listed)}." if largest else "It is close to the best."


def _short(value: Value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


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
