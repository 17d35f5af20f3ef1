"""The objective that training maximises, in the shape BoTorch's fitting expects."""

from torch import Tensor
from torch.nn import Module

from botorch_popbo.models.base import RankModel


class RankLogLikelihood(Module):
    """Log-likelihood of the observed order or, for a network, of the rank counts.

    It plays the part of a marginal log-likelihood: ``fit_gpytorch_mll(RankLogLikelihood(model))``
    does the same as ``model.fit()``.

    Args:
        model: The model to fit.
    """

    def __init__(self, model: RankModel) -> None:
        super().__init__()
        self.model = model

    def forward(self) -> Tensor:
        """What :meth:`RankModel.fit` maximises beside a prior, a scalar in nats."""
        return self.model.log_likelihood()
