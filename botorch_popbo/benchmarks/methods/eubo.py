"""Comparisons alone: BoTorch's PairwiseGP with the expected utility of the best option.

The outcomes are turned into comparisons of all pairs, which tell their order and nothing else. The
next point is the best second option beside the point of highest posterior mean (EUBO, Lin et al.,
2022, with one option given).
"""

from typing import Any

from ax.utils.common.random import with_rng_seed
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.model import Model
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from torch import Tensor

from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.surrogate_loop import (
    SurrogateLoop,
    features,
    one_hot,
    uniform_points,
)
from botorch_popbo.benchmarks.search_space.encoding import Encoding


def comparisons(Y: Tensor) -> Tensor:
    """Compare every point with every other.

    Args:
        Y: Outcomes, ``N x 1``, larger being better.

    Returns:
        Pairs of indices, winners first; equal outcomes are not compared.
    """
    return (Y.squeeze(-1) < Y).nonzero()


def fit(encoding: Encoding, X: Tensor, pairs: Tensor) -> PairwiseGP:
    """Fit BoTorch's PairwiseGP.

    Args:
        encoding: The search space.
        X: Encoded points, ``N x d``.
        pairs: Indices of winners and losers, ``M x 2`` with at least one row.

    Returns:
        The fitted model.
    """
    # The default kernel has a length scale for each column before the transform, not after it.
    kernel = PairwiseGP(features(encoding, X), pairs).covar_module
    model = PairwiseGP(X, pairs, covar_module=kernel, input_transform=one_hot(encoding))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model


class _ExpectedUtility(SurrogateLoop):
    def choose(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(comparisons(Y)) == 0:
            return uniform_points(self.encoding, 1)[0], 0
        # PairwiseGP draws from NumPy's global generator.
        with with_rng_seed(seed):
            return super().choose(X, Y, seed)

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        return fit(self.encoding, X, comparisons(Y))

    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        winner = X[fitted.argmax()].unsqueeze(0)
        return AnalyticExpectedUtilityOfBestOption(model, previous_winner=winner)


METHODS = (Method("eubo", "BoTorch's PairwiseGP on comparisons, EUBO", "eubo", _ExpectedUtility),)
