"""From the law of a rank to an outcome, by the order statistics of what was observed."""

from typing import Any, cast

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.posteriors import Posterior
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import Kernel, MaternKernel
from gpytorch.settings import min_variance
from linear_operator.operators import DiagLinearOperator
from torch import Tensor

from botorch_popbo.models import RankModel
from botorch_popbo.models.conditional import MarginalPosterior
from botorch_popbo.models.input_transforms import OneHotCategories, part_of
from botorch_popbo.models.rank_model import SingleOutputModel

_MAX_DISTANCE = 1e150  # its square is a number


class OutcomeModel(SingleOutputModel):
    """What a model of ranks says of the outcome itself.

    A point of predicted rank ``k`` is expected between the ``k``-th and the next observed outcome
    in falling order, so the law of the rank is carried over to the order statistics, and matched by
    a normal law with the same moments. Ax reads predictions, sensitivities and slices off it.

    Args:
        ranks: A model fitted to outcomes.
        sign: -1 if it was fitted to their negatives, because less is better.
    """

    def __init__(self, ranks: RankModel, sign: float = 1.0) -> None:
        super().__init__()
        self.ranks: RankModel = ranks
        self.sign = sign

    @property
    def train_inputs(self) -> tuple[Tensor]:
        """The evaluated points."""
        return self.ranks.train_inputs

    @property
    def covar_module(self) -> MaternKernel:
        """A kernel with a lengthscale for each column, of a category its shortest.

        Ax takes the importance of the parameters from it.

        Raises:
            AttributeError: If the model has no lengthscales.
        """
        kernel = cast(Kernel, self.ranks.covar_module)
        lengthscale = kernel.lengthscale.detach().reshape(-1)
        rotation = getattr(kernel, "rotation", None)
        if rotation is not None:  # of each column that of the kernel along it
            lengthscale = (rotation / lengthscale).square().sum(-1).rsqrt()
        one_hot = part_of(self.ranks.input_transform, OneHotCategories)
        of_columns = MaternKernel(nu=2.5, ard_num_dims=self.ranks.dim).to(lengthscale)
        of_columns.lengthscale = lengthscale if one_hot is None else one_hot.of_columns(lengthscale)
        return of_columns

    def posterior(
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """Moment-matched posterior over outcomes.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            output_indices: ``None`` or ``[0]``: there is one output.
            observation_noise: Has no effect: ranks are modelled as observed.
            posterior_transform: Applied to the result.

        Returns:
            Independent normal laws of the outcomes, ``batch_shape x q x 1``, in their unit.
        """
        self.subset_output(output_indices)  # which refuses others
        order = self.ranks.order
        assert order is not None
        outcomes = order.score if order.num_lists else self.ranks.train_targets  # a first point
        levels = _outcome_levels(outcomes).to(X)
        numbers = torch.arange(levels.shape[0], device=X.device, dtype=X.dtype)
        # Not averaged over hyperparameters, so that the order of the columns does not matter.
        probabilities = self.ranks.rank_law(self.ranks.encode(X)).log_prob(numbers).exp()
        # The untruncated law also reaches beyond the worst rank: that is the worst outcome.
        last = 1.0 - probabilities[..., :-1].sum(-1, keepdim=True)
        probabilities = torch.cat([probabilities[..., :-1], last.clamp_min(0.0)], dim=-1)
        mean = (probabilities * levels).sum(-1)
        distance = (levels - mean.unsqueeze(-1)).clamp(-_MAX_DISTANCE, _MAX_DISTANCE)
        variance = (probabilities * distance.square()).sum(-1)
        spread = (levels[0] - levels[-1]).clamp_max(_MAX_DISTANCE).square()
        # Where the rank is certain, rounding would leave no variance, or a negative one.
        variance = variance.clamp_min(1e-12 * spread.where(spread > 0.0, 1.0))
        # GPyTorch would take every variance for at least so much, whatever the unit.
        covariance = DiagLinearOperator(variance.clamp_min(1.01 * min_variance.value(X.dtype)))
        posterior = MarginalPosterior(MultivariateNormal(self.sign * mean, covariance), variance)
        return posterior if posterior_transform is None else posterior_transform(posterior, X)

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The state of the model of ranks, which Ax may start another one from."""
        return self.ranks.state_dict(*args, **kwargs)


def _outcome_levels(outcomes: Tensor) -> Tensor:
    """The outcome to expect at each of the ranks 0 .. N, a tensor of shape ``N + 1``."""
    finite = outcomes[outcomes.isfinite()]
    worst = finite.min() if finite.numel() else outcomes.new_zeros(())
    falling = outcomes.clamp_min(worst).sort(descending=True).values
    return torch.cat([falling[:1], falling[:-1] / 2.0 + falling[1:] / 2.0, falling[-1:]])
