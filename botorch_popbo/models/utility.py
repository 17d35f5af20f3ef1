"""The utility behind the ranks, as a BoTorch model of its own."""

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.models.model import Model
from botorch.posteriors import Posterior
from torch import Tensor

from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.rates.gaussian_process import GaussianProcessRate


class UtilityModel(Model):
    """Gaussian posterior over the utility that a rank model of the default preset is built on.

    Larger is better and the unit is the prior's standard deviation, so every acquisition function
    of BoTorch applies as it does to a Gaussian process over outcomes: Monte Carlo ones for
    batches, Thompson sampling, entropy search.

    Args:
        model: A fitted rank model whose preset has a Gaussian process.

    Raises:
        UnsupportedError: If the model has a network, which knows no uncertainty of its rate.

    Example:
        >>> utility = UtilityModel(PoissonRankModel(train_X, train_Y).fit())
        >>> acqf = qLogNoisyExpectedImprovement(utility, X_baseline=train_X)
    """

    rate: GaussianProcessRate

    def __init__(self, model: PoissonRankModel) -> None:
        super().__init__()
        if not isinstance(model.rate, GaussianProcessRate):
            raise UnsupportedError(
                f"{type(model.rate).__name__} has no uncertainty of its own; use "
                'preset="default", or an acquisition function over ranks.'
            )
        self.model = model
        self.rate = model.rate

    def __repr__(self) -> str:
        """The model only: its rate is the one of the rank model."""
        return f"{type(self).__name__}({self.model!r})"

    @property
    def train_inputs(self) -> tuple[Tensor]:
        """The evaluated points as they were given, in a tuple as BoTorch keeps them."""
        return self.model.train_inputs

    @property
    def incumbent(self) -> Tensor:
        """The evaluated point to recommend, of shape ``d``.

        See :meth:`botorch_popbo.GaussianProcessRate.incumbent`.
        """
        best: Tensor = self.model.rank_counts.X[self.rate.records[self.rate.incumbent()]]
        return best

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Joint posterior over utilities.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            output_indices: ``None`` or ``[0]``: there is one output.
            observation_noise: Whether to add the noise of an outcome.
            posterior_transform: Applied to the result.

        Returns:
            A normal posterior of shape ``batch_shape x q x 1``, larger being better.
        """
        encoded = self.model.encode(X)
        posterior = self.rate.rank_posterior(encoded, observation_noise is not False).utility
        return posterior if posterior_transform is None else posterior_transform(posterior)

    @property
    def num_outputs(self) -> int:
        """One: the utility."""
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        """Empty: one data set, one model."""
        return torch.Size()
