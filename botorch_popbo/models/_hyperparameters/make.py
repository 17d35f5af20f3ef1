"""Which hyperparameters belong to a kernel, with or without sources."""

from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from torch.nn import Parameter

from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._hyperparameters.correlation import CorrelatedHyperparameters
from botorch_popbo.models._hyperparameters.kernel import KernelHyperparameters
from botorch_popbo.models._hyperparameters.matern import MaternHyperparameters, is_closed_form


def make_hyperparameters(
    kernel: Kernel, likelihood: GaussianLikelihood, dim: int, logits: Parameter | None = None
) -> Hyperparameters:
    """Choose the closed form where there is one.

    Args:
        kernel: The kernel.
        likelihood: The noise.
        dim: Number of columns of an encoded point.
        logits: Logits of the loadings of the ``S`` sources, if there are any, of shape ``S``.

    Returns:
        The hyperparameters.
    """
    kind = (
        MaternHyperparameters if is_closed_form(kernel, likelihood, dim) else KernelHyperparameters
    )
    target = kind(kernel, likelihood)
    return target if logits is None else CorrelatedHyperparameters(target, logits)
