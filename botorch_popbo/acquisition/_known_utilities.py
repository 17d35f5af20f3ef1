"""What is expected at known points, and the utility of a given outcome."""

from dataclasses import replace

import torch
from torch import Tensor

from botorch_popbo.likelihoods.weights import JITTER
from botorch_popbo.models._predict.predictor import Predictor
from botorch_popbo.models.ranking_gp import RankingGP

_FURTHEST = 3.0  # deviations of the prior beyond the best point, where all violate a bound


def believing(predictor: Predictor) -> Predictor:
    """The posterior if the utilities of all records are what is expected of them.

    An order leaves open what an evaluated point's utility is, and next to it the best place to
    improve would be its own. Taken for known, nothing is to be gained there: the mean stays as it
    is, and the variance is what distance leaves.

    Args:
        predictor: The posterior given the order.

    Returns:
        The same with another root of what is explained.
    """
    source = predictor.source
    with torch.no_grad():
        prior = predictor.kernel(predictor.X).to_dense() * predictor.correlation[source][:, source]
        # Utilities are relative to their average.
        centred = torch.eye(len(prior)).to(prior) - predictor.share.unsqueeze(-1)
        covariance = centred.mT @ prior @ centred
        covariance.diagonal().add_(JITTER)
        inverse = torch.linalg.inv(torch.linalg.cholesky(covariance))
    return replace(predictor, ordered_root=centred @ inverse.mT)


def place_of(model: RankingGP, value: float) -> Tensor:
    """The utility of an outcome: between its neighbours' in the order, nearer to the closer one.

    From either neighbour the utility is as steep as in the gap beyond it. A line from one to the
    other would be too flat beside the one whose outcomes are dense, and a search for a feasible
    point would creep.

    Where all outcomes are larger it is minus infinity, as a new one will be larger, too. Where none
    is, the slope of the better half of the outcomes goes on.

    Args:
        model: A fitted model.
        value: The outcome, in the unit of the model's.

    Returns:
        A scalar tensor.
    """
    order, predictor = model.order, model.predictor
    with torch.no_grad():
        utility = predictor.mean(model.encode(order.X).double())[order.item]
    succeeded = order.score.isfinite()
    utility, score = utility[succeeded], order.score[succeeded].to(utility)
    if model.settings.order_only:  # half-way, in places
        levels, score = score.unique(return_inverse=True)
        value, score = float((levels < value).sum()) - 0.5, score.to(utility)
    is_above = score >= value
    if bool(is_above.all()):
        return utility.new_tensor(-torch.inf)
    below = score.where(~is_above, -torch.inf).argmax()
    if bool(is_above.any()):
        return _between(score, utility, value)
    half = score.topk(len(score) // 2 + 1).indices
    gap, rise = score[below] - score[half], utility[below] - utility[half]
    slope = (gap @ rise) / gap.square().sum().clamp_min(torch.finfo(gap.dtype).tiny)
    return utility.max() + ((value - score[below]) * slope).clamp(0.0, _FURTHEST)


def _between(score: Tensor, utility: Tensor, value: float) -> Tensor:
    """The utility of a value between two levels, where its slope is that of the gaps beyond."""
    level, index = score.unique(return_inverse=True)
    mean = torch.zeros_like(level).scatter_reduce(0, index, utility, "mean", include_self=False)
    slope = mean.diff() / level.diff()
    below = int((level < value).sum()) - 1
    beyond = slope[[max(below - 1, 0), min(below + 1, len(slope) - 1)]]
    # Of what noise has turned round the gap itself says more.
    beyond = beyond.where(beyond > 0.0, slope[below].clamp_min(torch.finfo(slope.dtype).tiny))
    rise = (value - level[below]) * beyond[0]
    share = rise / (rise + (level[below + 1] - value) * beyond[1])
    return mean[below].lerp(mean[below + 1], share)
