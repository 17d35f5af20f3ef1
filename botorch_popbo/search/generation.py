"""Candidates from starting points, without delay."""

from collections.abc import Mapping
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
    bounds = torch.stack([lower_bounds, upper_bounds])
    every = torch.ones_like(lower_bounds, dtype=torch.bool)
    return climb(acquisition_function, initial_conditions, bounds, every, options)


def climb(
    acquisition: AcquisitionFunction,
    starts: Tensor,
    bounds: Tensor,
    is_free: Tensor,
    options: Mapping[str, Any],
) -> tuple[Tensor, Tensor]:
    """Improve starting points, all in one batch, in some columns.

    Args:
        acquisition: The function.
        starts: Starting points, ``n x q x d``.
        bounds: Smallest and largest values of the columns, ``2 x d``.
        is_free: Which columns to change, of shape ``d``.
        options: Those of :func:`botorch.optim.batched_lbfgs_b.fmin_l_bfgs_b_batched`.

    Returns:
        The points found, ``n x q x d``, and their values, of shape ``n``.

    Raises:
        OptimizationGradientError: If the function's gradient holds NaN.
    """
    X = starts.clamp(bounds[0], bounds[1])

    def placed(x: Array, rows: Any = slice(None)) -> Tensor:
        moved = X[rows].clone()
        moved[..., is_free] = torch.from_numpy(x).to(X).reshape(*moved.shape[:-1], -1)
        return moved

    def loss(x: Array, batch_indices: list[int]) -> tuple[Array, Array]:
        points = placed(x, batch_indices).requires_grad_()
        values = acquisition(points)
        [gradient] = torch.autograd.grad(values.sum(), points)
        slopes = -_to_numpy(gradient[..., is_free]).reshape(x.shape)
        if np.isnan(slopes).any():
            message = "The gradient of the acquisition function holds NaN."
            raise OptimizationGradientError(message, current_x=x)
        return -_to_numpy(values), slopes

    limits = bounds[:, is_free].T.tolist() * starts.shape[-2]
    start = _to_numpy(X[..., is_free].flatten(1))
    found, losses, _ = fmin_l_bfgs_b_batched(
        loss, start, bounds=limits, pass_batch_indices=True, **options
    )
    values = torch.from_numpy(-losses).to(starts)
    return placed(found).clamp(bounds[0], bounds[1]), values  # rounded beyond in single precision


def _to_numpy(values: Tensor) -> Array:
    array: Array = values.detach().double().cpu().numpy()
    return array
