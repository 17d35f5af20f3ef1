"""BoTorch's Gaussian processes, as in its tutorials.

``gp-copula`` sees the normal quantiles of the outcomes' ranks, as in Salinas et al. (2020), A
quantile-based approach for hyperparameter transfer learning. Of that work only the map is here. The
quantile levels are (rank - 1/2) / N and not winsorized, which would tie the best points.
"""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_fully_bayesian_model_nuts, fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.fully_bayesian import FullyBayesianSingleTaskGP
from botorch.models.transforms.input import InputTransform
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from botorch.posteriors.fully_bayesian import GaussianMixturePosterior
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.special import ndtri
from scipy.stats import rankdata
from torch import Tensor

from botorch_popbo._errors import library
from botorch_popbo.benchmarks.methods.base import TensorOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting
from botorch_popbo.search.domain import Domain
from botorch_popbo.search.maximize import maximize
from botorch_popbo.settings import SearchSettings

GP = SingleTaskGP | FullyBayesianSingleTaskGP


def fit(model: SingleTaskGP) -> SingleTaskGP:
    """Maximize the marginal likelihood; return the same model."""
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def expected_improvement(model: GP, X: Tensor) -> tuple[LogExpectedImprovement, int]:
    """The acquisition function after ``N x d`` points, and the index of the best by the model."""
    with torch.no_grad():
        law = model.posterior(X)
        mean = law.mixture_mean if isinstance(law, GaussianMixturePosterior) else law.mean
    fitted = mean.squeeze(-1)
    # With noise the best observation is a lucky one; the best fitted value is not.
    return LogExpectedImprovement(model, best_f=fitted.max()), int(fitted.argmax())


def normal_scores(Y: Tensor) -> Tensor:
    """The normal quantiles of the ranks of ``N x 1`` outcomes; equal ones share a mean rank."""
    ranks = rankdata(Y.squeeze(-1).numpy(), method="average")
    return torch.as_tensor(ndtri((ranks - 0.5) / len(ranks)), dtype=Y.dtype).unsqueeze(-1)


class GaussianProcess(TensorOptimizer):
    """BoTorch's SingleTaskGP of the outcomes."""

    def fit(self, X: Tensor, Y: Tensor, transform: InputTransform | None) -> GP:
        """Fit to ``N x d`` points and ``N x 1`` outcomes; the transform maps to the unit cube."""
        return fit(SingleTaskGP(X, Y, input_transform=transform))

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        """See the base class."""
        if self.space.size.isinf().all():  # as in the tutorials, the optimizer is in the unit cube
            unit = self.space.to_unit(X)
            acquisition, best = expected_improvement(self.fit(unit, Y, None), unit)
            cube = torch.stack([torch.zeros_like(X[0]), torch.ones_like(X[0])])
            # With the restarts of the tutorials.
            found, _ = optimize_acqf(acquisition, cube, q=1, num_restarts=10, raw_samples=512)
            return self.space.from_unit(found[0]), best
        acquisition, best = expected_improvement(self.fit(X, Y, self.space.input_transform()), X)
        return maximize(acquisition, Domain.of(self.space, SearchSettings()), X, seed), best


class Copula(GaussianProcess):
    """The same of the normal scores of their ranks."""

    def fit(self, X: Tensor, Y: Tensor, transform: InputTransform | None) -> GP:
        """See the base class."""
        return super().fit(X, normal_scores(Y), transform)


class FullyBayesian(GaussianProcess):
    """BoTorch's Matern 5/2 of the outcomes, whose hyperparameters are drawn by NUTS.

    The paper draws those of its Gaussian process by slice sampling.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        library("numpyro", setting.method, "peers")

    def fit(self, X: Tensor, Y: Tensor, transform: InputTransform | None) -> GP:
        """See the base class."""
        model = FullyBayesianSingleTaskGP(
            X, Y, outcome_transform=Standardize(1), input_transform=transform
        )
        # Half of BoTorch's draws and a quarter of its warm-up: a suggestion takes seconds as it is.
        fit_fully_bayesian_model_nuts(
            model, warmup_steps=128, num_samples=128, disable_progbar=True
        )
        return model
