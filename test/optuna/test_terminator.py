import logging
import math
from typing import Any

import optuna
import pytest
from botorch.exceptions import InputDataError
from optuna.samplers import RandomSampler
from optuna.trial import Trial

from botorch_popbo.optuna import PoPBOSampler, PoPBOTerminator


def loss(trial: Trial) -> float:
    return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2


def test_it_ends_a_study_and_changes_no_suggestion(caplog: pytest.LogCaptureFixture) -> None:
    sampler = PoPBOSampler(seed=0, n_startup_trials=4)
    study, other = (optuna.create_study(sampler=sampler) for _ in range(2))
    with caplog.at_level(logging.WARNING):
        study.optimize(loss, 40, callbacks=[PoPBOTerminator(0.2)])
    number = len(study.trials)
    assert 4 < number < 40
    assert f"stopped after {number} trials: " in caplog.text
    other.optimize(loss, number)
    assert [t.params for t in other.trials] == [t.params for t in study.trials]
    assert not [name for name in study.trials_dataframe() if "popbo" in name]


def test_it_ends_a_study_of_any_sampler_after_the_design() -> None:
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(loss, 20, callbacks=[PoPBOTerminator(margin=10.0)])
    assert len(study.trials) == 10


def test_a_larger_margin_ends_it_earlier() -> None:
    study = optuna.create_study(sampler=PoPBOSampler(seed=0, n_startup_trials=4))
    assert not PoPBOTerminator().should_terminate(study)  # there are no trials
    study.optimize(loss, 5)
    assert PoPBOTerminator(margin=1.0).should_terminate(study)
    assert not PoPBOTerminator(margin=0.0).should_terminate(study)


def test_of_a_design_nothing_is_said() -> None:
    study = optuna.create_study(sampler=PoPBOSampler(seed=0))
    study.optimize(loss, 5)
    assert math.isnan(study.sampler.outlook(study).chance)
    assert not PoPBOTerminator(0.999).should_terminate(study)


@pytest.mark.parametrize("chance", [0.0, 1.0, "0.05"])
def test_a_chance_is_between_0_and_1(chance: Any) -> None:
    with pytest.raises(InputDataError, match="between 0 and 1"):
        PoPBOTerminator(chance)


def test_of_several_objectives_it_is_the_front_that_may_grow() -> None:
    study = optuna.create_study(directions=["minimize"] * 2)
    study.sampler = PoPBOSampler(seed=0, n_startup_trials=4)
    study.optimize(lambda t: (loss(t), (t.params["x"] - 0.7) ** 2), 5)
    assert PoPBOTerminator(margin=100.0).should_terminate(study)
    assert not PoPBOTerminator(margin=0.0).should_terminate(study)


def test_a_sampler_that_is_asked_to_says_why() -> None:
    study, other = (
        optuna.create_study(sampler=PoPBOSampler(seed=0, n_startup_trials=3, explain=explain))
        for explain in (True, False)
    )
    study.optimize(loss, 5)
    other.optimize(loss, 5)
    assert [t.params for t in other.trials] == [t.params for t in study.trials]
    assert "likely to beat the best" in study.trials[-1].user_attrs["why"]
    assert not any(t.user_attrs for t in other.trials)


def test_why_names_no_parameter_that_has_no_meaning() -> None:
    def objective(trial: Trial) -> float:
        if trial.suggest_categorical("kind", ["smooth", "steps"]) == "smooth":
            return (trial.suggest_float("rate", -1.0, 1.0) - 0.3) ** 2
        return 0.1 + abs(trial.suggest_int("depth", 1, 9) - 4) / 10.0

    study = optuna.create_study(sampler=PoPBOSampler(seed=1, explain=True))
    study.optimize(objective, 19)
    said = [t.user_attrs.get("why", "") for t in study.trials if t.params["kind"] == "steps"]
    assert any("differs in kind (steps, not smooth)." in why for why in said)
    assert not any("rate" in why for why in said)
