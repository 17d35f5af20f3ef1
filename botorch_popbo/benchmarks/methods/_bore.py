"""BORE: Tiao et al. (2021), Bayesian optimization by density-ratio estimation.

scikit-learn's random forest tells the best quarter of the points from the rest; the next point is,
of random candidates, the one most likely to belong to it. Half of the candidates are uniform; the
others change a few parameters, and half of them all ranges by a little, of a point of the best
quarter, since a forest has no gradient to follow.
"""

import torch
from sklearn.ensemble import RandomForestClassifier
from torch import Tensor

from botorch_popbo.benchmarks.methods._search import drop_known, features, uniform_points
from botorch_popbo.benchmarks.methods.base import TensorOptimizer

_QUARTER, _NUM_TREES = 4, 100
_NUM_CANDIDATES, _STEP = 4000, 0.1


def is_good(Y: Tensor) -> Tensor:
    """Whether each of ``N x 1`` outcomes is in the best quarter (rounded up), of shape ``N``."""
    number = -(-len(Y) // _QUARTER)
    good = torch.zeros(len(Y), dtype=torch.bool)
    good[Y.squeeze(-1).argsort(descending=True, stable=True)[:number]] = True
    return good


class Bore(TensorOptimizer):
    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        good = is_good(Y)
        forest = RandomForestClassifier(_NUM_TREES, random_state=seed)
        forest.fit(features(self.encoding, X), good.numpy())
        candidates = self._candidates(X, X[good])
        # The first of equals is a random one, as the candidates are in random order.
        best = self._probability(forest, candidates).argmax()
        return candidates[best], int(self._probability(forest, X).argmax())

    def _probability(self, forest: RandomForestClassifier, X: Tensor) -> Tensor:
        good = [*forest.classes_].index(True)
        return torch.from_numpy(forest.predict_proba(features(self.encoding, X).numpy())[:, good])

    def _candidates(self, X: Tensor, good: Tensor) -> Tensor:
        points = uniform_points(self.encoding, _NUM_CANDIDATES)
        near = good[torch.randint(len(good), (_NUM_CANDIDATES // 2,))]
        ranges = [i for i in range(X.shape[-1]) if i not in self.encoding.choices]
        step = torch.zeros_like(near)
        step[::2, ranges] = _STEP * torch.randn_like(near[::2, ranges])
        near = torch.where(torch.rand(near.shape) < 2.0 / X.shape[-1], points[: len(near)], near)
        low, high = self.encoding.bounds
        points[: len(near)] = (near + step).clamp(low, high)
        return drop_known(self.encoding, points[torch.randperm(_NUM_CANDIDATES)], X)
