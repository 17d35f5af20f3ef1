r"""Sources beside the target: tasks whose utility is correlated with that of the target.

With one loading :math:`\rho_s \in (0, 1)` for each source the utilities are those of a one-factor
model, :math:`z_s = \rho_s z_0 + \sqrt{1 - \rho_s^2}\, \delta_s`, where :math:`\delta_s` has the
kernel of the target. The correlation with the target is :math:`\rho_s`, that of two sources
:math:`\rho_s \rho_t`, and every choice of loadings is a covariance. The intrinsic model of
coregionalization (Bonilla et al., 2007) has one number for each pair instead, and signs.
"""

import torch
from gpytorch.kernels import Kernel
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._hyperparameters.covariance import Covariance, CovarianceFunction

# Of the logit of a loading, which is normal: the median is 0.5, and 0.95 is two deviations off.
LOGIT_LOC, LOGIT_DEVIATION = 0.0, 1.5
_MAX_LOGIT = 8.0


class CorrelatedHyperparameters(Hyperparameters):
    """Those of a kernel and the logits of the loadings, then the noise.

    Args:
        target: The hyperparameters without sources.
        logits: Logits of the ``S`` loadings, of shape ``S``.
    """

    def __init__(self, target: Hyperparameters, logits: Parameter) -> None:
        self._target, self._logits = target, logits
        like = target.loc.new_ones(len(logits))
        self.loc = self._inserted(target.loc, LOGIT_LOC * like)
        self.scale = self._inserted(target.scale, LOGIT_DEVIATION * like)
        bounds = like.unsqueeze(-1) * torch.tensor([-_MAX_LOGIT, _MAX_LOGIT]).to(like)
        self.limits = self._inserted(target.limits, bounds)

    def current(self) -> Tensor:
        """See the base class."""
        logits = self._logits.detach().to(self.loc)
        return self._inserted(self._target.current(), logits)

    def assign(self, theta: Tensor) -> None:
        """See the base class."""
        self._target.assign(self._without(theta))
        with torch.no_grad():
            self._logits.copy_(self._split(theta)[1])

    def noise(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        return self._target.noise(self._without(theta))

    def log_prior(self, standardized: Tensor) -> tuple[Tensor, Tensor]:
        """See the base class."""
        value, gradient = self._target.log_prior(self._without(standardized))
        logits = self._split(standardized)[1]
        return value - 0.5 * logits.square().sum(), self._inserted(gradient, -logits)

    def covariance_function(
        self, X: Tensor, source: Tensor | None = None
    ) -> "CorrelatedCovariance":
        """See the base class."""
        if source is None:
            source = torch.zeros(len(X), dtype=torch.long, device=X.device)
        target = self._target.covariance_function(X, source)
        return CorrelatedCovariance(target, source, len(self._logits))

    def loading(self, theta: Tensor, source: Tensor) -> Tensor:
        """See the base class."""
        return loading(self._split(theta)[1], source)

    def kernel(self, theta: Tensor) -> Kernel:
        """See the base class."""
        return self._target.kernel(self._without(theta))

    def _split(self, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        number = len(self._logits)
        kernel, logits, noise = values.split([len(values) - number - 1, number, 1])
        return kernel, logits, noise

    def _inserted(self, values: Tensor, logits: Tensor) -> Tensor:
        return torch.cat([values[:-1], logits, values[-1:]])

    def _without(self, values: Tensor) -> Tensor:
        kernel, _, noise = self._split(values)
        return torch.cat([kernel, noise])


class CorrelatedCovariance(CovarianceFunction):
    """Each covariance times the correlation of the two tasks.

    Args:
        target: The covariance if all records were of the target.
        source: Which source each record is from, and 0 for the target; of shape ``N``.
        num_sources: Number of sources ``S``, whose logits follow the kernel's hyperparameters.
    """

    def __init__(self, target: CovarianceFunction, source: Tensor, num_sources: int) -> None:
        self._target, self._source, self._num_sources = target, source, num_sources
        self._is_across = source.unsqueeze(-1) != source

    def covariance(self, theta: Tensor, noise: Tensor) -> Covariance:
        """See the base class."""
        kernel, logits = self._split(theta)
        covariance = self._target.covariance(kernel, noise)
        return covariance._replace(matrix=covariance.matrix * self._correlation(logits))

    def gradient(self, slope: Tensor, covariance: Covariance, theta: Tensor) -> Tensor:
        """See the base class."""
        kernel, logits = self._split(theta)
        by_kernel = self._target.gradient(slope * self._correlation(logits), covariance, kernel)
        # A covariance is proportional to either loading; that of a loading's logarithm is itself.
        by_record = 2.0 * (slope * covariance.matrix * self._is_across).sum(-1)
        by_source = by_record.new_zeros(self._num_sources + 1)
        by_source = by_source.index_add(0, self._source, by_record)[1:]
        return torch.cat([by_kernel, by_source * (1.0 - logits.sigmoid())])

    def _correlation(self, logits: Tensor) -> Tensor:
        loadings = loading(logits, self._source)
        return torch.where(self._is_across, torch.outer(loadings, loadings), 1.0)

    def _split(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        number = self._num_sources
        kernel, logits = theta.split([len(theta) - number, number])
        return kernel, logits


def loading(logits: Tensor, source: Tensor) -> Tensor:
    """Loadings of records.

    Args:
        logits: Logits of the loadings of the ``S`` sources.
        source: Which source each record is from, and 0 for the target; of shape ``N``.

    Returns:
        A tensor of shape ``N``; one for the target's records.
    """
    return torch.cat([logits.new_ones(1), logits.sigmoid()])[source]
