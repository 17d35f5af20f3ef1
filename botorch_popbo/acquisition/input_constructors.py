"""How BoTorch and Ax build the acquisition functions from what they know."""

from collections.abc import Sequence
from typing import Any, cast

from botorch.acquisition.input_constructors import acqf_input_constructor
from botorch.acquisition.objective import PosteriorTransform, ScalarizedPosteriorTransform
from botorch.exceptions import UnsupportedError
from botorch.utils.types import DEFAULT, _DefaultType
from torch import Tensor

from botorch_popbo.acquisition.constrained_utility_improvement import (
    LogConstrainedExpectedUtilityImprovement,
)
from botorch_popbo.acquisition.expected_ranking_improvement import (
    ExpectedRankingImprovement,
    LogExpectedRankingImprovement,
)
from botorch_popbo.acquisition.expected_utility_improvement import LogExpectedUtilityImprovement
from botorch_popbo.acquisition.rectified_lcb import (
    LowerConfidenceBound,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.models.poisson_rank import PoissonRankModel


@acqf_input_constructor(ExpectedRankingImprovement, LogExpectedRankingImprovement)
def construct_inputs_expected_ranking_improvement(
    model: PoissonRankModel,
    posterior_transform: PosteriorTransform | None = None,
    constraints_tuple: tuple[Tensor, Tensor] | None = None,
    X_pending: Tensor | None = None,
    K_m: int = 5,
    q: float | _DefaultType | None = DEFAULT,
    seed: int = 0,
) -> dict[str, Any]:
    """Constructor arguments of :class:`ExpectedRankingImprovement` and its logarithm.

    Args:
        model: A fitted model.
        posterior_transform: ``None``, or the identity on a maximised outcome.
        constraints_tuple: Must be ``None``.
        X_pending: Points being evaluated.
        K_m: Worst tolerable rank.
        q: Share of the evaluated points that a promising point may rank behind.
        seed: Seed of the random numbers of unpromising points.

    Returns:
        Keyword arguments of the acquisition function.

    Raises:
        UnsupportedError: If the outcome is minimised, or constrained.
    """
    _check_maximized(posterior_transform)
    _check_unconstrained(constraints_tuple)
    return {"model": model, "K_m": K_m, "q": q, "X_pending": X_pending, "seed": seed}


@acqf_input_constructor(RectifiedLowerConfidenceBound)
def construct_inputs_rectified_lower_confidence_bound(
    model: PoissonRankModel,
    posterior_transform: PosteriorTransform | None = None,
    constraints_tuple: tuple[Tensor, Tensor] | None = None,
    X_pending: Tensor | None = None,
    beta: float = 3.0,
    q: float | _DefaultType | None = DEFAULT,
    seed: int = 0,
) -> dict[str, Any]:
    """Constructor arguments of :class:`RectifiedLowerConfidenceBound`.

    Args:
        model: A fitted model.
        posterior_transform: ``None``, or the identity on a maximised outcome.
        constraints_tuple: Must be ``None``.
        X_pending: Points being evaluated.
        beta: Weight of the standard deviation.
        q: Share of the evaluated points that a promising point may rank behind.
        seed: Seed of the random numbers of unpromising points.

    Returns:
        Keyword arguments of the acquisition function.

    Raises:
        UnsupportedError: If the outcome is minimised, or constrained.
    """
    _check_maximized(posterior_transform)
    _check_unconstrained(constraints_tuple)
    return {"model": model, "beta": beta, "q": q, "X_pending": X_pending, "seed": seed}


@acqf_input_constructor(LowerConfidenceBound)
def construct_inputs_lower_confidence_bound(
    model: PoissonRankModel,
    posterior_transform: PosteriorTransform | None = None,
    constraints_tuple: tuple[Tensor, Tensor] | None = None,
    X_pending: Tensor | None = None,
    beta: float = 3.0,
) -> dict[str, Any]:
    """Constructor arguments of :class:`LowerConfidenceBound`.

    Args:
        model: A fitted model.
        posterior_transform: ``None``, or the identity on a maximised outcome.
        constraints_tuple: Must be ``None``.
        X_pending: Points being evaluated.
        beta: Weight of the standard deviation.

    Returns:
        Keyword arguments of the acquisition function.

    Raises:
        UnsupportedError: If the outcome is minimised, or constrained.
    """
    _check_maximized(posterior_transform)
    _check_unconstrained(constraints_tuple)
    return {"model": model, "beta": beta, "X_pending": X_pending}


@acqf_input_constructor(LogExpectedUtilityImprovement)
def construct_inputs_log_expected_utility_improvement(
    model: PoissonRankModel,
    posterior_transform: PosteriorTransform | None = None,
    constraints_tuple: tuple[Tensor, Tensor] | None = None,
    X_pending: Tensor | None = None,
) -> dict[str, Any]:
    """Constructor arguments of :class:`LogExpectedUtilityImprovement`.

    Args:
        model: A fitted model.
        posterior_transform: ``None``, or the identity on a maximised outcome.
        constraints_tuple: Must be ``None``.
        X_pending: Points being evaluated.

    Returns:
        Keyword arguments of the acquisition function.

    Raises:
        UnsupportedError: If the outcome is minimised, or constrained.
    """
    _check_maximized(posterior_transform)
    _check_unconstrained(constraints_tuple)
    return {"model": model, "X_pending": X_pending}


@acqf_input_constructor(LogConstrainedExpectedUtilityImprovement)
def construct_inputs_log_constrained_expected_utility_improvement(
    model: PoissonRankModel,
    slack_models: Sequence[PoissonRankModel],
    posterior_transform: PosteriorTransform | None = None,
    X_pending: Tensor | None = None,
) -> dict[str, Any]:
    """Constructor arguments of :class:`LogConstrainedExpectedUtilityImprovement`.

    Args:
        model: A fitted model of the objective.
        slack_models: Fitted models of the constraints' slacks.
        posterior_transform: ``None``, or the identity on a maximised outcome.
        X_pending: Points being evaluated.

    Returns:
        Keyword arguments of the acquisition function.

    Raises:
        UnsupportedError: If the outcome is minimised.
    """
    _check_maximized(posterior_transform)
    return {"model": model, "slack_models": slack_models, "X_pending": X_pending}


def _check_maximized(posterior_transform: PosteriorTransform | None) -> None:
    """Ranks are taken of outcomes as given, so a sign that arrives later would be lost."""
    if posterior_transform is None:
        return
    if not isinstance(posterior_transform, ScalarizedPosteriorTransform):
        raise UnsupportedError(
            "Rank-based acquisition functions take no posterior_transform but the identity; rank "
            "the transformed outcomes instead."
        )
    weights = cast(Tensor, posterior_transform.weights)
    if weights.numel() != 1 or float(weights) <= 0:
        raise UnsupportedError(
            f"The objective has weights {weights.tolist()}, but ranks were taken with larger "
            "outcomes first. Negate a minimised outcome before fitting (in Ax, use "
            "popbo_generation_strategy, which does so), and reduce several objectives to one."
        )


def _check_unconstrained(constraints: tuple[Tensor, Tensor] | None) -> None:
    if constraints is not None:
        raise UnsupportedError(
            "Rank-based acquisition functions take no outcome constraints, because constraints "
            "belong in the ranking: fit the model to from_constrained_outcomes(X, Y, violations). "
            "Or use LogConstrainedExpectedUtilityImprovement."
        )
