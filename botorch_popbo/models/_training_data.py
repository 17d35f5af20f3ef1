"""What a model is given to learn from: outcomes, or something in their place."""

import warnings
from typing import Any

from botorch.exceptions import InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from botorch.utils.datasets import MultiTaskDataset, RankingDataset, SupervisedDataset
from torch import Tensor

from botorch_popbo.data import Order, from_outcomes, from_ranking_dataset
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
    beside_sources: bool = False,
    order: Order | None = None,
) -> Order:
    """The order of outcomes, or the one that was given in their place.

    Args:
        train_X: Evaluated points, an ``N x d`` tensor.
        train_Y: Outcomes, an ``N x 1`` tensor, larger being better.
        train_Yvar: Their variances, an ``N x 1`` tensor; NaN where unknown.
        beside_sources: Whether what other tasks tell makes up for the order that a single point has
            not.
        order: What may be given instead of outcomes.

    Returns:
        The order.

    Raises:
        InputDataError: If not either outcomes or an order was given.
    """
    if train_X is not None and train_Y is not None and order is None:
        if beside_sources:
            check_outcomes(train_X, train_Y)
            if len(train_X) > 0 and bool((train_X == train_X[:1]).all()):
                return Order.without_lists(train_X[:1])
        return from_outcomes(train_X, train_Y, train_Yvar)
    if order is not None and train_X is None and train_Y is None and train_Yvar is None:
        return order
    raise InputDataError(
        "Pass train_X and train_Y, or order, and not both. To use outcomes beside other "
        "feedback, combine orders: combine(from_outcomes(train_X, train_Y), order)."
    )


def model_inputs(data: SupervisedDataset) -> dict[str, Any]:
    """Constructor arguments of a model of an order.

    Args:
        data: Outcomes, rankings, or outcomes of several tasks.

    Returns:
        Keyword arguments.

    Raises:
        UnsupportedError: If the points have a column for the task.
    """
    if isinstance(data, RankingDataset):
        return {"order": from_ranking_dataset(data)}
    if not isinstance(data, MultiTaskDataset):
        return {"train_X": data.X, "train_Y": data.Y, "train_Yvar": data.Yvar}
    if data.task_feature_index is not None:
        raise UnsupportedError(
            "RankingGP takes points without a column for the task. Leave task_feature_index out."
        )
    datasets = dict(data.datasets)
    target = datasets.pop(data.target_outcome_name)
    # Each is ranked by itself, as another task may have another unit.
    sources = [from_outcomes(source.X, source.Y, source.Yvar) for source in datasets.values()]
    return {**model_inputs(target), "sources": sources}
