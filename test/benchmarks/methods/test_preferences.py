from dataclasses import replace

import pytest
import torch
from botorch.exceptions import ModelFittingError
from helpers.peers import CONTINUOUS, MIXED, Bowl, Stretched, assert_member, run, start

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS, _preferences
from botorch_popbo.benchmarks.methods._preferences import (
    Line,
    comparisons,
    expected_improvement,
    fit,
)
from botorch_popbo.benchmarks.methods._surrogates import MomentModel
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.settings import Parameters, Setting

METHOD = METHODS["ppbo"]
HARTMANN = PROBLEMS["hartmann6"].load(None)


class Negated(Bowl):
    def score(self, parameters: Parameters) -> float:
        return -super().score(parameters)


def test_comparisons_tell_the_order_and_nothing_else() -> None:
    Y = torch.tensor([[3.0], [1.0], [3.0], [2.0]])
    pairs = [[i, j] for i in range(4) for j in range(4) if Y[i] > Y[j]]
    told = comparisons(Y)
    assert sorted(told.tolist()) == pairs
    assert torch.equal(comparisons(Y.exp()), told)


def test_a_model_that_cannot_be_fitted_has_the_kernel_of_its_prior(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object) -> None:
        raise ModelFittingError("All attempts to fit the model have failed.")

    monkeypatch.setattr(_preferences, "fit_gpytorch_mll", fail)
    X = torch.linspace(0, 1, 6, dtype=torch.float64).unsqueeze(-1)
    model = fit(Encoding(CONTINUOUS.parameters[:1]), X, comparisons(X))
    mean = model.posterior(X).mean.squeeze(-1)
    assert (mean.diff() > 0).all()


def test_equal_outcomes_leave_a_random_point() -> None:
    optimizer = start(METHODS["eubo"], MIXED, initial=2, outcome=lambda _: 1.0)
    points = [optimizer.suggest(trial).parameters for trial in (2, 3)]
    assert points[0] != points[1]
    assert_member(MIXED, points[0])


def test_equal_outcomes_leave_a_random_line() -> None:
    flat = replace(CONTINUOUS, parameters=HARTMANN.parameters)
    optimizer = METHOD.start(flat, Setting("continuous", "ppbo", 2, 0))
    for value in (0.25, 0.75):
        optimizer.observe({config.name: value for config in flat.parameters}, 1.0)
    first, second = (optimizer.suggest(trial).parameters for trial in (2, 3))
    assert first["x2"] == second["x2"]
    assert first["x3"] != second["x3"]


def test_the_order_of_values_is_all_that_matters() -> None:
    whole = run(METHOD, CONTINUOUS, count=4)
    assert run(METHOD, Stretched(**vars(CONTINUOUS)), count=4) == whole
    maximized = Negated(**{**vars(CONTINUOUS), "minimize": False})
    assert run(METHOD, maximized, count=4) == whole


def test_a_suggestion_is_the_best_point_of_a_line_along_one_parameter() -> None:
    encoding = Encoding(HARTMANN.parameters)
    for trial, suggestion in enumerate(run(METHOD, HARTMANN), start=6):
        points = Line(encoding, trial).through(encoding.encode(suggestion.parameters))
        assert set((points - points[0]).abs().sum(0).nonzero().flatten().tolist()) == {trial % 6}
        scores = [HARTMANN.score(encoding.decode(x)) for x in points]
        assert HARTMANN.score(suggestion.parameters) == pytest.approx(min(scores))


def test_a_line_has_each_value_once() -> None:
    encoding = Encoding(MIXED.parameters)
    x = torch.zeros(7, dtype=torch.float64)
    values = [
        [encoding.decode(y)[config.name] for y in Line(encoding, trial).through(x)]
        for trial, config in enumerate(MIXED.parameters)
    ]
    assert [len(column) for column in values[:2]] == [100, 100]
    assert len(values[2]) == len(set(values[2]))
    assert values[3] == [*range(-3, 5)]
    assert values[4:] == [[0.0, 0.3, 0.6], [False, True], ["rbf", "linear", "poly"]]
    assert Line(encoding, 0).through(x.repeat(3, 2, 1), 5).shape == (3, 2, 5, 7)


def test_a_line_along_a_range_is_laid_on_another_grid_every_time() -> None:
    encoding = Encoding(CONTINUOUS.parameters)
    first, second = (Line(encoding, trial).places for trial in (0, 2))
    assert (first.unsqueeze(-1) - second).abs().min() > 1e-4


def test_the_improvement_is_that_of_the_best_point_of_a_line() -> None:
    model = MomentModel(lambda X: (X.sum(-1), torch.full_like(X[..., 0], 1e-12)))
    lines = torch.tensor([[[0.0], [3.0]], [[1.0], [0.5]], [[2.0], [2.5]]], dtype=torch.float64)
    found = expected_improvement(model, lines, torch.tensor(2.0))
    torch.testing.assert_close(found, found.new_tensor([1.0, 0.0, 0.5]), atol=1e-4, rtol=0)


def test_costly_values_are_refused() -> None:
    with pytest.raises(UsageError, match="takes as long as an evaluation; use eubo"):
        METHOD.start(replace(MIXED, costly_score=True), Setting("mixed", "ppbo", 6, 0))
