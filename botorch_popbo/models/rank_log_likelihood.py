"""The objective that training maximises, in the shape BoTorch's fitting expects."""

from torch import Tensor
from torch.nn import Module

from botorch_popbo.likelihoods import truncated_poisson
from botorch_popbo.models.poisson_rank import PoissonRankModel


class RankLogLikelihood(Module):
    """Log-likelihood of the observed rank counts, equation (4) of Wang et al. (2023).

    It plays the part of a marginal log-likelihood: ``fit_gpytorch_mll(RankLogLikelihood(model))``
    does the same as ``model.fit()``.

    Args:
        model: The model to fit.
    """

    def __init__(self, model: PoissonRankModel) -> None:
        super().__init__()
        self.model = model

    def forward(self) -> Tensor:
        """Sum of the log-probabilities of the observed counts, a scalar in nats."""
        data = self.model.rank_counts
        X = self.model.transform_inputs(data.X)
        log_rate = data.exposure.log() + self.model.rate.log_rate(X)
        limit = self.model.limit_of_support(data.exposure)
        return truncated_poisson.log_prob(data.counts, log_rate, limit).sum()
