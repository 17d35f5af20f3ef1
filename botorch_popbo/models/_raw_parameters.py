"""Parameters that no transform keeps within their limits: the fit does."""

from functools import partial

import torch
from gpytorch.constraints import Interval
from gpytorch.module import Module
from gpytorch.priors import NormalPrior
from torch import Tensor
from torch.nn import Parameter


def register_raw(
    module: Module, name: str, limits: tuple[float, float], prior: NormalPrior | None
) -> None:
    """Give a module a parameter that starts at the mean of its prior, or at 0 without one.

    Args:
        module: The module.
        name: Name of the parameter, without ``raw_``.
        limits: Its least and its largest value.
        prior: Its prior, if it has one.
    """
    start = torch.zeros(1) if prior is None else prior.loc.clone().reshape(-1)
    module.register_parameter(f"raw_{name}", Parameter(start))
    module.register_constraint(f"raw_{name}", Interval(*limits, transform=None))
    if prior is not None:  # unlike functions that GPyTorch makes, these can be pickled
        functions = partial(_get, name=f"raw_{name}"), partial(_set, name=f"raw_{name}")
        module.register_prior(f"{name}_prior", prior, *functions)


def _get(module: Module, name: str) -> Tensor:
    return getattr(module, name)


def _set(module: Module, value: Tensor, name: str) -> None:
    module.initialize(**{name: value})
