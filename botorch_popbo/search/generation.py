"""Candidates from starting points."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions.errors import OptimizationGradientError
from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched
from torch import Tensor

Array = npt.NDArray[np.float64]


def climb(
    acquisition: AcquisitionFunction,
    starts: Tensor,
    bounds: Tensor,
    is_free: Tensor,
    options: Mapping[str, Any],
) -> tuple[Tensor, Tensor]:
    """Improve starting points, all in one batch, in some columns.

    :func:`~botorch.generation.gen_candidates_scipy` finds the same, but first looks up the
    process's thread pools, which takes as long as some ten evaluations of a model of a hundred
    points.

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
