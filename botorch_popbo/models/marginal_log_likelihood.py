"""The evidence of an order as GPyTorch and BoTorch maximise it."""

from typing import TYPE_CHECKING

from gpytorch.likelihoods import Likelihood
from gpytorch.mlls import MarginalLogLikelihood
from torch import Tensor

from botorch_popbo.likelihoods.propagation import Sites
from botorch_popbo.models.hyperparameters import log_density

if TYPE_CHECKING:
    from botorch_popbo.models.ranking_gp import RankingGP


class OrderMarginalLogLikelihood(MarginalLogLikelihood):
    """The log-density that :meth:`RankingGP.fit` maximises: evidence times prior, in nats.

    It is not divided by the number of records. A log-normal prior is that of the logarithm, where
    it is a normal one, so that the maximum does not depend on which of both is searched.

    Args:
        likelihood: ``model.likelihood``.
        model: The model.

    Example:
        >>> mll = OrderMarginalLogLikelihood(model.likelihood, model)
        >>> fit_gpytorch_mll(mll)
    """

    def __init__(self, likelihood: Likelihood, model: "RankingGP") -> None:
        super().__init__(likelihood, model)
        self._sites: Sites | None = None

    def forward(self, *_: object) -> Tensor:
        """Evaluate it at the current hyperparameters.

        Args:
            *_: A law and outcomes, as GPyTorch passes them: the model knows its order.

        Returns:
            A scalar tensor with a graph to the hyperparameters, once differentiable.
        """
        value, self._sites = self.model.log_evidence(self._sites)
        for _, owner, prior, get, _ in self.model.named_priors():
            value = value + log_density(prior, get(owner))
        return value
