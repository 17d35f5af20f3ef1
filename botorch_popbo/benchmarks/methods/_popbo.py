"""This package's models, in the search that its users have."""

import math
from typing import Any

import torch
from torch import Tensor

from botorch_popbo.acquisition import ExpectedRankingImprovement, RectifiedLowerConfidenceBound
from botorch_popbo.benchmarks.methods._search import maximize
from botorch_popbo.benchmarks.methods.base import SequentialOptimizer, TensorOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting
from botorch_popbo.data import RankCounts, from_outcomes
from botorch_popbo.models import PoissonRankModel
from botorch_popbo.paper.base_set import from_base_set
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import AcquisitionSettings, Settings

_ACQUISITIONS: dict[str, Any] = {
    "eri": ExpectedRankingImprovement,
    "rlcb": RectifiedLowerConfidenceBound.paper,
}


class Popbo(SequentialOptimizer):
    """The default preset; a failure ranks below every success.

    As a user would, it says that outcomes are exact where they are.
    """

    def __init__(
        self,
        problem: Problem,
        setting: Setting,
        is_told: bool = True,
        order: bool = False,
        exploration: float = AcquisitionSettings.exploration,
    ) -> None:
        super().__init__(problem, setting)
        acquisition = AcquisitionSettings(exploration=exploration)
        self.settings = Settings(acquisition=acquisition).with_order_only(order)
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
    """The paper's preset with an acquisition function and its options.

    Ranks are among all points, or independent ones over a base set.
    """

    def __init__(
        self,
        acquisition: str,
        problem: Problem,
        setting: Setting,
        is_independent: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(problem, setting)
        self.acquisition, self.options = _ACQUISITIONS[acquisition], options
        self.is_independent = is_independent

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(X.unique(dim=0)) == 1:
            return self.space.draw(1, seed)[0], 0
        if self.is_independent:
            counts = from_base_set(X, Y, torch.Generator().manual_seed(seed))
        else:
            counts = RankCounts.from_order(from_outcomes(X, Y))
        transform = self.space.input_transform()
        model = PoissonRankModel.paper(rank_counts=counts, input_transform=transform, seed=seed)
        acquisition = self.acquisition(model.fit(), seed=seed, **self.options)
        number = Settings().search.max_network_candidates
        return maximize(acquisition, self.space, X, seed, number), int(Y.argmax())
