import pytest
from ax.core.parameter import ChoiceParameter, ParameterType, RangeParameter
from ax.exceptions.core import UserInputError

from botorch_popbo.ax.analyses.fitting import fitted_ranks
from botorch_popbo.ax.analyses.slices import parameter_grid, predict_grid, tunable_parameters

from .conftest import MakeRun


def test_grids_are_even_on_the_scale_of_the_parameter() -> None:
    linear = RangeParameter("a", ParameterType.FLOAT, 0.0, 1.0)
    log = RangeParameter("b", ParameterType.FLOAT, 1e-3, 1e3, log_scale=True)
    assert parameter_grid(linear, 5) == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert parameter_grid(log, 7) == pytest.approx([1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3])


def test_integers_are_thinned_out_and_stay_integers() -> None:
    values = parameter_grid(RangeParameter("a", ParameterType.INT, 1, 1000), 5)
    assert values == [1, 251, 500, 750, 1000]
    assert all(type(value) is int for value in values)


def test_all_values_of_a_choice_are_kept() -> None:
    choice = ChoiceParameter("a", ParameterType.STRING, ["x", "y", "z"], is_ordered=False)
    assert parameter_grid(choice, 2) == ["x", "y", "z"]


def test_the_best_arm_itself_is_on_every_slice(make_run: MakeRun) -> None:
    client = make_run(10)
    ranks = fitted_ranks(client._experiment, client._generation_strategy, None)
    best = client._experiment.arms_by_name[ranks.best_arm_name].parameters
    own = ranks.posterior([best]).mean.item()
    for parameter in tunable_parameters(ranks):
        df = predict_grid(ranks, [{parameter.name: best[parameter.name]}])
        assert df["predicted"].tolist() == pytest.approx([own])


def test_an_unknown_parameter_is_named(make_run: MakeRun) -> None:
    client = make_run(6)
    ranks = fitted_ranks(client._experiment, client._generation_strategy, None)
    with pytest.raises(UserInputError, match="'rote'"):
        tunable_parameters(ranks, ["rote"])
