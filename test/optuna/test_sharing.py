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
