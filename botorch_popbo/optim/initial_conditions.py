"""Starting points for the optimization of an acquisition function."""

from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim.initializers import gen_batch_initial_conditions
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo.models.rank_model import RankModel

_NUM_CENTERS = 5
_MAX_CENTERS = 1000  # of the best ranks, which are predicted to find the centers
_MAX_ENTRIES = 2 * 10**6
# Steps of the random walk that samples a polytope, before the first sample and between two.
# BoTorch's 10,000 and 32 take many times as long as all else; starting points need no independence.
_WALK = {"n_burnin": 256, "n_thinning": 4}
_LOG10_RADIUS = (-3.5, -0.5)  # of the width of the box: from the last digits to the next basin


def rank_initial_conditions(
    acq_function: AcquisitionFunction,
    bounds: Tensor,
    q: int,
    num_restarts: int,
    raw_samples: int,
    fixed_features: dict[int, float] | None = None,
    options: dict[str, Any] | None = None,
    inequality_constraints: list[tuple[Tensor, Tensor, float]] | None = None,
    equality_constraints: list[tuple[Tensor, Tensor, float]] | None = None,
    **kwargs: Any,
) -> Tensor:
    """Starting points all over the box and close to the best evaluated points.

    Half of the raw samples are quasi-random. The others are scattered about the best points (those
    of the front where there are several objectives) by distances that are uniform on a logarithmic
    scale: as the search converges, the region where an improvement is likely shrinks, and uniform
    samples miss it. The best few of either half start the optimizer. Pass it as ``ic_generator`` to
    :func:`botorch.optim.optimize_acqf`.

    Args:
        acq_function: An acquisition function of a rank model, ours or BoTorch's; any other is left
            to BoTorch's own generator. One-shot functions, such as ``qKnowledgeGradient``, need
            :func:`~botorch.optim.initializers.gen_one_shot_kg_initial_conditions`.
        bounds: Lower and upper bounds, ``2 x d``.
        q: Number of candidates; a larger one than 1, constraints, fixed features and open bounds
            are left to BoTorch's own generator.
        num_restarts: Number of starting points.
        raw_samples: Number of points to choose from.
        fixed_features: See :func:`botorch.optim.optimize_acqf`, like all that follows.
        options: The option ``"seed"`` is used.
        inequality_constraints: See above.
        equality_constraints: See above.
        **kwargs: Handed on to BoTorch's generator.

    Returns:
        A ``num_restarts x q x d`` tensor.

    Raises:
        ValueError: If there are fewer raw samples than starting points.
    """
    model: Any = getattr(acq_function, "model", None)
    constraints = (fixed_features, inequality_constraints, equality_constraints)
    others = any(isinstance(value, Tensor) or value for value in kwargs.values())
    others |= bool(bounds.isinf().any())
    if q > 1 or any(constraints) or others or not hasattr(model, "best_points"):
        return constrained_initial_conditions(
            acq_function,
            bounds,
            q,
            num_restarts,
            raw_samples,
            fixed_features=fixed_features,
            options=options,
            inequality_constraints=inequality_constraints,
            equality_constraints=equality_constraints,
            **kwargs,
        )
    if raw_samples < num_restarts:
        raise ValueError(
            f"raw_samples is at least num_restarts, whose points come from them, but got "
            f"{raw_samples} and {num_restarts}."
        )
    half = raw_samples // 2
    seed = (options or {}).get("seed")
    with manual_seed(seed):
        everywhere = draw_sobol_samples(bounds, raw_samples - half, 1, seed=seed)
        front = getattr(acq_function, "front", None)
        centers = _best_of(model, bounds) if front is None else front
        nearby = _near(centers.to(bounds), bounds, half)
    with torch.no_grad():
        value = acq_function(torch.cat([everywhere, nearby]))
    wide = value[: len(everywhere)].topk(num_restarts - num_restarts // 2).indices
    close = value[len(everywhere) :].topk(num_restarts // 2).indices
    return torch.cat([everywhere[wide], nearby[close]])


def constrained_initial_conditions(*args: Any, **kwargs: Any) -> Tensor:
    """BoTorch's starting points, with a shorter random walk where there are linear constraints.

    Args:
        *args: See :func:`botorch.optim.initializers.gen_batch_initial_conditions`.
        **kwargs: See there.

    Returns:
        A ``num_restarts x q x d`` tensor.
    """
    kwargs["options"] = _WALK | (kwargs.get("options") or {})
    starts: Tensor = gen_batch_initial_conditions(*args, **kwargs)
    return starts


def _best_of(model: RankModel, bounds: Tensor) -> Tensor:
    """The evaluated points that are predicted to be best, of those in the box if any, ``n x d``."""
    # A rank is predicted by its thresholds, one for each evaluated point.
    affordable = max(_NUM_CENTERS, _MAX_ENTRIES // len(model.known_X))
    X = model.best_points(min(_MAX_CENTERS, affordable))
    inside = ((bounds[0] <= X) & (bounds[1] >= X)).all(-1)
    X = X[inside] if bool(inside.any()) else X
    with torch.no_grad():
        rank = model.rank_law(model.encode(X.unsqueeze(-2))).log_rate.reshape(-1)
    return X[rank.topk(min(_NUM_CENTERS, len(X)), largest=False).indices]


def _near(centers: Tensor, bounds: Tensor, number: int) -> Tensor:
    """Points scattered about some of the centers, ``number x 1 x d``."""
    chosen = centers[torch.randint(len(centers), (number,), device=centers.device)]
    low, high = _LOG10_RADIUS
    radius = low + (high - low) * torch.rand(number, 1, dtype=chosen.dtype, device=chosen.device)
    shift = 10.0**radius * torch.randn_like(chosen) * (bounds[1] - bounds[0])
    return torch.minimum(torch.maximum(chosen + shift, bounds[0]), bounds[1]).unsqueeze(-2)
