"""This package's models in a plain BoTorch loop.

The default preset; the paper's preset with one choice changed, for the experiments that justify the
choice; and GP-MLP of the paper's appendix: its network with a Gaussian instead of the ranks' law.
Of that architecture and training are the paper's preset; the two outputs are the mean and the
logarithm of the variance of a standardised outcome, which the paper leaves open, and expected
improvement chooses the next point.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
from botorch.models.model import Model
from botorch.optim import optimize_acqf
from torch import Tensor
from torch.nn import Linear, Module, ReLU, Sequential
from torch.nn.functional import gaussian_nll_loss

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.benchmarks.methods._search import (
    drop_known,
    features,
    maximize,
    one_hot,
    uniform_points,
)
from botorch_popbo.benchmarks.methods._surrogates import (
    MomentModel,
    SurrogateOptimizer,
    standardize,
)
from botorch_popbo.benchmarks.methods.base import Method, TensorOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.data import RankCounts, from_outcomes
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.optim._optimizer_options import default_options
from botorch_popbo.optim._tables import NUM_PAPER_CANDIDATES
from botorch_popbo.paper.base_set import from_base_set
from botorch_popbo.paper.training import train
from botorch_popbo.settings import PaperSettings

#: Of a model and a seed.
Acquire = Callable[..., RectifiedAcquisitionFunction]
#: Of points, outcomes and a seed.
Rank = Callable[[Tensor, Tensor, int], RankCounts]

# Without bounds the variance of a point that is fitted well goes to zero, and its loss to infinity.
_LOG_VARIANCE = (-10.0, 4.0)


def maximize_in_box(acquisition: LogExpectedUtilityImprovement, bounds: Tensor) -> Tensor:
    """The best point, of shape ``d``, where every parameter is a range."""
    options = default_options("optimize_acqf", is_smooth=True)
    best, _ = optimize_acqf(acquisition, bounds, q=1, **options)
    return best[0]


def any_other_point(encoding: Encoding, X: Tensor) -> Tensor:
    """A random one, of shape ``d``, where all evaluations were of one point: it has no rank."""
    return drop_known(encoding, uniform_points(encoding, NUM_PAPER_CANDIDATES), X)[0]


class Popbo(TensorOptimizer):
    """The default preset; a failure ranks below every success.

    As a user would, it says that outcomes are exact where they are.
    """

    def __init__(self, problem: Problem, setting: Setting, is_told: bool = True) -> None:
        super().__init__(problem, setting)
        self.is_exact = is_told and not problem.noisy

    def observe_failure(self, parameters: Parameters) -> None:
        self.observe(parameters, math.inf if self.problem.minimize else -math.inf)

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(X.unique(dim=0)) == 1:
            return any_other_point(self.encoding, X), 0
        variance = torch.zeros_like(Y) if self.is_exact else None
        model = RankingGP(X, Y, variance, input_transform=one_hot(self.encoding)).fit()
        incumbent = (model.incumbent == X).all(-1)
        acquisition = LogExpectedUtilityImprovement(model)
        if self.encoding.is_box:
            best = maximize_in_box(acquisition, self.encoding.bounds)
        else:
            best = maximize(acquisition, self.encoding, X, seed)
        return best, int(incumbent.nonzero()[0])


class PaperPopbo(TensorOptimizer):
    """The paper's preset with an acquisition function and a way of ranking."""

    def __init__(self, acquire: Acquire, rank: Rank, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.acquire, self.rank = acquire, rank

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(X.unique(dim=0)) == 1:
            return any_other_point(self.encoding, X), 0
        transform = one_hot(self.encoding, 1.0)
        counts = self.rank(X, Y, seed)
        model = PoissonRankModel.paper(rank_counts=counts, input_transform=transform, seed=seed)
        acquisition = self.acquire(model.fit(), seed=seed)
        best = maximize(acquisition, self.encoding, X, seed, NUM_PAPER_CANDIDATES)
        return best, int(Y.argmax())


def ablations() -> Iterator[Method]:
    def changed(name: str, change: str, acquire: Acquire, rank: Rank = _among_all) -> Method:
        start = partial(PaperPopbo, acquire, rank)
        return Method(f"popbo-{name}", f"ranks: paper preset, {change}", "popbo", start)

    eri, rlcb = ExpectedRankingImprovement, RectifiedLowerConfidenceBound.paper
    families: tuple[tuple[str, str, Acquire], ...] = (("eri", "ERI", eri), ("rlcb", "R-LCB", rlcb))
    for key, title, acquire in families:
        for q in (0.1, 0.2, 0.4, 0.5, 0.6, 0.8):
            yield changed(f"{key}-q{q}", f"{title} with q = {q}", partial(acquire, share=q))
    for k in (1, 3, 5, 10, 20):
        yield changed(f"eri-k{k}", f"ERI with K_m = {k}", partial(eri, K_m=k))
    for key, title, acquire in families:
        change = f"{title}, ranks over a base set"
        yield changed(f"{key}-independent", change, acquire, _over_base_set)


def _among_all(X: Tensor, Y: Tensor, seed: int) -> RankCounts:
    return RankCounts.from_order(from_outcomes(X, Y))


def _over_base_set(X: Tensor, Y: Tensor, seed: int) -> RankCounts:
    return from_base_set(X, Y, torch.Generator().manual_seed(seed))


class GaussianMLP(SurrogateOptimizer):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        inputs, targets = features(self.encoding, X), standardize(Y).squeeze(-1)
        layers: list[Module] = []
        for width_in, width_out in itertools.pairwise((inputs.shape[-1], 128, 128, 128, 2)):
            layers += [Linear(width_in, width_out, dtype=torch.float64), ReLU()]
        network = Sequential(*layers[:-1])

        def moments(points: Tensor) -> tuple[Tensor, Tensor]:
            mean, log_variance = network(points).unbind(-1)
            return mean, log_variance.clamp(*_LOG_VARIANCE).exp()

        def loss(batch: Tensor) -> Tensor:
            mean, variance = moments(inputs[batch])
            return gaussian_nll_loss(mean, targets[batch], variance)

        generator = torch.Generator().manual_seed(seed)
        train(network, loss, len(X), generator, PaperSettings())
        network.requires_grad_(False)
        return MomentModel(lambda points: moments(features(self.encoding, points)))
