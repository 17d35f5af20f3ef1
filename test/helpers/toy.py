"""A small problem, and points of it that an acquisition function treats in a known way."""

from typing import Any

import torch
from torch import Tensor

from botorch_popbo import RankModel

BOUNDS = torch.tensor([[0.0, -2.0], [4.0, 2.0]], dtype=torch.float64)


def toy_data(num_points: int, seed: int = 0, **tkwargs: Any) -> tuple[Tensor, Tensor]:
    """Uniform points in ``BOUNDS`` and a concave function of them."""
    generator = torch.Generator().manual_seed(seed)
    unit = torch.rand(num_points, 2, generator=generator, dtype=torch.float64)
    X = BOUNDS[0] + unit * (BOUNDS[1] - BOUNDS[0])
    Y = -(unit - 0.3).square().sum(-1, keepdim=True)
    tkwargs = {"dtype": torch.float64} | tkwargs
    return X.to(**tkwargs), Y.to(**tkwargs)


def split_points(model: RankModel, share: float) -> tuple[Tensor, Tensor]:
    """Promising and unpromising points, ``m x d``, far from everything evaluated.

    Far is a tenth of the bounding box, promising a predicted rate below a share of the number of
    points.
    """
    unit = torch.rand(1500, 2, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    X = BOUNDS[0] + unit * (BOUNDS[1] - BOUNDS[0])
    known = model.known_X
    low, high = known.amin(0), known.amax(0)
    distance = torch.cdist((X - low) / (high - low), (known - low) / (high - low)).amin(-1)
    X = X[distance > 0.1]
    with torch.no_grad():
        rate = model.rank_law(model.encode(X)).log_rate.exp().squeeze(-1)
    promising = rate < share * len(known)
    assert promising.sum() >= 10
    assert (~promising).sum() >= 10
    return X[promising], X[~promising]
