r"""Sources beside the target: tasks whose utility is correlated with that of the target.

With one loading :math:`a_t \in (0, 1)` for each task the utilities are those of a one-factor
model, :math:`z_t = a_t c + \sqrt{1 - a_t^2}\, \delta_t`, where :math:`c` and :math:`\delta_t` have
the kernel of the target. The correlation of two tasks is :math:`a_s a_t`, and every choice of
loadings is a covariance. The target has a loading, too: were it the factor itself, many sources
that agree with each other would leave nothing of its own to be found. The intrinsic model of
coregionalization (Bonilla et al., 2007) has one number for each pair instead, and signs.
"""

from copy import copy
from typing import Self

import torch
from gpytorch.kernels import Kernel
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._hyperparameters.covariance import Covariance, CovarianceFunction

# Of the logit of a loading, which is normal. The median of a source's is 0.5, and 0.95 is two
# deviations off. A target is hardly ever what its sources have in common: 0.8, give or take 0.06.
LOGIT_LOC, LOGIT_DEVIATION = 0.0, 1.5
TARGET_LOGIT_LOC, TARGET_LOGIT_DEVIATION = 1.4, 0.4
_MAX_LOGIT = 8.0


class CorrelatedHyperparameters(Hyperparameters):
    """Those of a kernel and the logits of the loadings, then the noise.

    Args:
        target: The hyperparameters without sources.
        logits: Logits of the loadings, the target's first, of shape ``S + 1``.
    """

    def __init__(self, target: Hyperparameters, logits: Parameter) -> None:
        self._target, self._logits = target, logits
        like = target.loc.new_ones(len(logits))
        self.loc = self._inserted(target.loc, prior_logits(len(logits) - 1).to(like))
        deviation = LOGIT_DEVIATION * like
        deviation[0] = TARGET_LOGIT_DEVIATION
        self.scale = self._inserted(target.scale, deviation)
        bounds = like.unsqueeze(-1) * torch.tensor([-_MAX_LOGIT, _MAX_LOGIT]).to(like)
        self.limits = self._inserted(target.limits, bounds)

    @property
    def rotation(self) -> Tensor | None:
        """See the base class."""
        return self._target.rotation

    def rotated(self, axes: Tensor) -> Self:
        """See the base class."""
        other = copy(self)
        other._target = self._target.rotated(axes)
        return other

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

    def correlation(self, theta: Tensor) -> Tensor:
        """See the base class."""
        return correlation(self._split(theta)[1])

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
        num_tasks: Number of tasks, whose logits follow the kernel's hyperparameters.
    """

    def __init__(self, target: CovarianceFunction, source: Tensor, num_tasks: int) -> None:
        self._target, self._source, self._num_tasks = target, source, num_tasks
        self._is_across = source.unsqueeze(-1) != source

    def covariance(self, theta: Tensor, noise: Tensor) -> Covariance:
        """See the base class."""
        kernel, logits = self._split(theta)
        covariance = self._target.covariance(kernel, noise)
        return covariance._replace(matrix=covariance.matrix * self._of_records(logits))

    def gradient(self, slope: Tensor, covariance: Covariance, theta: Tensor) -> Tensor:
        """See the base class."""
        kernel, logits = self._split(theta)
        by_kernel = self._target.gradient(slope * self._of_records(logits), covariance, kernel)
        # A covariance is proportional to either loading; that of a loading's logarithm is itself.
        by_record = 2.0 * (slope * covariance.matrix * self._is_across).sum(-1)
        by_task = by_record.new_zeros(self._num_tasks).index_add(0, self._source, by_record)
        return torch.cat([by_kernel, by_task * (1.0 - logits.sigmoid())])

    def _of_records(self, logits: Tensor) -> Tensor:
        return correlation(logits)[self._source][:, self._source]

    def _split(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        kernel, logits = theta.split([len(theta) - self._num_tasks, self._num_tasks])
        return kernel, logits


def correlation(logits: Tensor) -> Tensor:
    """Correlations of the tasks' utilities.

    Args:
        logits: Logits of the loadings, the target's first, of shape ``S + 1``.

    Returns:
        An ``(S + 1) x (S + 1)`` tensor.
    """
    loading = logits.sigmoid()
    return torch.outer(loading, loading).fill_diagonal_(1.0)


def prior_logits(num_sources: int) -> Tensor:
    """Logits of the loadings before anything is known, of shape ``S + 1``.

    Args:
        num_sources: Number of sources ``S``.
    """
    return torch.tensor([TARGET_LOGIT_LOC] + num_sources * [LOGIT_LOC], dtype=torch.double)
