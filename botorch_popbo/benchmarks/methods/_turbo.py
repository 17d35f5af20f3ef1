"""TuRBO-1 of BoTorch's tutorial: Eriksson et al. (2019), Scalable global optimization.

The trust region is computed anew from all outcomes, so that a resumed replication has the same one.
Where the tutorial ends, with a region that has become too small, this starts again from a new
uniform design, as in the paper. The method is made for ranges. A choice has no distance to shrink:
ordered or not, a candidate draws it anew with the region's length as probability.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.settings import max_cholesky_size
from torch import Tensor
from torch.quasirandom import SobolEngine

from botorch_popbo.benchmarks.methods import _gaussian_processes
from botorch_popbo.benchmarks.methods._search import drop_known, features, one_hot, uniform_points
from botorch_popbo.benchmarks.methods.base import TensorOptimizer

_LENGTH, _MIN_LENGTH, _MAX_LENGTH = 0.8, 0.5**7, 1.6
_SUCCESSES, _NUM_CANDIDATES = 10, 2000


@dataclass(frozen=True)
class TrustRegion:
    """The index of a run's first observation; the length of the sides before they are scaled."""

    begin: int = 0
    length: float = _LENGTH


def trust_region(outcomes: Sequence[float], initial: int, dimension: int) -> TrustRegion:
    """The region after all outcomes, of which ``initial`` are the design of a run."""
    region, best, successes, failures = TrustRegion(), -math.inf, 0, 0
    for index, outcome in enumerate(outcomes):
        is_design = index - region.begin < initial
        is_success = outcome > best + 1e-3 * abs(best)
        best = max(best, outcome)
        if is_design:
            continue
        successes, failures = (successes + 1, 0) if is_success else (0, failures + 1)
        if successes == _SUCCESSES:
            region, successes = TrustRegion(region.begin, min(2 * region.length, _MAX_LENGTH)), 0
        elif failures == max(4, dimension):
            region, failures = TrustRegion(region.begin, region.length / 2), 0
        if region.length < _MIN_LENGTH:
            region, best, successes, failures = TrustRegion(index + 1), -math.inf, 0, 0
    return region


class Turbo(TensorOptimizer):
    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        best = int(Y.argmax())
        region = trust_region(self.outcomes, self.setting.initial, X.shape[-1])
        if len(X) - region.begin < self.setting.initial:
            return uniform_points(self.encoding, 1)[0], best
        model = self._fit(X[region.begin :], Y[region.begin :])
        center = X[region.begin + int(Y[region.begin :].argmax())]
        candidates = self._candidates(model, center, region.length, seed)
        candidates = drop_known(self.encoding, candidates, X)
        with torch.no_grad(), max_cholesky_size(math.inf):
            return MaxPosteriorSampling(model)(candidates)[0], best

    def _fit(self, X: Tensor, Y: Tensor) -> SingleTaskGP:
        width, scales = features(self.encoding, X).shape[-1], Interval(0.005, 4.0)
        kernel = MaternKernel(nu=2.5, ard_num_dims=width, lengthscale_constraint=scales)
        model = SingleTaskGP(
            X,
            Y,
            likelihood=GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3)),
            covar_module=ScaleKernel(kernel),
            input_transform=one_hot(self.encoding),
        )
        return _gaussian_processes.fit(model)

    def _candidates(self, model: SingleTaskGP, center: Tensor, length: float, seed: int) -> Tensor:
        d = len(center)
        half = torch.full((d,), 0.5 * length, dtype=torch.float64)
        ranges = [i for i in range(d) if i not in self.encoding.choices]
        # The transform puts the columns of categories last, so those of numbers come in order.
        numeric = [i for i in range(d) if i not in self.encoding.categorical]
        scales = model.covar_module.base_kernel.lengthscale.detach().squeeze(0)
        weights = scales[[numeric.index(i) for i in ranges]]
        half[ranges] *= weights / weights.log().mean().exp()
        low, high = (center - half).clamp(0, 1), (center + half).clamp(0, 1)
        unit = SobolEngine(d, scramble=True, seed=seed).draw(_NUM_CANDIDATES, dtype=torch.float64)
        drawn = low + (high - low) * unit
        is_drawn = torch.rand(_NUM_CANDIDATES, d) < min(20.0 / d, 1.0)
        for i, codes in self.encoding.choices.items():
            drawn[:, i] = codes[(unit[:, i] * len(codes)).long().clamp_max(len(codes) - 1)]
            is_drawn[:, i] &= torch.rand(_NUM_CANDIDATES) < length
        # A candidate equal to the center has nothing to tell.
        rows, columns = torch.arange(_NUM_CANDIDATES), torch.randint(d, (_NUM_CANDIDATES,))
        is_drawn[rows, columns] |= ~is_drawn.any(-1)
        return torch.where(is_drawn, drawn, center)
