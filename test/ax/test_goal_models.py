import pytest
import torch
from ax.core.search_space import SearchSpaceDigest
from botorch.utils.datasets import SupervisedDataset

from botorch_popbo.ax.goal import Goal
from botorch_popbo.ax.goal_models import fit_goal
from botorch_popbo.presets import PresetName

DIGEST = SearchSpaceDigest(feature_names=["x"], bounds=[(0.0, 1.0)])
X = torch.linspace(0.0, 1.0, 8, dtype=torch.double).unsqueeze(-1)
GOAL = Goal(
    torch.tensor([[1.0, 0.0]], dtype=torch.double),
    (torch.tensor([[0.0, 1.0]], dtype=torch.double), torch.tensor([[0.5]], dtype=torch.double)),
)


def datasets() -> list[SupervisedDataset]:
    return [
        SupervisedDataset(
            X, Y, feature_names=["x"], outcome_names=["y"], group_indices=torch.arange(len(X))
        )
        for Y in (X.sin(), X.square())
    ]


def test_with_uncertainty_every_constraint_has_a_model() -> None:
    models = fit_goal(GOAL, datasets(), DIGEST, {"preset": "default", "seed": 0}, 0, True)
    assert torch.equal(models.value.train_targets, X.sin().squeeze(-1))
    [slack] = models.slacks
    assert torch.equal(slack.train_targets, 0.5 - X.square().squeeze(-1))


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_without_it_feasible_points_come_first(preset: PresetName) -> None:
    models = fit_goal(GOAL, datasets(), DIGEST, {"preset": preset, "seed": 0}, 0, False)
    assert models.slacks == []
    assert models.value.preset_name == preset
    # Feasible up to 0.71, where larger is better; beyond, the violation grows.
    assert models.value.rank_counts.counts.tolist() == [4, 3, 2, 1, 0, 5, 6, 7]
