"""Optimizers that fit a model to the outcomes and maximise an acquisition function."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction, LogExpectedImprovement
from botorch.models.model import Model
from botorch.posteriors import GPyTorchPosterior
from gpytorch.distributions import MultivariateNormal
from linear_operator.operators import DiagLinearOperator
from torch import Tensor

from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.benchmarks.methods.base import TensorOptimizer
from botorch_popbo.optim._tables import MAX_CANDIDATES


class SurrogateOptimizer(TensorOptimizer):
    """Fit a model, maximise what it says of new points; by default log expected improvement."""

    max_candidates = MAX_CANDIDATES

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        model = self.fit(X, Y, seed)
        with torch.no_grad():
            fitted = self.predict(model, X)
        acquisition = self.acquisition(model, X, fitted)
        best = maximize(acquisition, self.encoding, X, seed, self.max_candidates)
        return best, int(fitted.argmax())

    @abstractmethod
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        """Fit a model of the outcomes, or of a function that increases with them."""

    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        """Make a function of ``b x 1 x d`` encoded points, given the prediction at ``X``."""
        # With noise the best observation is a lucky one; the best fitted value is not.
        return LogExpectedImprovement(model, best_f=fitted.max())

    def predict(self, model: Any, X: Tensor) -> Tensor:
        """The posterior mean at ``N x d`` points, of shape ``N``."""
        mean: Tensor = model.posterior(X).mean.squeeze(-1)
        return mean


def standardize(values: Tensor) -> Tensor:
    """Columns of an ``N x k`` tensor with mean zero and deviation one, or zero without spread."""
    deviation = values.std(0, correction=0)
    return (values - values.mean(0)) / torch.where(deviation > 0, deviation, 1.0)


class MomentModel(Model):
    """Independent Gaussians: ``... x q x d`` points to means and variances, ``... x q``."""

    num_outputs = 1
    batch_shape = torch.Size()

    def __init__(self, moments: Callable[[Tensor], tuple[Tensor, Tensor]]) -> None:
        super().__init__()
        self.moments = moments

    def posterior(self, X: Tensor, *args: Any, **kwargs: Any) -> GPyTorchPosterior:
        """All arguments but the points are without effect."""
        mean, variance = self.moments(X)
        return GPyTorchPosterior(MultivariateNormal(mean, DiagLinearOperator(variance)))
