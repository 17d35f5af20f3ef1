import torch
from botorch.utils.datasets import SupervisedDataset

from botorch_popbo.ax._source_datasets import DatasetWithSources, at_points, replaced


def dataset(start: float) -> SupervisedDataset:
    X = start + torch.arange(6.0).reshape(3, 2)
    Y = X.sum(-1, keepdim=True)
    names = {"feature_names": ["a", "b"], "outcome_names": ["loss"]}
    return SupervisedDataset(X, Y, Yvar=Y + 1.0, group_indices=torch.arange(3), **names)


TARGET, SOURCE = dataset(0.0), dataset(100.0)


def test_what_is_not_replaced_stays() -> None:
    found = replaced(TARGET, Y=-TARGET.Y)
    torch.testing.assert_close(found.Y, -TARGET.Y)
    assert found == SupervisedDataset(
        TARGET.X,
        -TARGET.Y,
        Yvar=TARGET.Yvar,
        feature_names=["a", "b"],
        outcome_names=["loss"],
        group_indices=TARGET.group_indices,
    )


def test_sources_go_along_and_move_with_the_points() -> None:
    both = DatasetWithSources(TARGET, [SOURCE])
    kept = replaced(both, X=-TARGET.X)
    assert isinstance(kept, DatasetWithSources)
    assert kept.sources == [SOURCE]
    moved = at_points(both, lambda X: X / 2.0)
    assert isinstance(moved, DatasetWithSources)
    torch.testing.assert_close(moved.X, TARGET.X / 2.0)
    torch.testing.assert_close(moved.sources[0].X, SOURCE.X / 2.0)
    torch.testing.assert_close(SOURCE.X, dataset(100.0).X)  # that of the caller is as it was


def test_without_sources_there_are_none_afterwards() -> None:
    assert not isinstance(at_points(TARGET, torch.clone), DatasetWithSources)
