"""Comparisons alone: BoTorch's PairwiseGP with the expected utility of the best option.

The outcomes are turned into comparisons of all pairs, which tell their order and nothing else. The
next point is the best second option beside the point of highest posterior mean (EUBO, Lin et al.,
2022, with one option given).
"""

from typing import Any

from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.model import Model
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from torch import Tensor

from botorch_popbo.benchmarks.methods._search import features, one_hot, uniform_points
from botorch_popbo.benchmarks.methods._surrogates import SurrogateOptimizer
from botorch_popbo.benchmarks.search_space.encoding import Encoding


def comparisons(Y: Tensor) -> Tensor:
    """Compare all ``N x 1`` outcomes: pairs of indices, winners first, of those that differ."""
    return (Y.squeeze(-1) < Y).nonzero()


def fit(encoding: Encoding, X: Tensor, pairs: Tensor) -> PairwiseGP:
    """Fit BoTorch's PairwiseGP to pairs of winners and losers, ``M x 2`` with at least one row."""
    # The default kernel has a length scale for each column before the transform, not after it.
    kernel = PairwiseGP(features(encoding, X), pairs).covar_module
    model = PairwiseGP(X, pairs, covar_module=kernel, input_transform=one_hot(encoding))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model


class ExpectedUtility(SurrogateOptimizer):
    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(comparisons(Y)) == 0:
            return uniform_points(self.encoding, 1)[0], 0
        return super().choose_encoded(X, Y, seed)

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        return fit(self.encoding, X, comparisons(Y))

    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        winner = X[fitted.argmax()].unsqueeze(0)
        return AnalyticExpectedUtilityOfBestOption(model, previous_winner=winner)
