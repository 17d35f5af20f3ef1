"""Methods that search a table, with evaluations of other tables or without."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from botorch.acquisition import AcquisitionFunction, LogExpectedImprovement
from botorch.models import MultiTaskGP, SingleTaskGP
from torch import Tensor

from botorch_popbo.acquisition import LogExpectedUtilityImprovement
from botorch_popbo.benchmarks.methods._gaussian_processes import fit, normal_scores
from botorch_popbo.benchmarks.methods._search import features, maximize, one_hot
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.data import combine, from_outcomes
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models import RankingGP


class Task(NamedTuple):
    """Encoded points, ``N x d``, and their outcomes, ``N x 1``, larger being better."""

    X: Tensor
    Y: Tensor


#: The next point, ``d``, given the target, its sources, the space and a seed.
Choose = Callable[[Task, Sequence[Task], Encoding, int], Tensor]


@dataclass(frozen=True)
class Searcher:
    """A method; one that takes no sources begins with a random design."""

    description: str
    choose: Choose
    takes_sources: bool


def _ranking_gp(target: Task, sources: Sequence[Task], encoding: Encoding, seed: int) -> Tensor:
    orders, transform = [from_outcomes(*source) for source in sources], one_hot(encoding)
    if not len(target.X):
        return RankingGP(order=combine(*orders), input_transform=transform).fit().incumbent
    model = RankingGP(*target, sources=orders, input_transform=transform).fit()
    return maximize(LogExpectedUtilityImprovement(model), encoding, target.X, seed)


def _gaussian_process(
    target: Task, sources: Sequence[Task], encoding: Encoding, seed: int
) -> Tensor:
    """On normal scores of each task's outcomes, as in Salinas et al. (2020)."""
    tasks = [task for task in (target, *sources) if len(task.X)]
    Y = torch.cat([normal_scores(task.Y) for task in tasks])
    points = torch.cat([features(encoding, task.X) for task in tasks])
    if len(tasks) == 1:
        model = fit(SingleTaskGP(points, Y))
    elif not len(target.X):
        best = fit(SingleTaskGP(points, Y)).posterior(points).mean.argmax()
        return torch.cat([task.X for task in tasks])[best]
    else:
        index = torch.cat([torch.full((len(t.X), 1), float(i)) for i, t in enumerate(tasks)])
        X = torch.cat([points, index], dim=-1)
        model = fit(MultiTaskGP(X, Y, task_feature=-1, output_tasks=[0]))
    encoded = features(encoding, target.X)
    with torch.no_grad():
        best_f = model.posterior(encoded).mean.max()
    acquisition = LogExpectedImprovement(model, best_f=best_f)
    return maximize(_Encoded(acquisition, encoding), encoding, target.X, seed)


def _best_of_sources(
    target: Task, sources: Sequence[Task], encoding: Encoding, seed: int
) -> Tensor:
    """The best of each source, then the second best of each, and so on, without a model."""
    rank = torch.cat([(-source.Y).argsort(0).argsort(0) for source in sources]).squeeze(-1)
    points = torch.cat([source.X for source in sources])[rank.argsort(stable=True)]
    unseen: Tensor = points[~is_row_of(points, target.X)]
    return unseen[0]


class _Encoded(AcquisitionFunction):
    """Of points that become a model's features first."""

    def __init__(self, acquisition: AcquisitionFunction, encoding: Encoding) -> None:
        super().__init__(acquisition.model)
        self.acquisition, self.encoding = acquisition, encoding

    def forward(self, X: Tensor) -> Tensor:
        value: Tensor = self.acquisition(features(self.encoding, X))
        return value


#: The methods by name.
SEARCHERS = {
    "popbo": Searcher("RankingGP, without sources", _ranking_gp, False),
    "popbo-sources": Searcher("RankingGP with sources", _ranking_gp, True),
    "best-of-sources": Searcher("the best points of the sources in turn", _best_of_sources, True),
    "gp-copula": Searcher("BoTorch's SingleTaskGP on normal scores", _gaussian_process, False),
    "multi-task-gp": Searcher("BoTorch's MultiTaskGP on normal scores", _gaussian_process, True),
}
