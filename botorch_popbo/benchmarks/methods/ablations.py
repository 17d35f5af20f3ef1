"""The paper's preset with one choice changed, for the experiments that justify the choice.

All of them, the unchanged choice included, run in a plain BoTorch loop.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from botorch_popbo.acquisition import ExpectedRankingImprovement, RectifiedLowerConfidenceBound
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.surrogate_loop import maximize, one_hot
from botorch_popbo.benchmarks.methods.tensor_loop import TensorLoop
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting
from botorch_popbo.models import PoissonRankModel
from botorch_popbo.presets import get_preset
from botorch_popbo.rank_counts import RankCounts, from_base_set, from_outcomes

#: Makes an acquisition function from a model and a seed.
Acquire = Callable[..., RectifiedAcquisitionFunction]

#: Makes rank counts from points, outcomes and a seed.
Rank = Callable[[Tensor, Tensor, int], RankCounts]

# Wang et al. (2023), section 4 "Baselines": the best of so many where everything is a choice.
_NUM_CANDIDATES = 1000
_SHARES = (0.1, 0.2, 0.4, 0.5, 0.6, 0.8)
_WORST_RANKS = (1, 3, 5, 10, 20)


class _Paper(TensorLoop):
    def __init__(self, acquire: Acquire, rank: Rank, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.acquire = acquire
        self.rank = rank

    def choose(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        scale = get_preset("paper").category_scale
        model = PoissonRankModel(
            rank_counts=self.rank(X, Y, seed),
            input_transform=one_hot(self.encoding, scale),
            preset="paper",
            seed=seed,
        ).fit()
        acquisition = self.acquire(model, seed=seed)
        best = maximize(acquisition, self.encoding, X, seed, _NUM_CANDIDATES)
        return best, int(Y.argmax())


def _among_all(X: Tensor, Y: Tensor, seed: int) -> RankCounts:
    return from_outcomes(X, Y)


def _over_base_set(X: Tensor, Y: Tensor, seed: int) -> RankCounts:
    return from_base_set(X, Y, torch.Generator().manual_seed(seed))


def _method(name: str, change: str, acquire: Acquire, rank: Rank = _among_all) -> Method:
    return Method(name, f"ranks: paper preset, {change}", "popbo", partial(_Paper, acquire, rank))


_ERI, _RLCB = ExpectedRankingImprovement, RectifiedLowerConfidenceBound

METHODS = (
    *(_method(f"popbo-eri-q{q}", f"ERI with q = {q}", partial(_ERI, q=q)) for q in _SHARES),
    *(_method(f"popbo-rlcb-q{q}", f"R-LCB with q = {q}", partial(_RLCB, q=q)) for q in _SHARES),
    *(
        _method(f"popbo-eri-k{k}", f"ERI with K_m = {k}", partial(_ERI, K_m=k))
        for k in _WORST_RANKS
    ),
    _method("popbo-eri-independent", "ERI, ranks over a base set", _ERI, _over_base_set),
    _method("popbo-rlcb-independent", "R-LCB, ranks over a base set", _RLCB, _over_base_set),
)
