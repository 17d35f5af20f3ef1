"""Methods that choose the next point from a tensor of points and one of outcomes."""

from abc import ABC, abstractmethod

import torch
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo.benchmarks.methods.base import Suggestion
from botorch_popbo.benchmarks.methods.observations import Observations
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import suggestion_seed
from botorch_popbo.benchmarks.settings import Setting


class TensorLoop(Observations, ABC):
    """A plain BoTorch loop, without Ax.

    Args:
        problem: The problem.
        setting: The replication.
    """

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        self.encoding = Encoding(problem.parameters)

    def suggest(self, trial: int) -> Suggestion:
        """See :class:`~botorch_popbo.benchmarks.methods.base.Optimizer`."""
        X = torch.stack([self.encoding.encode(point) for point in self.points])
        Y = torch.tensor(self.outcomes, dtype=torch.float64).unsqueeze(-1)
        seed = suggestion_seed(self.problem.name, self.setting.seed, trial)
        with manual_seed(seed):
            candidate, incumbent = self.choose(X, Y, seed)
        return Suggestion(
            self.encoding.decode(candidate), self.setting.method, self.points[incumbent]
        )

    @abstractmethod
    def choose(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        """Choose the next point.

        Args:
            X: Encoded points, ``N x d``.
            Y: Outcomes, ``N x 1``, larger being better.
            seed: A seed of this trial; the global generator starts from it, too.

        Returns:
            The next point, of shape ``d``, and the index of the best point by the model.
        """
