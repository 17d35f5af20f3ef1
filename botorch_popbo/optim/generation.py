"""Candidates from starting points, without delay."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions.errors import OptimizationGradientError
from botorch.generation import gen_candidates_scipy
from botorch.generation.gen import get_reasons_against_fast_path
from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched
from torch import Tensor

from botorch_popbo.acquisition.rank_acquisition import RankAcquisitionFunction, value_and_gradient

Array = npt.NDArray[np.float64]


def gen_candidates(
    initial_conditions: Tensor,
    acquisition_function: AcquisitionFunction,
    lower_bounds: Tensor | None = None,
    upper_bounds: Tensor | None = None,
    options: dict[str, Any] | None = None,
    **kwargs: Any,
) -> tuple[Tensor, Tensor]:
    """Improve starting points in a box by BoTorch's batched L-BFGS-B.

    What :func:`~botorch.generation.gen_candidates_scipy` does before it, to look up the process's
    thread pools, takes as long as some ten evaluations of a model of a hundred points.

    Args:
        initial_conditions: Starting points, ``num_restarts x q x d``, in a batch.
        acquisition_function: The function.
        lower_bounds: Smallest value of each column, of shape ``d``.
        upper_bounds: Largest values.
        options: See :func:`~botorch.generation.gen_candidates_scipy`, which anything but a box, or
            an option of another method, is left to.
        **kwargs: See there.

    Returns:
        The points found, of the shape of ``initial_conditions``, and their values, of shape
        ``num_restarts``.

    Raises:
        OptimizationGradientError: If the function's gradient holds NaN.
    """
    options = options or {}
    if (
        lower_bounds is None
        or upper_bounds is None
        or any(kwargs.values())
        or get_reasons_against_fast_path("L-BFGS-B", True, options, None)
    ):
        return gen_candidates_scipy(
            initial_conditions,
            acquisition_function,
            lower_bounds,
            upper_bounds,
            options=options,
            **kwargs,
        )
    q, dim = initial_conditions.shape[-2:]
    if q == 1 and isinstance(acquisition_function, RankAcquisitionFunction):
        evaluate = acquisition_function.value_and_gradient
    else:
        evaluate = partial(value_and_gradient, acquisition_function)

    def loss(x: Array) -> tuple[Array, Array]:
        X = torch.from_numpy(x).to(initial_conditions).reshape(-1, q, dim)
        values, gradient = evaluate(X)
        slopes = -_to_numpy(gradient).reshape(x.shape)
        if np.isnan(slopes).any():
            message = "The gradient of the acquisition function holds NaN."
            raise OptimizationGradientError(message, current_x=x)
        return -_to_numpy(values), slopes

    bounds = torch.stack([lower_bounds, upper_bounds], dim=-1).tolist() * q
    start = initial_conditions.clamp(lower_bounds, upper_bounds).flatten(1)
    found, losses, _ = fmin_l_bfgs_b_batched(loss, _to_numpy(start), bounds=bounds, **options)
    X = torch.from_numpy(found).to(initial_conditions).reshape(initial_conditions.shape)
    values = torch.from_numpy(-losses).to(initial_conditions)
    return X.clamp(lower_bounds, upper_bounds), values  # single precision rounds beyond them


def _to_numpy(values: Tensor) -> Array:
    array: Array = values.detach().double().cpu().numpy()
    return array
