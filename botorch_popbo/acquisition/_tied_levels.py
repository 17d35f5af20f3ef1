"""Utilities of equal outcomes are one value."""

from collections.abc import Sequence
from typing import Any

import torch
from botorch.acquisition.multi_objective.objective import MCMultiOutputObjective
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from botorch_popbo._seeds import seeded
from botorch_popbo.models.ranking_gp import RankingGP
from botorch_popbo.settings import AcquisitionSettings


class TiedLevels(MCMultiOutputObjective):
    """Utilities, with those of each level of equal outcomes as one.

    The order says nothing about several equal outcomes, so the utility of each may be the largest,
    and so may that of a new point that will tie with them. As an improvement it would count, and
    a front would be sought where one objective cannot get any better. Here a single value stands
    for all utilities between those of the next worse and the next better level, and for those up to
    the largest of the best level: to surpass it a point has to surpass all of its points.

    Outcomes that differ by less than rounding makes of the typical one are equal here.

    Args:
        models: Fitted models of the ``c`` objectives.
        seed: Seed of the utilities that are drawn.
        settings: How many are drawn, what is equal and what surpasses.
    """

    low: Tensor
    width: Tensor

    def __init__(
        self, models: Sequence[RankingGP], seed: int, settings: AcquisitionSettings
    ) -> None:
        super().__init__()
        with seeded(seed), torch.no_grad():
            ranges = [_tied_ranges(model, settings) for model in models]
        # A range of no width changes nothing.
        low, high = pad_sequence(ranges, batch_first=True).unbind(-1)
        self.register_buffer("low", low, persistent=False)
        self.register_buffer("width", high - low, persistent=False)

    def forward(self, samples: Tensor, X: Tensor | None = None) -> Tensor:
        """Close the ranges.

        Args:
            samples: Utilities, a ``... x c`` tensor.
            X: Not used.

        Returns:
            A tensor of the same shape.
        """
        within = (samples.unsqueeze(-1) - self.low).clamp_min(0.0).minimum(self.width)
        return samples - within.sum(-1)


def _tied_ranges(model: RankingGP, settings: AcquisitionSettings) -> Tensor:
    """Ranges of the utilities of levels of several points, rising and disjoint, ``k x 2``."""
    order, known = model.order, model.known_X
    succeeded = (order.score.isfinite() & ~order.is_censored).nonzero().squeeze(-1)
    if order.num_lists != 1 or not len(succeeded):
        return known.new_zeros(0, 2)
    score, entry = order.score[succeeded].to(known.device).sort()
    rounding = settings.rounding * torch.finfo(score.dtype).eps * score.abs().median()
    level = (score.diff(prepend=score[:1]) > rounding).cumsum(0)
    is_tied = level.bincount() > 1
    if not bool(is_tied.any()):
        return known.new_zeros(0, 2)
    points = known[order.item[succeeded].to(known.device)[entry]]
    posterior: Any = model.posterior(points)
    utility = posterior.mean.squeeze(-1)
    empty = utility.new_zeros(len(is_tied))
    least, most = (
        empty.scatter_reduce(0, level, utility, end, include_self=False) for end in ("amin", "amax")
    )
    border = 0.5 * (most[:-1] + least[1:]).cummax(0).values  # noise may have mixed neighbours up
    top = points[level == level[-1]]
    drawn = model.posterior(top).rsample(torch.Size([settings.num_level_samples])).squeeze(-1)
    surpassed = drawn.amax(-1).quantile(settings.sure)
    low, high = torch.cat([least[:1], border]), torch.cat([border, surpassed.unsqueeze(0)])
    return torch.stack([low, high.maximum(low)], dim=-1)[is_tied]
