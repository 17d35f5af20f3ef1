"""The probability that a constraint is satisfied, from the law of a rank."""

import torch
from botorch.exceptions import UnsupportedError
from torch import Tensor

from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior
from botorch_popbo.rank_counts import merge_replicates
from botorch_popbo.rates.gaussian_process import GaussianProcessRate


class RankedConstraint:
    r"""A constraint whose slack was measured, known by the order of the slacks alone.

    A new point satisfies it if it ranks before the worst evaluated point that does, and not if it
    ranks behind the best that does not; between the two the utility decides half-way. Where no
    evaluated point satisfies it, the border is taken to lie one average step beyond the best one.

    Args:
        model: A fitted model of the slacks: an outcome is at least zero where the constraint is
            satisfied. Its preset has a Gaussian process.

    Raises:
        UnsupportedError: If the model has a network, which knows no uncertainty of its rate.
    """

    def __init__(self, model: PoissonRankModel) -> None:
        if not isinstance(model.rate, GaussianProcessRate):
            raise UnsupportedError(
                f"{type(model.rate).__name__} has no uncertainty of its own; use "
                'preset="default", or rank feasible points first with from_constrained_outcomes.'
            )
        self.model = model
        points, slack = merge_replicates(*model.train_inputs, model.train_targets.unsqueeze(-1))
        self._satisfying = frozenset(map(tuple, points[slack >= 0.0].tolist()))

    def is_satisfied(self, X: Tensor) -> Tensor:
        """Whether points were measured and found to satisfy the constraint.

        Args:
            X: Points, an ``n x d`` tensor.

        Returns:
            A boolean tensor of shape ``n``.
        """
        found = [tuple(point) in self._satisfying for point in X.tolist()]
        return torch.tensor(found, dtype=torch.bool, device=X.device)

    def log_probability(self, X: Tensor) -> Tensor:
        """Log-probability that points satisfy the constraint.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.

        Returns:
            A ``batch_shape x q`` tensor, in nats.
        """
        posterior = self.model.rank_posterior(X)
        assert isinstance(posterior, GaussianRankPosterior)
        return posterior.log_survival(self._border(posterior)).squeeze(-1)

    def _border(self, posterior: GaussianRankPosterior) -> Tensor:
        """The utility from which on the constraint is satisfied, a scalar tensor."""
        rungs, num_satisfying = posterior.ladder.rungs, len(self._satisfying)
        if num_satisfying == 0:
            return rungs[0] + (rungs[0] - rungs[-1]) / len(rungs)
        counts = rungs.new_tensor([num_satisfying - 1.0, num_satisfying])
        worst, beyond = posterior.ladder.threshold(counts)
        # Minus infinity where all points satisfy the constraint: a new one will, too.
        border: Tensor = (worst + beyond) / 2.0
        return border
