"""Joint draws of the utilities of a few hundred points."""

import torch
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch import Tensor

from botorch_popbo.models.ranking_gp import RankingGP


def draw_utilities(model: RankingGP, X: Tensor, number: int) -> Tensor:
    """Draw from the posterior, with torch's global random state.

    Args:
        model: A fitted model.
        X: Points, an ``n x d`` tensor.
        number: Number of draws.

    Returns:
        A ``number x n`` tensor.
    """
    utility = model(X).add_jitter(1e-6)  # some are close
    root = psd_safe_cholesky(utility.covariance_matrix)
    return utility.mean + torch.randn(number, len(root), dtype=torch.double) @ root.T
