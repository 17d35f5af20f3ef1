"""From BoTorch's data sets to arguments of a model of an order."""

from typing import Any

from botorch.exceptions import UnsupportedError
from botorch.utils.datasets import MultiTaskDataset, RankingDataset, SupervisedDataset

from botorch_popbo.data import from_outcomes, from_ranking_dataset


def model_inputs(training_data: SupervisedDataset) -> dict[str, Any]:
    """Constructor arguments of a model of an order.

    Args:
        training_data: Outcomes, rankings, or outcomes of several tasks.

    Returns:
        Keyword arguments.

    Raises:
        UnsupportedError: If the points have a column for the task.
    """
    if isinstance(training_data, RankingDataset):
        return {"order": from_ranking_dataset(training_data)}
    if isinstance(training_data, MultiTaskDataset):
        return _of_tasks(training_data)
    return _of_outcomes(training_data)


def _of_outcomes(training_data: SupervisedDataset) -> dict[str, Any]:
    return {
        "train_X": training_data.X,
        "train_Y": training_data.Y,
        "train_Yvar": training_data.Yvar,
    }


def _of_tasks(training_data: MultiTaskDataset) -> dict[str, Any]:
    """A target and its sources."""
    if training_data.task_feature_index is not None:
        raise UnsupportedError(
            "RankingGP takes points without a column for the task. Leave task_feature_index out."
        )
    datasets = dict(training_data.datasets)
    target = datasets.pop(training_data.target_outcome_name)
    # Each is ranked by itself, as another task may have another unit.
    sources = [from_outcomes(data.X, data.Y, data.Yvar) for data in datasets.values()]
    return {**_of_outcomes(target), "sources": sources}
