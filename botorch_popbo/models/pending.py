"""Rank counts as they would be if pending points were observed at their predicted ranks."""

import torch
from torch import Tensor

from botorch_popbo.rank_counts import RankCounts


def insert_pending(data: RankCounts, X_pending: Tensor, predicted: Tensor) -> RankCounts:
    """Add pending points to rank counts.

    A pending point joins at its predicted rank: it is better than exactly the observed points whose
    own count is at least as large, and than the pending points predicted to rank behind it. Every
    record then met that many points more.

    Args:
        data: The observed records.
        X_pending: Points being evaluated, a ``p x d`` tensor.
        predicted: Their predicted counts among the observed points, of shape ``p``, in ranks.

    Returns:
        The records of observed and pending points, in that order; counts may be fractional.
    """
    num_points, num_pending = data.num_points, X_pending.shape[0]
    # A record that met few points is placed by its share of better ones.
    placed = data.counts / data.exposure.clamp_min(1.0) * (num_points - 1)
    better = (predicted <= placed.unsqueeze(-1)).sum(-1).to(data.counts)
    ahead = (predicted < predicted.unsqueeze(-1)).sum(-1).to(data.counts)
    exposure = num_points + num_pending - 1.0
    return RankCounts(
        X=torch.cat([data.X, X_pending.to(data.X)]),
        counts=torch.cat([data.counts + better, predicted + ahead]).clamp_max(exposure),
        exposure=torch.cat(
            [data.exposure + num_pending, data.exposure.new_full((num_pending,), exposure)]
        ),
    )
