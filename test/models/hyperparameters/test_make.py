from typing import Any

import pytest
import torch
from botorch.exceptions import UnsupportedError
from gpytorch.kernels import Kernel, MaternKernel, RBFKernel, ScaleKernel
from gpytorch.likelihoods import FixedNoiseGaussianLikelihood, GaussianLikelihood
from gpytorch.priors import GammaPrior, LogNormalPrior
from helpers.gaussian import unit_points

from botorch_popbo import RankingGP
from botorch_popbo.models._hyperparameters.covariance import KernelCovariance, MaternCovariance
from botorch_popbo.models._hyperparameters.kernel import KernelHyperparameters
from botorch_popbo.models._hyperparameters.make import check_prior, make_hyperparameters
from botorch_popbo.models._hyperparameters.matern import MaternHyperparameters
from botorch_popbo.models._hyperparameters.priors import default_kernel, default_likelihood
from botorch_popbo.models.kernels import RoughMaternKernel

X = unit_points(7)
LOG_NORMAL = LogNormalPrior(0.0, 1.0)


def matern(**options: object) -> MaternKernel:
    return MaternKernel(**{"nu": 2.5, "ard_num_dims": 2, "lengthscale_prior": LOG_NORMAL} | options)


@pytest.mark.parametrize(
    ("kernel", "likelihood", "is_closed"),
    [
        (default_kernel(2), default_likelihood(), True),
        (matern(), default_likelihood(), True),
        (matern(nu=1.5), default_likelihood(), False),
        (matern(ard_num_dims=None), default_likelihood(), False),
        (matern(active_dims=(0, 1)), default_likelihood(), False),
        (matern(lengthscale_prior=GammaPrior(3.0, 6.0)), default_likelihood(), False),
        (matern(lengthscale_prior=None), default_likelihood(), False),
        (matern(), GaussianLikelihood(), False),
        (ScaleKernel(default_kernel(2)), default_likelihood(), False),
        (
            RoughMaternKernel(ard_num_dims=2, lengthscale_prior=LOG_NORMAL),
            default_likelihood(),
            False,
        ),
        (RBFKernel(ard_num_dims=2), default_likelihood(), False),
    ],
)
def test_the_closed_form_is_used_where_there_is_one(
    kernel: Kernel, likelihood: GaussianLikelihood, is_closed: bool
) -> None:
    found = make_hyperparameters(kernel, likelihood, 2)
    assert type(found) is (MaternHyperparameters if is_closed else KernelHyperparameters)
    kind = MaternCovariance if is_closed else KernelCovariance
    assert type(found.covariance_function(X)) is kind


TWO = torch.Size([2])


@pytest.mark.parametrize(
    ("kernel", "likelihood", "message"),
    [
        (matern(batch_shape=TWO), None, "Leave its batch_shape out"),
        (None, GaussianLikelihood(batch_shape=TWO), "GaussianLikelihood is no .* single variance"),
        (None, FixedNoiseGaussianLikelihood(torch.ones(7)), "outcomes are train_Yvar"),
    ],
)
def test_what_has_not_one_covariance_and_one_variance_is_refused(
    kernel: Kernel | None, likelihood: Any, message: str
) -> None:
    check_prior(matern(), GaussianLikelihood())
    with pytest.raises(UnsupportedError, match=message):
        check_prior(kernel, likelihood)
    with pytest.raises(UnsupportedError, match=message):
        RankingGP(X, X[:, :1], covar_module=kernel, likelihood=likelihood)
