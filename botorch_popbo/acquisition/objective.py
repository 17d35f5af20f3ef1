"""The objective that lets BoTorch's Monte Carlo acquisition functions use a rank model."""

from botorch.acquisition.objective import MCAcquisitionObjective
from torch import Tensor


class NegatedRank(MCAcquisitionObjective):
    """Turn ranks, of which fewer are better, into values of which more are better.

    Pass it as ``objective`` to BoTorch's Monte Carlo acquisition functions and to
    :class:`~botorch.generation.MaxPosteriorSampling`. Everything is then in ranks: ``best_f=-1.0``
    asks for improvement over the second best evaluated point.

    Example:
        >>> qLogExpectedImprovement(model, best_f=-1.0, objective=NegatedRank())
    """

    def forward(self, samples: Tensor, X: Tensor | None = None) -> Tensor:
        """Negate samples of a :class:`~botorch_popbo.PoissonRankPosterior`.

        Args:
            samples: A ``sample_shape x batch_shape x q x 1`` tensor of ranks.
            X: Not used.

        Returns:
            A ``sample_shape x batch_shape x q`` tensor.
        """
        return -samples.squeeze(-1)
