"""From the law of a rank to an outcome, by the order statistics of what was observed."""

import torch
from torch import Tensor

from botorch_popbo.data import Order
from botorch_popbo.models import RankModel

_MIN_VARIANCE = 1e-12  # relative to the squared range of the outcomes


def outcome_moments(model: RankModel, X: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of the outcome at a point.

    A point of predicted rank ``k`` is expected between the ``k``-th and the next observed outcome
    in falling order, so the law of the rank is carried over to the order statistics.

    Args:
        model: A model fitted to outcomes.
        X: Points, an ``n x d`` tensor.

    Returns:
        Two tensors of shape ``n``, in the unit of the outcomes and its square.
    """
    assert model.order is not None
    levels = _outcome_levels(model.order).to(X)
    ranks = torch.arange(levels.shape[0], device=X.device, dtype=X.dtype)
    probabilities = model.rank_posterior(X).log_prob(ranks).exp()
    # The untruncated law also reaches beyond the worst rank: that is the worst outcome.
    last = 1.0 - probabilities[..., :-1].sum(-1, keepdim=True)
    probabilities = torch.cat([probabilities[..., :-1], last.clamp_min(0.0)], dim=-1)
    mean = (probabilities * levels).sum(-1)
    variance = (probabilities * (levels - mean.unsqueeze(-1)).square()).sum(-1)
    spread = (levels[0] - levels[-1]).square().clamp_min(1.0)
    return mean, variance.clamp_min(_MIN_VARIANCE * spread)


def _outcome_levels(order: Order) -> Tensor:
    """The outcome to expect at each of the ranks 0 .. N, a tensor of shape ``N + 1``."""
    outcomes = order.score
    finite = outcomes[outcomes.isfinite()]
    worst = finite.min() if finite.numel() else outcomes.new_zeros(())
    falling = outcomes.clamp_min(worst).sort(descending=True).values
    between = (falling[:-1] + falling[1:]) / 2.0
    return torch.cat([falling[:1], between, falling[-1:]])
