"""Evaluations of a metric beside those of earlier experiments."""

from collections.abc import Callable

from botorch.utils.datasets import SupervisedDataset
from torch import Tensor


class DatasetWithSources(SupervisedDataset):
    """Evaluations of one metric, and those of earlier experiments.

    Args:
        target: The evaluations of the experiment itself.
        sources: Those of the sources.
    """

    def __init__(self, target: SupervisedDataset, sources: list[SupervisedDataset]) -> None:
        super().__init__(
            X=target.X,
            Y=target.Y,
            Yvar=target.Yvar,
            feature_names=target.feature_names,
            outcome_names=target.outcome_names,
            group_indices=target.group_indices,
        )
        self.sources = sources


def replaced(
    dataset: SupervisedDataset,
    X: Tensor | None = None,
    Y: Tensor | None = None,
    Yvar: Tensor | None = None,
) -> SupervisedDataset:
    """The same evaluations, and sources if there are any, with some tensors in place of others.

    Args:
        dataset: The evaluations.
        X: Points.
        Y: Outcomes.
        Yvar: Their variances.

    Returns:
        Another data set.
    """
    found = SupervisedDataset(
        X=dataset.X if X is None else X,
        Y=dataset.Y if Y is None else Y,
        Yvar=dataset.Yvar if Yvar is None else Yvar,
        feature_names=dataset.feature_names,
        outcome_names=dataset.outcome_names,
        group_indices=dataset.group_indices,
    )
    if not isinstance(dataset, DatasetWithSources):
        return found
    return DatasetWithSources(found, dataset.sources)


def at_points(dataset: SupervisedDataset, encode: Callable[[Tensor], Tensor]) -> SupervisedDataset:
    """The same evaluations of other points.

    Args:
        dataset: The evaluations.
        encode: What becomes of the points.

    Returns:
        Another data set.
    """
    moved = replaced(dataset, X=encode(dataset.X))
    if isinstance(moved, DatasetWithSources):
        moved.sources = [at_points(source, encode) for source in moved.sources]
    return moved
