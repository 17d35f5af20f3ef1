import math
import pickle
import warnings
from dataclasses import replace
from typing import Any

import pytest
import torch
from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo.acquisition import (
    LogExpectedFrontImprovement,
    LogExpectedUtilityImprovement,
)
from botorch_popbo.acquisition._slack_constraint import SlackConstraint
from botorch_popbo.search.suggest import Models, Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space

SPACE = Space.read({"x": (0.0, 1.0), "y": (0, 4)})
X = torch.tensor([[0.1, 0.0], [0.4, 2.0], [0.9, 4.0], [0.6, 1.0], [0.2, 3.0]]).double()
LOSS = (X[:, :1] - 0.5).square() + 0.1 * X[:, 1:]
NONE = X[:0]
FAILED = -math.inf


def known(objectives: Tensor, slack: Tensor | None = None, *pending: Tensor) -> Trials:
    slack = X[:, :0] if slack is None else slack
    told = zip(X, objectives.tolist(), slack.tolist(), strict=True)
    shape = (2, objectives.shape[-1], slack.shape[-1])
    return Trials.gather([Trial(x, y, s) for x, y, s in told], pending, shape)


@pytest.mark.parametrize(
    ("objectives", "slack", "expected", "num_constraints"),
    [
        (-LOSS, None, LogExpectedUtilityImprovement, 0),
        (-LOSS, 0.5 - X[:, :1], LogExpectedUtilityImprovement, 1),
        (-LOSS, 1.5 - X[:, :1], LogExpectedUtilityImprovement, 0),  # never violated
        (torch.cat([-LOSS, X[:, :1]], -1), 0.8 - X[:, :1], LogExpectedFrontImprovement, 1),
    ],
    ids=["plain", "constrained", "satisfied", "front"],
)
def test_the_goal_decides_what_is_maximized(
    objectives: Tensor, slack: Tensor | None, expected: type, num_constraints: int
) -> None:
    models = Models.fit(known(objectives, slack), SPACE)
    function = models.improvement(None, None)
    assert type(function) is expected
    assert len(function.slack_models) == num_constraints
    x = models.suggest(SPACE, NONE, seed=0)
    assert torch.equal(x.clamp(*SPACE.bounds), x)
    assert x[1] == x[1].round()
    assert not (x == X).all(-1).any()


def test_settings_reach_what_is_maximized() -> None:
    settings = Settings(acquisition=replace(Settings().acquisition, margin=7.0))
    models = Models.fit(known(torch.cat([-LOSS, X[:, :1]], -1)), SPACE, settings)
    assert models.improvement(None, None).settings.margin == 7.0


def test_what_lies_outside_of_the_space_teaches_but_is_not_to_be_improved_on() -> None:
    models = Models.fit(known(-LOSS), SPACE)
    narrow = Space.read({"x": (0.7, 1.0), "y": (0, 4)})
    found = models.suggest(narrow, NONE, seed=0)
    assert found[0] >= 0.7
    inside = X[X[:, 0] >= 0.7]
    function = models.improvement(None, X_baseline=inside)
    others = narrow.draw(200, seed=1).unsqueeze(-2)
    assert function(found[None, None]) > function(others).median()


def test_a_design_comes_first_and_models_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fits, fit = [], Models.fit
    monkeypatch.setattr(Models, "fit", lambda *args: fits.append(1) or fit(*args))
    search, trials = Search(3, Settings(), num_initial=6), known(-LOSS, None, X[0] + 0.5)
    assert torch.equal(search.suggest(SPACE, trials, 5), SPACE.draw(9, seed=3)[5])
    again = search.suggest(SPACE, known(-LOSS, None, SPACE.draw(9, seed=3)[5]), 5)
    assert torch.equal(again, SPACE.draw(9, seed=3)[6])
    assert fits == []
    search = pickle.loads(pickle.dumps(Search(3, Settings(), num_initial=5)))
    first = search.suggest(SPACE, trials, 5)
    search.suggest(SPACE, trials, 6)
    assert torch.equal(Search(3, Settings(), 5).suggest(SPACE, trials, 5), first)
    assert len(fits) == 2
    assert torch.equal(search.models(SPACE, trials).objectives[0].incumbent, X[3])
    assert len(fits) == 2


def test_failures_that_succeeded_at_another_time_do_not_count() -> None:
    rows: list[Any] = [Trial(X[0], [FAILED]), Trial(X[1], [1.0], variance=0.25), Trial(X[0], [2.0])]
    for ended in (rows, rows[::-1]):
        found = Trials.gather(ended, [], (2, 1, 0))
        assert sorted(found.objectives.flatten().tolist()) == [1.0, 2.0]
        assert found.variance.nansum() == 0.25
    assert Trials.gather([*rows, Trial(X[2], [FAILED])], [], (2, 1, 0)).num_successes == 2


def test_each_objective_and_each_violated_slack_has_an_order() -> None:
    objectives = torch.tensor([[1.0, 9.0], [2.0, 8.0], [FAILED, FAILED], [0.0, 7.0], [3.0, 6.0]])
    slack = torch.tensor([[1.0, 1.0], [-1.0, 2.0], [-9.0, -9.0], [3.0, 3.0], [4.0, 4.0]])
    trials = known(objectives, slack)
    scores = [sorted(order.score.tolist()) for order in trials.objective_orders()]
    assert scores == [[FAILED, 0.0, 1.0, 2.0, 3.0], [FAILED, 6.0, 7.0, 8.0, 9.0]]
    [order] = trials.slack_orders().values()
    assert sorted(order.score.tolist()) == [-1, 1, 3, 4]
    with pytest.raises(InputDataError):
        Trials.gather([Trial(X[0], [1.0])], [], (2, 1, 0)).objective_orders()


def test_a_constraint_that_does_not_apply_is_satisfied_and_an_unknown_one_teaches_nothing() -> None:
    slack = torch.tensor([[-4.0], [math.inf], [1.0], [math.nan], [0.5]])
    trials = known(-LOSS, slack)
    (order,) = trials.slack_orders().values()
    found = dict(zip(map(tuple, order.X[order.item].tolist()), order.score.tolist(), strict=True))
    measured = {0: -4.0, 1: 4.0, 2: 1.0, 4: 0.5}
    assert found == {tuple(X[row].tolist()): score for row, score in measured.items()}
    never = known(-LOSS, torch.full((5, 1), math.inf))
    assert never.slack_orders() == {}
    violated = known(-LOSS, torch.tensor([[-math.inf], *[[math.inf]] * 4]))
    assert sorted(violated.slack_orders()[0].score.tolist()) == [-math.inf, 1.0, 1.0, 1.0, 1.0]


def test_where_a_constraint_never_applies_nothing_is_infeasible() -> None:
    space = Space.read({"kind": ["a", "b"], "x": (0.0, 1.0)})
    points = space.draw(24, seed=0)
    slack = (0.2 - points[:, 1]).where(points[:, 0] == 0.0, torch.inf)
    shape = (2, 1, 1)
    rows = zip(points, slack.tolist(), strict=True)
    trials = Trials.gather([Trial(x, [float(x[1])], [s]) for x, s in rows], [], shape)
    constraint = SlackConstraint(*Models.fit(trials, space).slacks)
    X = torch.cartesian_prod(torch.tensor([0.0, 1.0]), torch.linspace(0.4, 1.0, 9)).double()
    chance = constraint(X.unsqueeze(-2)).exp().reshape(2, 9)
    assert (chance[0] < 0.1).all()
    assert (chance[1] > 0.9).all()


def test_a_design_that_has_no_end_is_warned_of_once() -> None:
    failed = known(torch.full((5, 1), FAILED))
    search = Search(0, Settings(), num_initial=4)
    search.suggest(SPACE, failed, 7)
    search.suggest(SPACE, replace(failed, pending=X + 0.01), 12)
    with pytest.warns(InputDataWarning, match="Of 9 trials 0 have succeeded, 5 have failed and 4"):
        search.suggest(SPACE, failed, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.suggest(SPACE, failed, 10)
