"""Ranked records, and their Gaussian process prior by GPyTorch."""

import torch
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.priors import LogNormalPrior
from torch import Tensor

from botorch_popbo.data import Order
from botorch_popbo.models.evidence import Evidence, Sample
from botorch_popbo.models.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models.predictor import Predictor
from botorch_popbo.models.priors import default_kernel, default_likelihood
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings


def unit_points(num_points: int, dim: int = 2, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(num_points, dim, generator=generator, dtype=torch.float64)


def covariance(X: Tensor, lengthscale: Tensor, noise: Tensor | float = 0.0) -> Tensor:
    """The prior covariance of records: a kernel of unit variance and noise."""
    matern = MaternKernel(nu=2.5, ard_num_dims=len(lengthscale)).to(lengthscale)
    matern.lengthscale = lengthscale
    with torch.no_grad():
        smooth: Tensor = matern(X).to_dense()
    return smooth + noise * torch.eye(len(X)).to(X)


def ranked(outcomes: Tensor) -> Records:
    """The complete ranking of outcomes, larger being better, at no known distance."""
    points = torch.arange(len(outcomes)).to(outcomes).unsqueeze(-1)
    return Records.from_order(Order.from_scores(points, outcomes), order_only=True)


def hyperparameters(dim: int = 2) -> Hyperparameters:
    """Those of the default prior with lengthscales of median one, at this median."""
    prior = default_kernel(dim)
    prior.lengthscale_prior = LogNormalPrior(0.0, 0.7)
    prior.lengthscale = 1.0
    return Hyperparameters(Modules(prior.double(), default_likelihood(ModelSettings()).double()))


def conditional_law(X: Tensor, records: Records, prior: Kernel) -> Predictor:
    """The posterior given records, at fixed hyperparameters."""
    modules = Modules(prior, default_likelihood(ModelSettings()).double())
    modules.likelihood.noise = 1e-3
    search = Hyperparameters(modules)
    conditioned = Evidence(Sample(X, records, search)).condition(search.start)
    return Predictor.from_fit(X, conditioned, modules.requires_grad_(False))


def dense_law(predictor: Predictor, points: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and covariance at points, by matrices of all points and the records.

    What the statements explain is taken off the prior of the differences to the records' average.
    """
    number = len(predictor.X)
    with torch.no_grad():
        prior = predictor.kernel(torch.cat([predictor.X, points])).to_dense()
    explained = prior[:, :number] @ predictor.root
    contrast = torch.eye(len(prior)).to(prior)[number:]
    contrast[:, :number] -= 1.0 / number
    given = contrast @ (prior - explained @ explained.T) @ contrast.T
    return prior[number:, :number] @ predictor.weights, given
