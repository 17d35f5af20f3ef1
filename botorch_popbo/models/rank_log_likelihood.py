"""The objective that training maximises, in the shape BoTorch's fitting expects."""

from torch import Tensor
from torch.nn import Module

from botorch_popbo.models.poisson_rank import PoissonRankModel


class RankLogLikelihood(Module):
    """Log-likelihood of the observed rank counts, equation (4) of Wang et al. (2023).

    For a Gaussian process, the evidence of their order.

    It plays the part of a marginal log-likelihood: ``fit_gpytorch_mll(RankLogLikelihood(model))``
    does the same as ``model.fit()``.

    Args:
        model: The model to fit.
    """

    def __init__(self, model: PoissonRankModel) -> None:
        super().__init__()
        self.model = model

    def forward(self) -> Tensor:
        """What :meth:`PoissonRankModel.fit` maximises, a scalar in nats."""
        return self.model.rate.log_likelihood()
