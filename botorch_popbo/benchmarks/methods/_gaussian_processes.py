"""BoTorch's Gaussian processes.

``botorch-gp`` and ``botorch-robust-gp`` are as in BoTorch's tutorials. Beside these:

- ``botorch-gp-lcb``: an upper confidence bound of two standard deviations (a lower one where small
  values are good).
- ``gp-copula``: outcomes become the normal quantiles of their ranks, as in Salinas et al. (2020), A
  quantile-based approach for hyperparameter transfer learning. Of that work only the map is here:
  there are no other tasks to learn from. The quantile levels are (rank - 1/2) / N and not
  winsorised, which would tie the best points.
- ``saasbo``: BoTorch's fully Bayesian process with sparse axes, Eriksson and Jankowiak (2021). NUTS
  takes 64 warm-up steps and 64 samples, of which every fourth is kept; BoTorch's tutorial takes 256
  of either. It needs NumPyro.
"""

from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction, LogExpectedImprovement, UpperConfidenceBound
from botorch.fit import fit_fully_bayesian_model_nuts, fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.fully_bayesian import SaasFullyBayesianSingleTaskGP
from botorch.models.model import Model
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.special import ndtri
from scipy.stats import rankdata
from torch import Tensor

from botorch_popbo.benchmarks.methods._libraries import library
from botorch_popbo.benchmarks.methods._search import one_hot
from botorch_popbo.benchmarks.methods._surrogates import SurrogateOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting

_NUTS: dict[str, Any] = {"warmup_steps": 64, "num_samples": 64, "thinning": 4}


def fit(model: SingleTaskGP) -> SingleTaskGP:
    """Maximise the marginal likelihood; return the same model."""
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def suggest(model: SingleTaskGP, X: Tensor, bounds: Tensor) -> tuple[Tensor, int]:
    """The point of the highest log expected improvement in a box, with BoTorch's own restarts.

    Of shape ``d``; and the index of the best of the points ``X`` by the model.
    """
    with torch.no_grad():
        fitted = model.posterior(X).mean.squeeze(-1)
    acquisition = LogExpectedImprovement(model, best_f=fitted.max())
    candidates, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512)
    return candidates[0], int(fitted.argmax())


def normal_scores(Y: Tensor) -> Tensor:
    """The normal quantiles of the ranks of ``N x 1`` outcomes; equal ones share a mean rank."""
    ranks = rankdata(Y.squeeze(-1).numpy(), method="average")
    return torch.as_tensor(ndtri((ranks - 0.5) / len(ranks)), dtype=Y.dtype).unsqueeze(-1)


class _SingleTask(SurrogateOptimizer):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
        return fit(SingleTaskGP(X, Y, input_transform=one_hot(self.encoding)))


class GaussianProcess(_SingleTask):
    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if self.encoding.is_box:
            return suggest(self.fit(X, Y, seed), X, self.encoding.bounds)
        return super().choose_encoded(X, Y, seed)


class RobustGaussianProcess(GaussianProcess):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
        # BoTorch expects a fifth of the points to be outliers, and divides by zero below five.
        outliers, transform = max(len(X) // 5, 1), one_hot(self.encoding)
        return fit(
            RobustRelevancePursuitSingleTaskGP(
                X, Y, input_transform=transform, prior_mean_of_support=outliers
            )
        )


class ConfidenceBound(_SingleTask):
    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        return UpperConfidenceBound(model, beta=4.0)


class Copula(_SingleTask):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
        return super().fit(X, normal_scores(Y), seed)


class SparseAxes(SurrogateOptimizer):
    max_candidates = 5000  # every sample predicts every candidate

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        library("numpyro", setting.method)

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        model = SaasFullyBayesianSingleTaskGP(
            X, Y, outcome_transform=Standardize(1), input_transform=one_hot(self.encoding)
        )
        fit_fully_bayesian_model_nuts(model, **_NUTS, disable_progbar=True, seed=seed)
        return model

    def predict(self, model: Any, X: Tensor) -> Tensor:
        mean: Tensor = model.posterior(X).mixture_mean.squeeze(-1)
        return mean
