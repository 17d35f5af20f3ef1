"""Ranked records, and their Gaussian process prior by GPyTorch."""

import torch
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.priors import LogNormalPrior
from torch import Tensor

from botorch_popbo.data import Order
from botorch_popbo.likelihoods.propagation import JITTER
from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._fit.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models._fit.priors import default_kernel, default_likelihood
from botorch_popbo.models._observations.from_order import observations_of
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.models._predict.predictor import Predictor
from botorch_popbo.settings import ModelSettings

LENGTHSCALE = torch.tensor([0.5, 1.0], dtype=torch.float64)
NOISE = 1e-3


def unit_points(num_points: int, dim: int = 2, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(num_points, dim, generator=generator, dtype=torch.float64)


def kernel(lengthscale: Tensor) -> MaternKernel:
    matern = MaternKernel(nu=2.5, ard_num_dims=len(lengthscale)).to(lengthscale)
    matern.lengthscale = lengthscale
    return matern


def covariance(X: Tensor, lengthscale: Tensor, noise: Tensor | float = 0.0) -> Tensor:
    """The prior covariance of records: a kernel of unit variance and noise."""
    with torch.no_grad():
        smooth: Tensor = kernel(lengthscale)(X).to_dense()
    return smooth + noise * torch.eye(len(X)).to(X)


def ranked(outcomes: Tensor) -> Observations:
    """The complete ranking of outcomes, larger being better."""
    points = torch.arange(len(outcomes)).to(outcomes).unsqueeze(-1)
    return observations_of(Order.from_scores(points, outcomes))


def hyperparameters(dim: int = 2) -> Hyperparameters:
    """Those of the default prior with lengthscales of median one, at this median."""
    prior = default_kernel(dim)
    prior.lengthscale_prior = LogNormalPrior(0.0, 0.7)
    prior.lengthscale = 1.0
    return Hyperparameters(Modules(prior.double(), default_likelihood(ModelSettings()).double()))


def conditional_law(X: Tensor, records: Observations, prior: Kernel | None = None) -> Predictor:
    """The posterior given records of two columns, at fixed hyperparameters."""
    modules = Modules(prior or kernel(LENGTHSCALE), default_likelihood(ModelSettings()).double())
    modules.likelihood.noise = NOISE
    search = Hyperparameters(modules)
    conditioned = Evidence(Sample(X, records, search)).condition(search.start)
    return Predictor.from_fit(X, conditioned, modules.requires_grad_(False))


def explained(matrix: Tensor) -> Tensor:
    """Inverse covariance of utilities of which only differences are known."""
    inverse = torch.linalg.inv(matrix)
    by_level = inverse.sum(-1)
    return inverse - torch.outer(by_level, by_level) / by_level.sum()


def dense_law(predictor: Predictor, points: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and covariance at points, by matrices of all points and the records.

    Condition by hand on noisy utilities of an unknown level, which the order leaves open by a known
    covariance, and take the differences to the records' average.
    """
    number = len(predictor.X)
    with torch.no_grad():
        prior = predictor.kernel(torch.cat([predictor.X, points])).to_dense()
    known = explained(prior[:number, :number] + (predictor.noise + JITTER).diag())
    given = prior - prior[:, :number] @ (known - predictor.left_open) @ prior[:number]
    contrast = torch.eye(len(prior)).to(prior)
    contrast[:, :number] -= 1.0 / number
    given = (contrast @ given @ contrast.T)[number:, number:]
    return prior[number:, :number] @ predictor.weights, given
