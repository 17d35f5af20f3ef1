"""Which hyperparameters belong to a kernel, with or without sources."""

from botorch.exceptions import UnsupportedError
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
        logits: Logits of the loadings of the tasks, of shape ``S + 1``, if there are sources.

    Returns:
        The hyperparameters.
    """
    kind = (
        MaternHyperparameters if is_closed_form(kernel, likelihood, dim) else KernelHyperparameters
    )
    target = kind(kernel, likelihood)
    return target if logits is None else CorrelatedHyperparameters(target, logits)


def check_prior(kernel: Kernel | None, likelihood: GaussianLikelihood | None) -> None:
    """Refuse what has not one covariance and one noise variance.

    Args:
        kernel: The kernel, if there is one.
        likelihood: The noise, if there is any.

    Raises:
        UnsupportedError: If the likelihood is another one, or one of them is a batch.
    """
    if kernel is not None and kernel.batch_shape:
        raise UnsupportedError(
            f"covar_module has the batch shape {tuple(kernel.batch_shape)}, but there is one "
            "utility. Leave its batch_shape out."
        )
    is_one = isinstance(likelihood, GaussianLikelihood) and likelihood.noise.numel() == 1
    if likelihood is not None and not is_one:
        raise UnsupportedError(
            f"{type(likelihood).__name__} is no GaussianLikelihood of a single variance. Pass one, "
            "or leave it out; known variances of outcomes are train_Yvar."
        )
