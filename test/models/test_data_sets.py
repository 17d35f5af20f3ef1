import pytest
import torch
from botorch.exceptions import UnsupportedError
from botorch.utils.datasets import MultiTaskDataset, SupervisedDataset
from helpers.gaussian import unit_points
from helpers.ranking import ranking_dataset, unmeasured

from botorch_popbo import PoissonRankModel, RankingGP, RankModel
from botorch_popbo.data import from_outcomes

X, OLD_X = unit_points(6), unit_points(9, seed=1)


def dataset(points: torch.Tensor, name: str) -> SupervisedDataset:
    outcomes = points.sum(-1, keepdim=True)
    return SupervisedDataset(points, outcomes, feature_names=["a", "b"], outcome_names=[name])


def test_a_multi_task_dataset_names_target_and_sources() -> None:
    tasks = MultiTaskDataset([dataset(OLD_X, "old"), dataset(X, "new")], "new")
    inputs = RankingGP.construct_inputs(tasks)
    [source] = inputs.pop("sources")
    assert source.agrees_with(from_outcomes(OLD_X, OLD_X.sum(-1, keepdim=True)))
    assert torch.equal(inputs["train_X"], X)
    assert torch.equal(inputs["train_Y"], X.sum(-1, keepdim=True))
    assert inputs["train_Yvar"] is None


def test_a_column_for_the_task_is_refused() -> None:
    with_column = MultiTaskDataset([dataset(X, "new")], "new", task_feature_index=1)
    with pytest.raises(UnsupportedError, match="task_feature_index"):
        RankingGP.construct_inputs(with_column)


def test_several_tasks_are_no_ranking_of_all_their_points() -> None:
    tasks = MultiTaskDataset([dataset(OLD_X, "old"), dataset(X, "new")], "new")
    with pytest.raises(UnsupportedError, match="the target alone, or use RankingGP"):
        PoissonRankModel.construct_inputs(tasks)


@pytest.mark.parametrize("kind", [RankingGP, PoissonRankModel])
def test_rankings_are_an_order(kind: type[RankModel]) -> None:
    order = unmeasured(from_outcomes(X, X.sum(-1)))
    ranks = (order.score.unsqueeze(-1) < order.score).sum(-1).tolist()
    rankings = ranking_dataset(order.X, [[*range(len(X))]], [ranks])
    model = kind(**kind.construct_inputs(rankings))
    assert model.order is not None
    assert model.order.agrees_with(order)
