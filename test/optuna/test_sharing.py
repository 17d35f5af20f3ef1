import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution

from botorch_popbo.optuna._sharing import share_point, shared_point


def test_a_running_trial_is_known_by_what_was_suggested_for_it() -> None:
    space = {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(200)}
    mixed = {**space, "kind": CategoricalDistribution(["a", "b"])}
    study = optuna.create_study()
    trial = study.ask()
    suggested = {**dict.fromkeys(space, 0.1234567890123456), "kind": "b"}
    share_point(study, study.trials[0], suggested, mixed)
    trial.suggest_float("x7", 0.5, 0.5)
    (running,) = study.trials
    attributes = running.system_attrs.values()
    assert (
        max(len(str(value)) for value in attributes) <= 2000 < sum(map(len, map(str, attributes)))
    )
    assert shared_point(running, mixed) == suggested | {"x7": 0.5}
    assert set(shared_point(running, {"x1": space["x1"]})) == {"x1", "x7"}


def test_without_a_suggestion_it_is_known_by_what_it_asked_for() -> None:
    study = optuna.create_study()
    study.ask().suggest_float("x", 0.5, 0.5)
    assert shared_point(study.trials[0], {}) == {"x": 0.5}


def test_what_was_enqueued_goes_before_what_was_suggested() -> None:
    space = {name: FloatDistribution(0.0, 1.0) for name in "xyz"}
    mixed = {**space, "kind": CategoricalDistribution(["a", "b"])}
    study = optuna.create_study()
    study.enqueue_trial({"x": 0.5, "y": 2, "kind": "c", "other": 3.0})
    trial = study.ask()
    share_point(study, study.trials[0], {"x": 0.1, "y": 0.2, "z": 0.3, "kind": "b"}, mixed)
    trial.suggest_float("x", 0.0, 1.0)
    found = shared_point(study.trials[0], mixed)
    # A number out of range is told with a warning, a choice that there is not is an error.
    assert found == {"x": 0.5, "y": 2.0, "z": 0.3, "kind": "b"}


LONG = {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(200)}


def test_a_text_of_which_parts_are_missing_tells_nothing() -> None:
    study = optuna.create_study()
    study.ask()
    share_point(study, study.trials[0], dict.fromkeys(LONG, 0.1234567890123456), LONG)
    (trial,) = study.trials
    trial.system_attrs = dict(list(trial.system_attrs.items())[:2])  # another process is writing
    assert shared_point(trial, LONG) == {}


def test_parts_of_an_earlier_text_are_left_out() -> None:
    study = optuna.create_study()
    study.ask()
    share_point(study, study.trials[0], dict.fromkeys(LONG, 0.1234567890123456), LONG)
    share_point(study, study.trials[0], {"x1": 0.5}, LONG)  # the trial is tried again
    assert shared_point(study.trials[0], LONG) == {"x1": 0.5}


def test_a_choice_of_another_study_is_left_out() -> None:
    study = optuna.create_study()
    study.ask()
    share_point(
        study, study.trials[0], {"kind": "c"}, {"kind": CategoricalDistribution(list("abc"))}
    )
    assert shared_point(study.trials[0], {"kind": CategoricalDistribution(["a", "b"])}) == {}
