"""Starting points for the optimization of an acquisition function."""

from collections.abc import Sequence
from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim.initializers import gen_batch_initial_conditions
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from torch import Tensor

from botorch_popbo.acquisition import LogExpectedFrontImprovement, RankAcquisitionFunction
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.search.domain import Domain
from botorch_popbo.settings import SearchSettings


def rank_initial_conditions(
    acq_function: AcquisitionFunction,
    bounds: Tensor,
    q: int,
    num_restarts: int,
    raw_samples: int,
    *,
    options: dict[str, Any] | None = None,
    settings: SearchSettings | None = None,
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
        options: The option ``"seed"`` is used.
        settings: How far from the best points.
        **kwargs: See :func:`botorch.optim.optimize_acqf`; handed on to BoTorch's generator.

    Returns:
        A ``num_restarts x q x d`` tensor.

    Raises:
        ValueError: If there are fewer raw samples than starting points.
    """
    settings = settings or SearchSettings()
    is_special = any(isinstance(value, Tensor) or value for value in kwargs.values())
    is_special |= bool(bounds.isinf().any())
    if q > 1 or is_special or rank_model_of(acq_function) is None:
        kwargs |= {"options": options, "q": q, "num_restarts": num_restarts}
        return constrained_initial_conditions(
            acq_function, bounds, raw_samples=raw_samples, **kwargs
        )
    if raw_samples < num_restarts:
        sizes = f"{raw_samples} and {num_restarts}"
        raise ValueError(f"raw_samples must be at least num_restarts; got {sizes}.")
    half = raw_samples // 2
    seed = (options or {}).get("seed")
    with manual_seed(seed):
        everywhere = draw_sobol_samples(bounds, raw_samples - half, 1, seed=seed)
        nearby = _near(acq_function, bounds, half, settings)
    return _best_of_each(acq_function, everywhere, nearby, num_restarts)


def starting_points(acquisition: AcquisitionFunction, domain: Domain) -> Tensor:
    """Starting points of a space, as :func:`rank_initial_conditions` makes them of a box.

    Of few combinations of choices the best point of each starts the optimizer, beside the best few
    close to the best evaluated points: half of these have their choices, all others every
    combination in turn. Of many combinations the best few of random points do, and of some close to
    the best ones, whose categories these have.

    Returns:
        An ``n x 1 x d`` tensor.
    """
    settings, bounds, columns = domain.settings, domain.bounds, [*domain.choices]
    number, half = settings.num_raw, settings.num_raw // 2
    if not columns:
        sizes = 1, settings.num_starts, number
        return rank_initial_conditions(acquisition, bounds, *sizes, settings=settings)
    if domain.has_many_combinations:
        nearby = points_near(acquisition, domain, half).unsqueeze(-2)
        everywhere = random_points(domain, half).unsqueeze(-2)
        return _best_of_each(acquisition, everywhere, nearby, 8)
    combinations = torch.cartesian_prod(*map(bounds.new_tensor, domain.choices.values()))
    combinations = combinations.reshape(-1, len(columns))
    everywhere = draw_sobol_samples(bounds, number - half, 1)
    X = torch.cat([everywhere, _near(acquisition, bounds, half, settings, keep=columns)])
    turns = torch.arange(number - half // 2)
    X[: len(turns), 0, columns] = combinations[turns % len(combinations)]
    with torch.no_grad():
        value = acquisition(X)
    is_of = (X[:, 0, None, columns] == combinations).all(-1)
    best = value.unsqueeze(-1).where(is_of, -torch.inf).argmax(0)
    close = number - half + value[-half:].topk(settings.num_starts).indices
    return X[torch.cat([best, close]).unique()]


def random_points(domain: Domain, number: int) -> Tensor:
    """Quasi-random points of a space, ``number x d``."""
    X: Tensor = draw_sobol_samples(domain.bounds, number, 1).squeeze(1)
    for column, values in domain.choices.items():
        listed = X.new_tensor(values)
        X[:, column] = listed[torch.randint(len(listed), (number,))]
    return domain.snap(X)


def points_near(acquisition: AcquisitionFunction, domain: Domain, number: int) -> Tensor:
    """Points of a space about the best ones, whose categories they have, ``number x d``."""
    nearby = _near(acquisition, domain.bounds, number, domain.settings, keep=domain.categorical)
    return domain.listed(domain.snap(nearby.squeeze(-2)))


def constrained_initial_conditions(
    *args: Any, options: dict[str, object] | None = None, **kwargs: Any
) -> Tensor:
    """BoTorch's starting points, with a shorter random walk where there are linear constraints.

    Its own, of 10,000 steps before the first point and 32 between two, takes many times as long as
    all else; starts need no independence. See
    :func:`botorch.optim.initializers.gen_batch_initial_conditions` for arguments and value.
    """
    kwargs["options"] = {"n_burnin": 256, "n_thinning": 4} | (options or {})
    return gen_batch_initial_conditions(*args, **kwargs)


def centers_of(acquisition: AcquisitionFunction, bounds: Tensor) -> Tensor:
    """What starts scatter about: the front of several objectives, the best five points of one.

    Of another model than of ranks nothing is known, and they are anywhere. Otherwise these are
    evaluated points, moved into the box, of which the best is expected; those that satisfy the
    constraints, if any does: what violates them is better, but not a start.

    Args:
        acquisition: The function.
        bounds: Lower and upper bounds, ``2 x d``.

    Returns:
        An ``n x d`` tensor.
    """
    number = 5
    model = rank_model_of(acquisition)
    if isinstance(acquisition, LogExpectedFrontImprovement):
        return acquisition.front.to(bounds)
    if model is None:
        return draw_sobol_samples(bounds, number, 1).squeeze(1)
    X = model.best_points(1000)
    if isinstance(acquisition, RankAcquisitionFunction):
        good = acquisition.satisfies_all(X)
        X = X[good] if bool(good.any()) else X
    # A box without width in a column is a part of a larger one, and as far from all points.
    inside = (((bounds[0] <= X) & (bounds[1] >= X)) | (bounds[0] == bounds[1])).all(-1)
    X = (X[inside] if bool(inside.any()) else X).to(bounds).clamp(bounds[0], bounds[1])
    with torch.no_grad():
        return X[model.expected_utility(X).topk(min(number, len(X))).indices]


def rank_model_of(acquisition: AcquisitionFunction) -> RankModel | None:
    """The model of an acquisition function, if it has one and that is of ranks."""
    model = getattr(acquisition, "model", None)
    return model if isinstance(model, RankModel) else None


def _best_of_each(
    acquisition: AcquisitionFunction, everywhere: Tensor, nearby: Tensor, number: int
) -> Tensor:
    """The best points of two sets, half of so many of either, ``number x 1 x d``."""
    with torch.no_grad():
        value = acquisition(torch.cat([everywhere, nearby]))
    wide = value[: len(everywhere)].topk(number - number // 2).indices
    close = value[len(everywhere) :].topk(number // 2).indices
    return torch.cat([everywhere[wide], nearby[close]])


def _near(
    acquisition: AcquisitionFunction,
    bounds: Tensor,
    number: int,
    settings: SearchSettings,
    keep: Sequence[int] = (),
) -> Tensor:
    """Points scattered about the best ones but for columns to keep, ``number x 1 x d``."""
    centers = centers_of(acquisition, bounds)
    chosen = centers[torch.randint(len(centers), (number,), device=centers.device)]
    low, high = settings.log10_radius
    radius = low + (high - low) * torch.rand(number, 1, dtype=chosen.dtype, device=chosen.device)
    shift = 10.0**radius * torch.randn_like(chosen) * (bounds[1] - bounds[0])
    shift[:, keep] = 0.0
    return torch.minimum(torch.maximum(chosen + shift, bounds[0]), bounds[1]).unsqueeze(-2)
