"""The best point of a space of ranges, listed values and categories."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.exceptions.warnings import BadInitialCandidatesWarning
from botorch.generation import gen_candidates_scipy
from botorch.optim import optimize_acqf_discrete, optimize_acqf_discrete_local_search
from torch import Tensor

from botorch_popbo._reproducible import one_thread, seeded
from botorch_popbo.acquisition import LogExpectedFrontImprovement
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.search.domain import Domain, unseen_points
from botorch_popbo.search.starts import (
    centers_of,
    constrained_initial_conditions,
    random_points,
    rank_initial_conditions,
    rank_model_of,
    starting_points,
)
from botorch_popbo.settings import SearchSettings


@one_thread()
def maximize(
    acquisition: AcquisitionFunction, domain: Domain, X_known: Tensor, seed: int
) -> Tensor:
    """Maximise an acquisition function of a model with uncertainty.

    Of a small table every point is looked at, elsewhere BoTorch's optimizers start where
    :func:`~botorch_popbo.rank_initial_conditions` says. A known point is suggested only where no
    other one is left or found.

    Args:
        acquisition: The function.
        domain: Where to search.
        X_known: Points evaluated or pending, an ``m x d`` tensor.
        seed: Seed of the starting points; the global random state is left as it was.

    Returns:
        A point, of shape ``d``.
    """
    with searching(seed):
        if domain.is_table:
            unseen = table_candidates(acquisition, domain, X_known, seed)
            if not len(unseen):
                unseen = unseen_points(domain, X_known[:0], _affordable(acquisition, domain), seed)
            return _best(acquisition, unseen)
        climb = _by_turns if domain.has_many_combinations else _climbed
        found = climb(acquisition, domain, starting_points(acquisition, domain))
        with torch.no_grad():
            best = found[acquisition(found).argmax()]
        return unless_known(acquisition, domain, best, X_known)[0]


@contextmanager
def searching(seed: int) -> Iterator[None]:
    """Seed BoTorch's optimizers, and let them say nothing of what is no failure."""
    with seeded(seed), warnings.catch_warnings():
        # A ReLU network has kinks, and the line search ends at one.
        warnings.filterwarnings("ignore", "Optimization failed", RuntimeWarning)
        warnings.simplefilter("ignore", BadInitialCandidatesWarning)  # where all are as good
        yield


def table_candidates(
    acquisition: AcquisitionFunction, domain: Domain, X_known: Tensor, seed: int
) -> Tensor:
    """Points of a table to choose from, neither evaluated nor pending.

    Of a small table these are all. Of a large one they are some random points; and, unless the
    model is a network, where the most promising of them and the best evaluated points lead by a
    local search, which changes one value at a time.

    Args:
        acquisition: The function.
        domain: The table, of which every column has a list of values.
        X_known: Points evaluated or pending, an ``m x d`` tensor.
        seed: Seed of the random points.

    Returns:
        An ``n x d`` tensor; none if no point is left.
    """
    draw = partial(unseen_points, domain, X_known, seed=seed)
    model = rank_model_of(acquisition)
    if model is not None and not model.has_uncertainty:
        return draw(1000)  # as in the paper
    most, half = _affordable(acquisition, domain), (domain.settings.num_starts + 1) // 2
    if domain.num_combinations <= most or domain.candidates is not None:
        return draw(most)
    drawn = draw(domain.settings.num_raw)
    if len(drawn) < half:  # nearly all differ in columns without a meaning only
        return draw(most)
    with torch.no_grad():
        promising = drawn[acquisition(drawn.unsqueeze(-2)).topk(half).indices]
    best = centers_of(acquisition, domain.bounds)[:half]
    found = []
    for start in torch.cat([promising, domain.listed(best)]).split(1):
        x, _ = optimize_acqf_discrete_local_search(
            acquisition, domain.columns, 1, 1, batch_initial_conditions=start.unsqueeze(-2)
        )
        found.append(x)
    led = domain.filled(torch.cat(found)).unique(dim=0)
    return torch.cat([drawn, led[~is_row_of(led, X_known) & ~is_row_of(led, drawn)]])


def unless_known(
    acquisition: AcquisitionFunction,
    domain: Domain,
    X: Tensor,
    X_known: Tensor,
    feasible: Callable[[Tensor], Tensor] = Tensor.clone,
) -> Tensor:
    """Points that an optimizer has found, or in place of known ones the best of some others.

    Args:
        acquisition: The function.
        domain: Where to search.
        X: The points, of ``n x d``, of which each is known to those after it.
        X_known: Points evaluated or pending, an ``m x d`` tensor.
        feasible: Those of some points that may be suggested.

    Returns:
        An ``n x d`` tensor; a point is known only where no other is drawn.
    """
    found = []
    for x in domain.filled(X).split(1):
        if bool(is_row_of(x, X_known)):
            others = feasible(domain.filled(random_points(domain, 512)))
            others = others[~is_row_of(others, X_known)]
            x = _best(acquisition, others).unsqueeze(0) if len(others) else x
        found.append(x)
        X_known = torch.cat([X_known, x])
    return torch.cat(found)


def default_options(optimizer: str, is_smooth: bool, settings: SearchSettings) -> dict[str, object]:
    """The options of one of BoTorch's optimizers.

    Args:
        optimizer: Its name.
        is_smooth: Whether the acquisition function has no kinks, which a network's has.
        settings: How hard to search.

    Returns:
        Its keyword arguments; none for an optimizer that looks at every point of a discrete space.
    """
    number, num_raw = settings.num_starts, settings.num_raw
    common: dict[str, object] = {"raw_samples": num_raw, "retry_on_optimization_warning": False}
    if optimizer == "optimize_acqf" and is_smooth:
        starts = partial(rank_initial_conditions, settings=settings)
        options = {"maxiter": settings.max_steps, "factr": settings.tolerance}
        return common | {"num_restarts": number, "ic_generator": starts, "options": options}
    common["ic_generator"] = constrained_initial_conditions
    if optimizer == "optimize_acqf":
        # A network's maxima have kinks, so more starts, a coarser end (0.002 of a rank) and a short
        # line search pay; a long one gains nothing there.
        options = {"init_batch_limit": num_raw, "batch_limit": 16, "factr": 1e13, "maxls": 4}
        return common | {"num_restarts": 16, "options": options}
    if optimizer == "optimize_acqf_mixed":
        options = {"init_batch_limit": 256, "batch_limit": 8, "maxiter": 50}
        return common | {"num_restarts": 8, "raw_samples": 256, "options": options}
    if optimizer == "optimize_acqf_mixed_alternating":
        options = {"init_batch_limit": num_raw, "maxiter_alternating": 8}
        return {"num_restarts": 8, "raw_samples": num_raw, "options": options}
    return {}


def _affordable(acquisition: AcquisitionFunction, domain: Domain) -> int:
    """Most points of a table to look at one by one: those of a front cost more."""
    most = domain.settings.max_candidates
    return min(most, 2048) if isinstance(acquisition, LogExpectedFrontImprovement) else most


def _by_turns(acquisition: AcquisitionFunction, domain: Domain, X: Tensor) -> Tensor:
    """Where climbing numbers and changing choices by turns leads, ``n x 1 x d``."""
    found = []
    with torch.no_grad():
        value = acquisition(X)
    for _ in range(8):
        moved, reached = _step(acquisition, domain, _climbed(acquisition, domain, X))
        found.append(moved)
        is_open = reached > value + 1e-3  # of the logarithm
        X, value = moved[is_open], reached[is_open]
        if not len(X):
            break
    return torch.cat(found)


def _climbed(acquisition: AcquisitionFunction, domain: Domain, X: Tensor) -> Tensor:
    """Where climbing in numbers alone leads from some points, ``n x 1 x d``."""
    low, high = domain.bounds
    # In shares of the ranges: L-BFGS-B stops at a small gradient, and a wide range makes it small.
    width = (high - low).where(high > low, 1.0)
    starts, columns = ((X - low) / width).clamp(0.0, 1.0), [*domain.choices]
    fixed = {i: starts[:, 0, i] for i in columns}
    options = {
        "maxiter": domain.settings.max_steps,
        "factr": domain.settings.tolerance,
        # With a SciPy that BoTorch does not know yet it climbs from one start after another.
        "max_optimization_problem_aggregation_size": 1,
    }
    with warnings.catch_warnings(record=True):  # whatever the filter, it warns of an early end
        share, _ = gen_candidates_scipy(
            starts,
            lambda share: acquisition(low + width * share),  # type: ignore[arg-type]
            *(0.0, 1.0),
            options=options,
            fixed_features=fixed,
        )
    found = (low + width * share).clamp(low, high)
    found[..., columns] = X[..., columns]
    return domain.snap(found)


def _step(acquisition: AcquisitionFunction, domain: Domain, X: Tensor) -> tuple[Tensor, Tensor]:
    """The best of points of the space, and of those that differ in one choice, and its value.

    Both of points ``n x 1 x d``, and the value of shape ``n``.
    """
    parts = [X]
    for column, values in domain.choices.items():
        listed = X.new_tensor(values)
        if len(listed) > domain.settings.max_listed:  # of thousands of categories some at a time
            listed = listed[torch.randperm(len(listed))[: domain.settings.max_listed]]
        other = X.repeat(1, len(listed), 1)
        other[..., column] = listed
        parts.append(other)
    every = torch.cat(parts, dim=1)
    # Choices that have no meaning beside others change nothing.
    distinct, place = domain.filled(every.flatten(0, 1)).unique(dim=0, return_inverse=True)
    with torch.no_grad():
        value, best = acquisition(distinct.unsqueeze(-2))[place].reshape(every.shape[:2]).max(-1)
    return every[torch.arange(len(X)), best].unsqueeze(-2), value


def _best(acquisition: AcquisitionFunction, candidates: Tensor) -> Tensor:
    found, _ = optimize_acqf_discrete(acquisition, q=1, choices=candidates, unique=False)
    return found[0]
