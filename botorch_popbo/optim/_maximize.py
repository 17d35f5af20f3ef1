"""The best point of a space of ranges, listed values and categories."""

import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed
from botorch.optim.optimize_mixed import (
    optimize_acqf_mixed_alternating,
    should_use_mixed_alternating_optimizer,
)
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo._seeds import seeded
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.optim._optimizer_options import default_options
from botorch_popbo.optim._tables import is_table, unseen_points

_NUM_OTHERS = 512
#: Most values of a column to list; a finer grid is searched like a range, and rounded.
MAX_LISTED = 1000


@dataclass(frozen=True)
class Domain:
    """Where to search.

    Attributes:
        bounds: Smallest and largest values of the ``d`` columns, ``2 x d``.
        choices: The values of each column that has a list of them, rising, the ends among them.
        categorical: Those of them whose values have no order.
        snap: Rounds columns that are searched like ranges and are none, of ``... x d``.
        inactive: Makes points equal that differ in columns without a meaning only.
    """

    bounds: Tensor
    choices: Mapping[int, Sequence[float]]
    categorical: Sequence[int]
    snap: Callable[[Tensor], Tensor]
    inactive: Callable[[Tensor], Tensor] | None = None


def maximize(
    acquisition: AcquisitionFunction,
    domain: Domain,
    X_known: Tensor,
    max_candidates: int,
    seed: int,
) -> Tensor:
    """Maximise an acquisition function of a model with uncertainty.

    Of a table every point is looked at, elsewhere BoTorch's optimizers start where
    :func:`~botorch_popbo.rank_initial_conditions` says. A known point is suggested only where no
    other one is left or found.

    Args:
        acquisition: The function.
        domain: Where to search.
        X_known: Points evaluated or pending, an ``m x d`` tensor.
        max_candidates: Most points of a table to look at.
        seed: Seed of the starting points; the global random state is left as it was.

    Returns:
        A point, of shape ``d``.
    """
    dim = domain.bounds.shape[-1]
    with seeded(seed), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Optimization failed", RuntimeWarning)
        if is_table(domain.choices, dim):
            candidates = _points_of_table(domain, X_known, max_candidates, seed)
            return _best(acquisition, candidates)
        return unless_known(acquisition, domain, _optimized(acquisition, domain), X_known)[0]


def unless_known(
    acquisition: AcquisitionFunction, domain: Domain, X: Tensor, X_known: Tensor
) -> Tensor:
    """Points that an optimizer has found, or in place of known ones the best of some others.

    Args:
        acquisition: The function.
        domain: Where to search.
        X: The points, of ``n x d``, of which each is known to those after it.
        X_known: Points evaluated or pending, an ``m x d`` tensor.

    Returns:
        An ``n x d`` tensor; a point is known only where no other is drawn.
    """
    found = []
    for x in _with_inactive(domain, X).split(1):
        if bool(is_row_of(x, X_known)):
            others = _with_inactive(domain, _drawn(domain))
            others = others[~is_row_of(others, X_known)]
            x = _best(acquisition, others).unsqueeze(0) if len(others) else x
        found.append(x)
        X_known = torch.cat([X_known, x])
    return torch.cat(found)


def rounded_columns(X: Tensor, rounded: Mapping[int, Callable[[float], float]]) -> Tensor:
    """Points of which some columns are rounded.

    Args:
        X: Points, of ``... x d``.
        rounded: How each of those columns is.

    Returns:
        A new tensor of the same shape, without a gradient.
    """
    columns = list(X.detach().clone().unbind(-1))
    for column, function in rounded.items():
        columns[column].apply_(function)
    return torch.stack(columns, dim=-1)


def _optimized(acquisition: AcquisitionFunction, domain: Domain) -> Tensor:
    """What BoTorch's optimizer for such a space finds, ``1 x d``."""
    choices = {column: list(values) for column, values in domain.choices.items()}
    common: dict[str, Any] = {"q": 1, "post_processing_func": domain.snap}
    if not choices:
        options = default_options("optimize_acqf", is_smooth=True)
        found, _ = optimize_acqf(acquisition, domain.bounds, **common, **options)
    elif should_use_mixed_alternating_optimizer(discrete_dims=choices):
        options = default_options("optimize_acqf_mixed_alternating", is_smooth=True)
        unordered = domain.categorical
        found, _ = optimize_acqf_mixed_alternating(
            acquisition,
            domain.bounds,
            discrete_dims={i: values for i, values in choices.items() if i not in unordered},
            cat_dims={i: values for i, values in choices.items() if i in unordered},
            **common,
            **options,
        )
    else:
        options = default_options("optimize_acqf_mixed", is_smooth=True)
        combinations = itertools.product(*choices.values())
        fixed = [dict(zip(choices, values, strict=True)) for values in combinations]
        found, _ = optimize_acqf_mixed(
            acquisition, domain.bounds, fixed_features_list=fixed, **common, **options
        )
    return domain.snap(found)


def _points_of_table(domain: Domain, X_known: Tensor, number: int, seed: int) -> Tensor:
    """Points that are not known, or any where all are."""
    arguments = number, seed, domain.bounds, domain.inactive
    unseen = unseen_points(domain.choices, X_known, *arguments)
    return unseen if len(unseen) else unseen_points(domain.choices, None, *arguments)


def _drawn(domain: Domain) -> Tensor:
    """Quasi-random points, ``n x d``."""
    drawn: Tensor = draw_sobol_samples(domain.bounds, _NUM_OTHERS, 1).squeeze(1)
    for column, values in domain.choices.items():
        listed = drawn.new_tensor(values)
        drawn[:, column] = listed[torch.randint(len(listed), (_NUM_OTHERS,))]
    return domain.snap(drawn)


def _with_inactive(domain: Domain, X: Tensor) -> Tensor:
    return X if domain.inactive is None else domain.inactive(X)


def _best(acquisition: AcquisitionFunction, candidates: Tensor) -> Tensor:
    found, _ = optimize_acqf_discrete(acquisition, q=1, choices=candidates, unique=False)
    best: Tensor = found[0]
    return best
