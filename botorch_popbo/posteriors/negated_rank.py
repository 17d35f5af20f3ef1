"""What lets BoTorch's acquisition functions, which maximise, use rank counts."""

from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.posteriors import Posterior, TransformedPosterior
from torch import Tensor


class NegatedRank(PosteriorTransform):
    """Turn rank counts, of which fewer are better, into values of which more are better.

    Pass it as ``posterior_transform`` to BoTorch's acquisition functions and to
    :class:`~botorch.generation.MaxPosteriorSampling`. Everything is then in ranks: ``best_f=-1.0``
    asks for improvement over the second best evaluated point.

    Example:
        >>> qLogExpectedImprovement(model, best_f=-1.0, posterior_transform=NegatedRank())
    """

    scalarize = True

    def evaluate(self, Y: Tensor, X: Tensor | None = None) -> Tensor:
        """Negate counts.

        Args:
            Y: A ``batch_shape x q x 1`` tensor of ranks.
            X: Not used.

        Returns:
            A ``batch_shape x q`` tensor.
        """
        return -Y.squeeze(-1)

    def forward(self, posterior: Posterior, X: Tensor | None = None) -> TransformedPosterior:
        """Negate the law of a count.

        Args:
            posterior: A posterior over counts.
            X: Not used.

        Returns:
            A posterior of the same shape, larger being better.

        Raises:
            UnsupportedError: If the posterior is over something else, such as a utility, which is
                larger where points are better as it is.
        """
        if not hasattr(posterior, "exposure"):  # the number of points that are counted
            raise UnsupportedError(
                f"NegatedRank negates rank counts, not a {type(posterior).__name__}. The utility "
                "of a RankingGP is to be maximised as it is: leave out the transform."
            )
        return TransformedPosterior(
            posterior,
            sample_transform=lambda samples: -samples,
            mean_transform=lambda mean, variance: -mean,
            variance_transform=lambda mean, variance: variance,
        )
