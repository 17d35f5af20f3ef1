"""Joint draws of the utilities of a few hundred points."""

import torch
from gpytorch.distributions import MultivariateNormal
from linear_operator.utils.cholesky import psd_safe_cholesky
from torch import Tensor


def draw(law: MultivariateNormal, number: int) -> Tensor:
    """Draw from a normal law of ``n`` values, with torch's global random state.

    Args:
        law: The law.
        number: Number of draws.

    Returns:
        A ``number x n`` tensor.
    """
    law = law.add_jitter(1e-6)  # some points are close
    root = psd_safe_cholesky(law.covariance_matrix)
    return law.mean + torch.randn(number, len(root), dtype=torch.double).to(root) @ root.T
