"""BoTorch's Gaussian processes as its tutorials use them: a plain loop without Ax."""

from collections.abc import Callable

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch import Tensor

from botorch_popbo.benchmarks.methods.base import Method, Optimizer
from botorch_popbo.benchmarks.methods.surrogate_loop import SurrogateLoop, one_hot
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting


def fit(model: SingleTaskGP) -> SingleTaskGP:
    """Maximise the marginal likelihood.

    Args:
        model: A Gaussian process.

    Returns:
        The same, fitted.
    """
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def suggest(model: SingleTaskGP, X: Tensor, bounds: Tensor) -> tuple[Tensor, int]:
    """Maximise the logarithm of the expected improvement over a box.

    Args:
        model: A fitted Gaussian process.
        X: The points it was fitted to, ``N x d``.
        bounds: Lower and upper bounds, ``2 x d``.

    Returns:
        A point, of shape ``d``, and the index of the best evaluated point by the model.
    """
    with torch.no_grad():
        fitted = model.posterior(X).mean.squeeze(-1)
    # With noise the best observation is a lucky one; the best fitted value is not.
    acquisition = LogExpectedImprovement(model, best_f=fitted.max())
    candidates, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512)
    return candidates[0], int(fitted.argmax())


class _GaussianProcess(SurrogateLoop):
    def choose(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if self.encoding.choices:
            return super().choose(X, Y, seed)
        return suggest(self.fit(X, Y, seed), X, self.encoding.bounds)

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
        return fit(SingleTaskGP(X, Y, input_transform=one_hot(self.encoding)))


class _RobustGaussianProcess(_GaussianProcess):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> SingleTaskGP:
        model = RobustRelevancePursuitSingleTaskGP(
            X,
            Y,
            input_transform=one_hot(self.encoding),
            # BoTorch expects a fifth of the points to be outliers, and divides by zero below five.
            prior_mean_of_support=max(len(X) // 5, 1),
        )
        return fit(model)


def _method(
    name: str, description: str, optimizer: Callable[[Problem, Setting], Optimizer]
) -> Method:
    return Method(name, description, name, optimizer)


METHODS = (
    _method("botorch-gp", "BoTorch's SingleTaskGP, log expected improvement", _GaussianProcess),
    _method(
        "botorch-robust-gp",
        "BoTorch's relevance pursuit for outliers, log expected improvement",
        _RobustGaussianProcess,
    ),
)
