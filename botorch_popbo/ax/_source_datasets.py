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


def at_points(dataset: SupervisedDataset, encode: Callable[[Tensor], Tensor]) -> SupervisedDataset:
    """The same evaluations of other points.

    Args:
        dataset: The evaluations.
        encode: What becomes of the points.

    Returns:
        Another data set.
    """
    moved = SupervisedDataset(
        X=encode(dataset.X),
        Y=dataset.Y,
        Yvar=dataset.Yvar,
        feature_names=dataset.feature_names,
        outcome_names=dataset.outcome_names,
        group_indices=dataset.group_indices,
    )
    if not isinstance(dataset, DatasetWithSources):
        return moved
    return DatasetWithSources(moved, [at_points(source, encode) for source in dataset.sources])
