"""Ranked records, and their Gaussian process prior by GPyTorch."""

import torch
from gpytorch.kernels import MaternKernel
from torch import Tensor

from botorch_popbo.data import Order
from botorch_popbo.models._records import Records

MEAN_VARIANCE = 25.0


def unit_points(num_points: int, dim: int = 2, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(num_points, dim, generator=generator, dtype=torch.float64)


def kernel(lengthscale: Tensor) -> MaternKernel:
    matern = MaternKernel(nu=2.5, ard_num_dims=len(lengthscale)).to(lengthscale)
    matern.lengthscale = lengthscale
    return matern


def covariance(X: Tensor, lengthscale: Tensor, noise: Tensor | float = 0.0) -> Tensor:
    """The prior covariance of records: a kernel of unit variance, an unknown mean and noise."""
    with torch.no_grad():
        smooth: Tensor = kernel(lengthscale)(X).to_dense()
    return smooth + MEAN_VARIANCE + noise * torch.eye(len(X)).to(X)


def ranked(outcomes: Tensor) -> Records:
    """The complete ranking of outcomes, larger being better."""
    X = torch.arange(len(outcomes)).double().unsqueeze(-1)
    return Records.from_order(Order.from_scores(X, outcomes))
