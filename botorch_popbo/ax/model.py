"""The surrogate as Ax needs it: ranks for the acquisition, outcomes for everything else."""

from typing import Any

import torch
from ax.core.search_space import SearchSpaceDigest
from ax.generators.torch.botorch_modular.surrogate import Surrogate, submodel_input_constructor
from ax.generators.torch.botorch_modular.utils import ModelConfig, fit_botorch_model
from botorch.acquisition.objective import PosteriorTransform
from botorch.posteriors import GPyTorchPosterior, Posterior
from botorch.utils.datasets import SupervisedDataset
from gpytorch.distributions import MultivariateNormal
from linear_operator.operators import DiagLinearOperator
from torch import Tensor

from botorch_popbo.ax.inputs import rank_model_inputs
from botorch_popbo.models.poisson_rank import PoissonRankModel
from botorch_popbo.rank_counts import merge_replicates

_MIN_VARIANCE = 1e-12  # relative to the squared range of the outcomes


class OutcomePoissonRankModel(PoissonRankModel):
    """A Poisson rank model whose ``posterior`` answers in the unit of the outcomes.

    Ax reads ``posterior.mean`` as the metric. A point of predicted rank ``k`` is expected between
    the ``k``-th and the next observed outcome in falling order, so the law of the rank is carried
    over to the order statistics and matched by a normal law with the same moments. The
    acquisition functions keep using :meth:`rank_posterior`.
    """

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
            Independent normal laws of the outcomes, ``batch_shape x q x 1``.
        """
        self._check_output(output_indices)
        levels = self._outcome_levels()
        ranks = torch.arange(levels.shape[0], device=X.device, dtype=X.dtype)
        probabilities = self.rank_posterior(X).log_prob(ranks).exp()
        # The untruncated law also reaches beyond the worst rank: that is the worst outcome.
        last = 1.0 - probabilities[..., :-1].sum(-1, keepdim=True)
        probabilities = torch.cat([probabilities[..., :-1], last.clamp_min(0.0)], dim=-1)
        mean = (probabilities * levels).sum(-1)
        variance = (probabilities * (levels - mean.unsqueeze(-1)).square()).sum(-1)
        spread = (levels[0] - levels[-1]).square().clamp_min(1.0)
        covariance = DiagLinearOperator(variance.clamp_min(_MIN_VARIANCE * spread))
        posterior = GPyTorchPosterior(MultivariateNormal(mean, covariance))
        return posterior if posterior_transform is None else posterior_transform(posterior)

    def _outcome_levels(self) -> Tensor:
        """The outcome to expect at each of the ranks 0 .. N, a tensor of shape ``N + 1``."""
        _, outcomes = merge_replicates(self.train_inputs[0], self.train_targets.unsqueeze(-1))
        finite = outcomes[outcomes.isfinite()]
        worst = finite.min() if finite.numel() else outcomes.new_zeros(())
        falling = outcomes.clamp_min(worst).sort(descending=True).values
        between = (falling[:-1] + falling[1:]) / 2.0
        return torch.cat([falling[:1], between, falling[-1:]])


@submodel_input_constructor.register(OutcomePoissonRankModel)
def _construct_model_inputs(
    botorch_model_class: type[OutcomePoissonRankModel],
    model_config: ModelConfig,
    dataset: SupervisedDataset,
    search_space_digest: SearchSpaceDigest,
    surrogate: Surrogate,
) -> dict[str, Any]:
    """Constructor arguments from Ax's data and search space."""
    inputs = botorch_model_class.construct_inputs(dataset, **model_config.model_options)
    return inputs | rank_model_inputs(search_space_digest, dataset.X, model_config.model_options)


@fit_botorch_model.register(PoissonRankModel)
def _fit(
    model: PoissonRankModel,
    mll_class: type | None = None,
    mll_options: dict[str, Any] | None = None,
) -> None:
    """Let Ax train the model; marginal likelihoods do not apply."""
    model.fit()
