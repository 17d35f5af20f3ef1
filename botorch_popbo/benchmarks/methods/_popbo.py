"""This package's models in a plain BoTorch loop.

The default preset; and the paper's preset with one choice changed, for the experiments that justify
the choice.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.benchmarks.methods.base import Method, TensorOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.data import RankCounts, from_base_set, from_outcomes
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.optim._tables import NUM_PAPER_CANDIDATES

#: Of a model and a seed.
Acquire = Callable[..., RectifiedAcquisitionFunction]
#: Of points, outcomes and a seed.
Rank = Callable[[Tensor, Tensor, int], RankCounts]


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
        if len(X.unique(dim=0)) == 1:  # which has no rank
            return self.space.draw(1, seed)[0], 0
        variance = torch.zeros_like(Y) if self.is_exact else None
        model = RankingGP(X, Y, variance, input_transform=self.space.input_transform()).fit()
        best = maximize(LogExpectedUtilityImprovement(model), self.space, X, seed)
        return best, int((model.incumbent == X).all(-1).nonzero()[0])


class PaperPopbo(TensorOptimizer):
    """The paper's preset with an acquisition function and a way of ranking."""

    def __init__(self, acquire: Acquire, rank: Rank, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.acquire, self.rank = acquire, rank

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(X.unique(dim=0)) == 1:
            return self.space.draw(1, seed)[0], 0
        counts, transform = self.rank(X, Y, seed), self.space.input_transform()
        model = PoissonRankModel.paper(rank_counts=counts, input_transform=transform, seed=seed)
        acquisition = self.acquire(model.fit(), seed=seed)
        best = maximize(acquisition, self.space, X, seed, NUM_PAPER_CANDIDATES)
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
