"""This package's models, in the search that its users have.

The default preset; and the paper's preset with one choice changed, for the experiments that justify
the choice.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from botorch_popbo.acquisition import ExpectedRankingImprovement, RectifiedLowerConfidenceBound
from botorch_popbo.acquisition.rectified import RectifiedAcquisitionFunction
from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.benchmarks.methods.base import Method, SequentialOptimizer, TensorOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.data import RankCounts, from_outcomes
from botorch_popbo.models import PoissonRankModel
from botorch_popbo.paper.base_set import from_base_set
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings

#: Of a model and a seed.
Acquire = Callable[..., RectifiedAcquisitionFunction]
#: Of points, outcomes and a seed.
Rank = Callable[[Tensor, Tensor, int], RankCounts]


class Popbo(SequentialOptimizer):
    """The default preset; a failure ranks below every success.

    As a user would, it says that outcomes are exact where they are.
    """

    def __init__(
        self,
        problem: Problem,
        setting: Setting,
        is_told: bool = True,
        settings: Settings = Settings(),  # noqa: B008  # frozen
    ) -> None:
        super().__init__(problem, setting)
        self.settings = settings
        self.variance = 0.0 if is_told and not problem.noisy else math.nan

    def observe_failure(self, parameters: Parameters) -> None:
        self.observe(parameters, math.inf if self.problem.minimize else -math.inf)

    def choose(self, trial: int, seed: int) -> tuple[Parameters, int]:
        # The campaign has the initial design.
        space, search = self.space, Search(seed, self.settings, num_initial=1)
        points = [space.encode(point) for point in self.points]
        told = zip(points, self.outcomes, strict=True)
        ended = [Trial(x, [outcome], variance=self.variance) for x, outcome in told]
        trials = Trials.gather(ended, [], (len(space.parameters), 1, 0))
        suggested = space.decode(search.suggest(space, trials, trial))
        if len(trials.X.unique(dim=0)) == 1:  # which has no rank
            return suggested, 0
        is_best = torch.stack(points) == search.models(space, trials).best
        return suggested, int(is_best.all(-1).nonzero()[0])


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
        number = Settings().search.max_network_candidates
        return maximize(acquisition, self.space, X, seed, number), int(Y.argmax())


def ablations() -> Iterator[Method]:
    def changed(name: str, change: str, acquire: Acquire, rank: Rank = _among_all) -> Method:
        start = partial(PaperPopbo, acquire, rank)
        return Method(f"popbo-{name}", f"ranks: paper preset, {change}", start)

    eri, rlcb = ExpectedRankingImprovement, RectifiedLowerConfidenceBound.paper
    families: tuple[tuple[str, str, Acquire], ...] = (("eri", "ERI", eri), ("rlcb", "R-LCB", rlcb))
    for key, title, acquire in families:
        for q in (0.1, 0.2, 0.4, 0.5, 0.6, 0.8):
            yield changed(f"{key}-q{q}", f"{title} with q = {q}", partial(acquire, share=q))
        change = f"{title}, ranks over a base set"
        yield changed(f"{key}-independent", change, acquire, _over_base_set)
    for k in (1, 3, 5, 10, 20):
        yield changed(f"eri-k{k}", f"ERI with K_m = {k}", partial(eri, K_m=k))


def _among_all(X: Tensor, Y: Tensor, seed: int) -> RankCounts:
    return RankCounts.from_order(from_outcomes(X, Y))


def _over_base_set(X: Tensor, Y: Tensor, seed: int) -> RankCounts:
    return from_base_set(X, Y, torch.Generator().manual_seed(seed))
