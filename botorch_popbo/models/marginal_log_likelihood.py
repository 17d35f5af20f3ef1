"""The evidence of an order as GPyTorch and BoTorch maximize it."""

from gpytorch.mlls import MarginalLogLikelihood
from torch import Tensor

from botorch_popbo.models.hyperparameters import log_density


class OrderMarginalLogLikelihood(MarginalLogLikelihood):
    """The log-density that :meth:`RankingGP.fit` maximizes: evidence times prior, in nats.

    It is not divided by the number of records. A log-normal prior is that of the logarithm, where
    it is a normal one, so that the maximum does not depend on which of both is searched.

    Args:
        likelihood: ``model.likelihood``.
        model: The model.

    Example:
        >>> mll = OrderMarginalLogLikelihood(model.likelihood, model)
        >>> fit_gpytorch_mll(mll)
    """

    def forward(self, output: Tensor, *_: object) -> Tensor:
        """Evaluate it at the current hyperparameters.

        Args:
            output: What the model returns in training mode, the log-evidence.
            *_: Outcomes, which GPyTorch passes, and the model knows.

        Returns:
            A scalar tensor with a graph to the hyperparameters, once differentiable.
        """
        for _, owner, prior, get, _ in self.model.named_priors():
            output = output + log_density(prior, get(owner))
        return output
