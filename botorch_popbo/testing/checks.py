"""Checks that need no test framework, and torch's random state."""

import pickle
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from botorch.posteriors import Posterior
from torch import Tensor

Tkwargs = dict[str, Any]


def require(condition: bool, message: str) -> None:
    """Raise an AssertionError unless the condition holds, also under ``python -O``."""
    if not condition:
        raise AssertionError(message)


def require_tensor(values: Tensor, shape: tuple[int, ...], tkwargs: Tkwargs, what: str) -> None:
    """Require a finite tensor of this shape, dtype and device type."""
    require(values.shape == shape, f"{what} has shape {tuple(values.shape)}, not {tuple(shape)}.")
    dtype, device = tkwargs["dtype"], tkwargs["device"]
    require(values.dtype == dtype, f"{what} is in {values.dtype}, not {dtype}.")
    require(values.device.type == device.type, f"{what} is on {values.device}, not {device}.")
    require(bool(values.isfinite().all()), f"{what} has values that are not finite.")


def require_moments(
    posterior: Posterior, shape: tuple[int, ...], tkwargs: Tkwargs, where: str
) -> None:
    """Require a finite mean and a finite variance of this shape, the latter not negative."""
    mean, variance = moments(posterior)
    require_tensor(mean, shape, tkwargs, f"The mean {where}")
    require_tensor(variance, shape, tkwargs, f"The variance {where}")
    require(bool((variance >= 0).all()), f"A variance {where} is negative.")


def moments(posterior: Any) -> tuple[Tensor, Tensor]:
    """Mean and variance, which BoTorch leaves to the subclasses of ``Posterior``."""
    return posterior.mean, posterior.variance


def require_gradient(values: Tensor, X: Tensor, what: str) -> None:
    """Require that the values have a finite gradient with respect to ``X``."""
    require(values.requires_grad, f"{what} carries no gradient.")
    (gradient,) = torch.autograd.grad(values.sum(), X, allow_unused=True)
    require(gradient is not None, f"{what} does not depend on X.")
    require(bool(gradient.isfinite().all()), f"{what} has a gradient that is not finite.")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch's global generators and put them back afterwards."""
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


@contextmanager
def random_state_untouched(what: str) -> Iterator[None]:
    """Require that no global generator of torch, NumPy or Python moves."""
    before = _random_state()
    yield
    require(_random_state() == before, f"{what} moved a global random state.")


def _random_state() -> bytes:
    states = [torch.get_rng_state().numpy()]
    if torch.cuda.is_available():
        states += [state.numpy() for state in torch.cuda.get_rng_state_all()]
    return pickle.dumps((states, np.random.get_state(), random.getstate()))  # noqa: NPY002
