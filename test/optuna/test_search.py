from typing import Any

import pytest
import torch
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

from botorch_popbo.acquisition import (
    LogConstrainedExpectedUtilityImprovement,
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
)
from botorch_popbo.data._measured import Measured
from botorch_popbo.optuna._search import Models
from botorch_popbo.optuna._space import Space

SPACE: dict[str, BaseDistribution] = {
    "x": FloatDistribution(0.0, 1.0),
    "y": IntDistribution(0, 4),
}
X = torch.tensor([[0.1, 0.0], [0.4, 2.0], [0.9, 4.0], [0.6, 1.0], [0.2, 3.0]]).double()
LOSS = (X[:, :1] - 0.5).square() + 0.1 * X[:, 1:]
NONE = X[:0]


def fitted(objectives: torch.Tensor, slack: torch.Tensor) -> Models:
    variance = torch.full_like(objectives, torch.nan), torch.full_like(slack, torch.nan)
    measured = Measured(X, objectives, variance[0], slack, variance[1], slack[:, :0])
    return Models.fit(measured, Space(SPACE, []))


@pytest.mark.parametrize(
    ("objectives", "slack", "expected"),
    [
        (-LOSS, NONE.new_zeros(5, 0), LogExpectedUtilityImprovement),
        (-LOSS, 0.5 - X[:, :1], LogConstrainedExpectedUtilityImprovement),
        (-LOSS, 1.5 - X[:, :1], LogExpectedUtilityImprovement),  # never violated
        (torch.cat([-LOSS, X[:, :1]], -1), 0.8 - X[:, :1], LogExpectedFrontImprovement),
    ],
    ids=["plain", "constrained", "satisfied", "front"],
)
def test_the_goal_decides_what_is_maximised(
    objectives: torch.Tensor, slack: torch.Tensor, expected: type
) -> None:
    models = fitted(objectives, slack)
    domain = Space(SPACE, []).domain
    assert type(models._acquisition(NONE, X, 0)) is expected
    x = models.suggest(domain, NONE, seed=0)
    assert torch.equal(x.clamp(*domain.bounds), x)
    assert x[1] == x[1].round()
    assert not (x == X).all(-1).any()


def test_what_is_pending_is_not_suggested_again() -> None:
    models, domain = fitted(-LOSS, NONE.new_zeros(5, 0)), Space(SPACE, []).domain
    x = models.suggest(domain, NONE, seed=0)
    after = models.suggest(domain, torch.stack([x, x, X[0]]), seed=0)
    assert not torch.equal(after, x)


def test_what_lies_outside_of_the_space_teaches_but_is_not_to_be_improved_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    models = fitted(-LOSS, NONE.new_zeros(5, 0))
    narrow = Space(SPACE | {"x": FloatDistribution(0.7, 1.0)}, []).domain
    assert models.suggest(narrow, NONE, seed=0)[0] >= 0.7
    asked: list[torch.Tensor] = []
    acquisition = Models._acquisition

    def noted(models: Models, pending: torch.Tensor, baseline: torch.Tensor, seed: int) -> Any:
        asked.append(baseline)
        return acquisition(models, pending, baseline, seed)

    monkeypatch.setattr(Models, "_acquisition", noted)
    models.suggest(narrow, NONE, seed=0)
    assert asked[0].tolist() == X[X[:, 0] >= 0.7].tolist()
