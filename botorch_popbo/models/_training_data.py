"""What a model is given to learn from: outcomes, or something in their place."""

import warnings
from typing import Any

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo.data import Order, from_outcomes
from botorch_popbo.data._checks import check_outcomes

#: How the warning begins, for those who give it once in a search.
SILENT = "All outcomes are equal"


def warn_if_silent(says_nothing: bool) -> None:
    """Warn of feedback from which nothing can be learned.

    Args:
        says_nothing: Whether no point is worse than another.

    Warns:
        InputDataWarning: If it is so.
    """
    if says_nothing:
        warnings.warn(
            f"{SILENT}, or all evaluations failed, so their ranks say nothing about where better "
            "points are. Check the metric, or widen the initial design.",
            InputDataWarning,
            stacklevel=3,
        )


def order_of_training_data(
    train_X: Tensor | None,
    train_Y: Tensor | None,
    train_Yvar: Tensor | None,
    **alternatives: Any,
) -> Order | None:
    """Order outcomes, or see that something else was given in their place.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor, larger being better.
        train_Yvar: Their variances, an ``N x 1`` tensor; NaN where unknown.
        **alternatives: By their names, what may be given instead of outcomes.

    Returns:
        The order of the outcomes; ``None`` if one of the alternatives was given.

    Raises:
        InputDataError: If not exactly one of outcomes and alternatives was given.
    """
    given = [name for name, value in alternatives.items() if value is not None]
    names = " or ".join(alternatives)
    if train_X is not None and train_Y is not None and not given:
        return from_outcomes(train_X, train_Y, train_Yvar)
    if len(given) == 1 and all(values is None for values in (train_X, train_Y, train_Yvar)):
        return None
    raise InputDataError(
        f"Pass train_X and train_Y, or {names}, and not both. To use outcomes beside other "
        "feedback, combine orders: combine(from_outcomes(train_X, train_Y), order)."
    )


def is_one_point(train_X: Tensor | None, train_Y: Tensor | None) -> bool:
    """Whether there are outcomes of a single point, which is compared with none.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor.

    Returns:
        Whether it is so.

    Raises:
        BotorchTensorDimensionError: If the shapes do not agree.
        InputDataError: If there are NaN or infinite values other than an outcome of ``-inf``.
    """
    if train_X is None or train_Y is None:
        return False
    check_outcomes(train_X, train_Y)
    return len(train_X) > 0 and bool((train_X == train_X[:1]).all())
