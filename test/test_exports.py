"""Tables that Optuna, Ax and scikit-learn make themselves are read as what they are."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import optuna
import pandas as pd
import pytest
import torch
from ax.api.client import Client
from botorch.exceptions import InputDataError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV

from botorch_popbo import minimize, read_trials
from botorch_popbo._errors import UsageError
from botorch_popbo.ax import parameter_configs
from botorch_popbo.benchmarks.own.table import TableSource
from botorch_popbo.minimization import Direction
from botorch_popbo.space import Space

SPACE: dict[str, Any] = {
    "rate": (1e-4, 1.0, "log"),
    "number": (1, 50),
    "kernel": ["None", "rbf", "1"],
    "bias": [True, False],
}
Past = list[tuple[dict[str, Any], float | None]]


def past(start: Any, space: dict[str, Any] = SPACE, direction: Direction = "minimize") -> Past:
    """Parameters and outcomes of past trials, as they teach a search."""
    found = minimize(lambda **_: 1.0, space, 1, start=start, direction=direction, progress=False)
    known = [e for e in found.history if e.is_past]
    return [(e.parameters, e.value if e.status == "completed" else None) for e in known]


def table(path: Path, objective: str, *columns: str) -> TableSource:
    return TableSource.find(path, objective, columns, maximize=False)


def agree(frame: pd.DataFrame, path: Path, objective: str, evaluated: Past) -> Sequence[str]:
    """Check that every door reads what was evaluated, and return what the lab says of it."""
    frame.to_csv(path, index=False)
    for start in (frame, frame.convert_dtypes(), frame.to_dict("records"), path):
        assert past(start) == evaluated
    X, Y = read_trials(path, SPACE, objective)
    assert X.equal(torch.stack([Space.read(SPACE).encode(at) for at, _ in evaluated]))
    assert Y[:, 0].tolist() == [-math.inf if value is None else -value for _, value in evaluated]
    source = table(path, objective)
    problem = source.load()
    assert problem.space.parameters.keys() == SPACE.keys()
    assert [problem.evaluate(at, 0) for at, _ in evaluated] == [value for _, value in evaluated]
    return [*source.describe()]


def test_trials_of_optuna(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def objective(trial: optuna.Trial) -> float:
        rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
        trial.set_user_attr("machine", trial.number)
        if trial.number == 1:
            raise ValueError("before all parameters were asked for")
        trial.suggest_int("number", 1, 50)
        trial.suggest_categorical("kernel", SPACE["kernel"])
        trial.suggest_categorical("bias", [True, False])
        if trial.number == 2:
            raise ValueError
        trial.report(rate, 0)
        if trial.number > 9 and trial.should_prune():
            raise optuna.TrialPruned
        return rate - 0.01

    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(sampler=sampler, pruner=optuna.pruners.MedianPruner())
    study.optimize(objective, 20, catch=ValueError)
    study.enqueue_trial({"rate": 0.5})
    study.enqueue_trial({"rate": 0.5})
    study.ask()
    states = ("COMPLETE", "FAIL")
    ended = [trial for trial in study.trials if trial.state.name in states]
    evaluated: Past = [(trial.params, trial.value) for trial in ended if len(trial.params) == 4]
    num_pruned = 20 - len(ended)
    assert num_pruned > 0
    lines = agree(study.trials_dataframe(), tmp_path / "trials.csv", "value", evaluated)
    assert lines[0].endswith(f"{19 - num_pruned} rows, 1 of them failed")
    note = "not parameters: number, datetime_start, datetime_complete, duration, "
    note += "user_attrs_machine, system_attrs_fixed_params, state; left out, without an "
    note += f"outcome or a parameter: {num_pruned} PRUNED, 1 FAIL, 1 RUNNING, 1 WAITING"
    assert lines[1] == f"  a table of Optuna; {note}"
    assert "duration" not in "".join(lines[2:])
    assert f"start is a table of Optuna; {note}" in caplog.messages
    # What the user says goes before.
    own = table(tmp_path / "trials.csv", "value", "user_attrs_machine=int")
    assert "user_attrs_machine" in own.load().space.parameters


def test_a_parameter_of_optuna_that_has_the_name_of_the_outcome(tmp_path: Path) -> None:
    study = optuna.create_study()
    study.optimize(lambda trial: trial.suggest_float("value", 0, 1) + trial.number, 12)
    path = tmp_path / "trials.csv"
    study.trials_dataframe().to_csv(path)  # with an index
    assert [*table(path, "value").load().space.parameters] == ["params_value"]
    with pytest.raises(InputDataError, match="line 2 has 'Unnamed: 0', which is not a parameter"):
        past(path, {"value": (0.0, 1.0)})


def test_several_outcomes_of_optuna() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), 1.0), 3)
    frame = study.trials_dataframe()
    with pytest.raises(InputDataError, match=r'not a parameter\. An outcome is named "value"'):
        past(frame, {"x": (0.0, 1.0)})
    evaluated: Past = [(trial.params, trial.values[0]) for trial in study.trials]
    assert past(frame.rename(columns={"values_0": "value"}), {"x": (0.0, 1.0)}) == evaluated


def test_trials_of_ax(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = Client()
    client.configure_experiment(parameter_configs(SPACE))
    client.configure_optimization(objective="-loss")
    client.configure_generation_strategy(initialization_budget=20, initialization_random_seed=0)
    evaluated: Past = []
    for index in range(12):
        ((number, at),) = client.get_next_trials(1).items()
        value = None if index == 4 else at["rate"] + index
        if index not in (5, 6, 7):
            evaluated.append((dict(at), value))
        if index == 4:
            client.mark_trial_failed(number)
        elif index == 5:
            client.mark_trial_abandoned(number)
        elif index == 6:
            client.attach_data(number, {"loss": 7.0})
            client.mark_trial_early_stopped(number)
        elif index != 7:
            client.complete_trial(number, {"loss": value, "seconds": 1.0 + index})
    frame = client.summarize()
    assert {"loss", "seconds"} <= {*frame}
    with pytest.raises(InputDataError, match=r'not a parameter\. An outcome is named "value"'):
        past(frame)
    named = frame.rename(columns={"loss": "value"})
    lines = agree(named, tmp_path / "summary.csv", "value", evaluated)
    note = "not parameters: trial_index, arm_name, trial_status, generation_node, seconds; "
    note += "left out, without an outcome or a parameter: 1 ABANDONED, 1 EARLY_STOPPED, "
    assert lines[1] == f"  a table of Ax; {note}1 RUNNING"
    assert f"start is a table of Ax; {note}1 RUNNING" in caplog.messages
    behind = frame.assign(regret=2.0 * frame["loss"])
    behind.to_csv(tmp_path / "regret.csv", index=False)
    space = table(tmp_path / "regret.csv", "regret").load().space
    assert space.parameters.keys() == SPACE.keys()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:.*non-finite")
def test_scores_of_scikit_learn(tmp_path: Path) -> None:
    x = [[float(i)] for i in range(40)]
    grid = {"alpha": [-1.0, 0.01, 0.1, 1.0], "fit_intercept": [True, False]}
    space = {"alpha": (-10.0, 10.0), "fit_intercept": [True, False]}
    search = GridSearchCV(Ridge(), grid, cv=3).fit(x, [i**0.9 for (i,) in x])
    scores = search.cv_results_["mean_test_score"].tolist()
    at = search.cv_results_["params"]
    evaluated = [(p, None if math.isnan(s) else s) for p, s in zip(at, scores, strict=True)]
    assert [value is None for _, value in evaluated] == [True] * 2 + [False] * 6
    frame = pd.DataFrame(search.cv_results_)
    frame.to_csv(path := tmp_path / "scores.csv", index=False)
    for start in (frame, path, frame.to_dict("records"), search.cv_results_):
        assert past(start, space, "maximize") == evaluated
        with pytest.raises(InputDataError, match="mean_test_score is a score, so larger"):
            past(start, space)
    source = table(path, "mean_test_score")
    problem = source.load()
    assert not problem.minimize
    assert problem.optimal_value == pytest.approx(search.best_score_)
    assert [*problem.space.parameters] == ["alpha", "fit_intercept"]
    assert [problem.evaluate(p, 0) for p, _ in evaluated] == [value for _, value in evaluated]
    assert "mean_fit_time, std_fit_time, mean_score_time" in [*source.describe()][1]
    with pytest.raises(InputDataError, match='An outcome is named "score"'):
        read_trials(path, space, "score", maximize=True)
    assert read_trials(path, space, "mean_test_score", maximize=True)[1].max() == search.best_score_
    errors = frame.assign(value=1.0 - frame["mean_test_score"])
    assert past(errors, space) == [(p, None if v is None else 1.0 - v) for p, v in evaluated]
    # Halving scores all of the first round by a few samples.
    halving = HalvingGridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0, 9.0]}, cv=2, min_resources=8)
    halving.fit(x, [i**0.9 for (i,) in x])
    last = past(halving.cv_results_, {"alpha": (0.0, 10.0)}, "maximize")
    assert last[0][0] in halving.cv_results_["params"]
    assert 0 < len(last) < len(halving.cv_results_["params"])


def test_a_conditional_parameter_is_named(tmp_path: Path) -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial: optuna.Trial) -> float:
        deep = trial.suggest_categorical("deep", [True, False])
        return trial.suggest_float("rate", 0, 1) if deep else float(trial.number)

    study.optimize(objective, 12)
    study.trials_dataframe().to_csv(path := tmp_path / "trials.csv", index=False)
    with pytest.raises(InputDataError, match=r"line \d+: rate is nan, not a number"):
        past(path, {"deep": [True, False], "rate": (0.0, 1.0)})
    with pytest.raises(UsageError, match=r"column rate is empty .* --column rate=skip"):
        table(path, "value").load()
    assert [*table(path, "value", "rate=skip").load().space.parameters] == ["deep"]


def test_a_run_is_no_table_of_another_library_whatever_its_parameters_are_called() -> None:
    space = {"state": (0.0, 1.0), "params_x": (0.0, 1.0)}
    run = minimize(lambda state, params_x: state + params_x, space, 2, progress=False)
    assert past(run, space) == [(e.parameters, e.value) for e in run.history]
