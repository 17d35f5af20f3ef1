from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest
from botorch.exceptions import InputDataError
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from botorch_popbo.optuna import PreferentialPoPBOSampler

dashboard = pytest.importorskip("optuna_dashboard.preferential")
history = pytest.importorskip("optuna_dashboard._preferential_history")

BOX = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(1e-3, 1.0, log=True)}
MIXED = {**BOX, "n": IntDistribution(1, 5), "kind": CategoricalDistribution(["a", "b", "c"])}


def liking(params: dict[str, Any]) -> float:
    off = abs(params["x"] - 0.3) + abs(params.get("n", 2) - 2) / 4
    return -off - (params.get("kind", "b") != "b")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(before)


def begin(num_items: int = 2, storage: str | None = None, seed: int = 1) -> Any:
    sampler = PreferentialPoPBOSampler(seed=seed)
    return dashboard.create_study(
        n_generate=num_items,
        sampler=sampler,
        storage=storage,
        study_name="s",
        load_if_exists=True,
    )


def fill(study: Any, distributions: dict[str, Any] = MIXED) -> None:
    while study.should_generate():
        study.ask(distributions)


def say_worst(study: Any, number: int) -> str:
    """What the page of a judge does when it is clicked."""
    own = study._study
    shown = own.sampler.shown(study)
    said = history.NewHistory("ChooseWorst", shown, number)
    return str(history.report_history(own._study_id, own._storage, said))


def answer(
    study: Any,
    number: int,
    distributions: dict[str, Any] = MIXED,
    like: Callable[[dict[str, Any]], float] = liking,
) -> None:
    for _ in range(number):
        fill(study, distributions)
        shown = study._study.sampler.shown(study)
        say_worst(study, min(shown, key=lambda n: like(study.trials[n].params)))
    fill(study, distributions)


def asked(study: Any) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


@pytest.mark.usefixtures("rng_untouched")
@pytest.mark.parametrize("num_items", [2, 4])
def test_the_worst_of_several_leads_to_the_best(num_items: int) -> None:
    study = begin(num_items)
    answer(study, 16)
    [best] = study._study.sampler.best_trials(study)
    assert best.params["kind"] == "b"
    assert liking(best.params) > -0.3
    ranking = study._study.sampler.ranking(study)
    assert ranking[0].trial.number == best.number
    assert [r.utility for r in ranking] == sorted((r.utility for r in ranking), reverse=True)
    assert 0.1 < ranking[0].chance < 1.0


def test_the_same_answers_make_the_same_suggestions_from_a_database(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    whole = begin()
    answer(whole, 7)
    for number in (5, 2):  # each time in a new study object, as in a new process
        answer(begin(storage=storage), number)
    assert asked(begin(storage=storage)) == asked(whole)


def test_what_was_taken_back_or_skipped_says_nothing() -> None:
    study, other = begin(), begin()
    for one in (study, other):
        answer(one, 8)
    own = study._study
    before = own.sampler.ranking(study)
    shown = own.sampler.shown(study)
    identity = say_worst(study, shown[0])
    assert own.sampler.ranking(study) != before
    history.remove_history(own._study_id, own._storage, identity)
    after = own.sampler.ranking(study)
    assert [(r.trial.number, r.utility) for r in after] == [
        (r.trial.number, r.utility) for r in before
    ]
    best = before[0].trial
    own._storage.set_study_system_attr(
        own._study_id, f"preference:skip_trial:{best._trial_id}", True
    )
    assert best.number not in own.sampler.shown(study)
    assert own.sampler.best_trial(study).number != best.number


def test_a_champion_that_left_the_page_by_a_slip_is_shown_again() -> None:
    study = begin()
    answer(study, 18)
    sampler = study._study.sampler
    best = sampler.best_trial(study)
    say_worst(study, best.number)
    assert sampler.best_trial(study).number == best.number  # one slip does not dethrone it
    fill(study)
    assert study.trials[-1].params == best.params


def test_pending_trials_are_not_suggested_again() -> None:
    study = begin()
    answer(study, 8)
    ahead = [study.ask(MIXED).params for _ in range(4)]
    assert len({tuple(params.values()) for params in ahead}) == 4


@pytest.mark.parametrize("num_items", [2, 3])
def test_nothing_is_compared_with_itself(num_items: int) -> None:
    study = begin(num_items)
    cups = {"cup": CategoricalDistribution(["a", "b", "c", "d"])}
    for number in range(12):
        fill(study, cups)
        shown = [study.trials[n].params["cup"] for n in study._study.sampler.shown(study)]
        assert len({*shown}) == num_items
        if number == 4 - num_items:
            assert {trial.params["cup"] for trial in study.trials} == {*"abcd"}  # what is new first
        answer(study, 1, cups, lambda params: -ord(params["cup"]))
    # Of three, the worst is never "a" or "b", so nothing is said of which is better.
    assert study._study.sampler.best_trial(study).params["cup"] in "ab"[: num_items - 1]


def test_a_space_may_depend_on_choices_and_grow() -> None:
    study = begin()

    def ask() -> None:
        trial = study.ask()
        if trial.suggest_categorical("form", ["round", "square"]) == "round":
            trial.suggest_float("radius", 0.0, 1.0)
        else:
            trial.suggest_int("side", 1, 9)
        if trial.number > 8:
            trial.suggest_float("late", 0.0, 1.0)

    def like(params: dict[str, Any]) -> float:
        return -abs(params["radius"] - 0.5) if "radius" in params else -1.0

    for _ in range(4):  # before anything was said of a form
        ask()
    for _ in range(16):
        while study.should_generate():
            ask()
        shown = study._study.sampler.shown(study)
        say_worst(study, min(shown, key=lambda n: like(study.trials[n].params)))
    assert like(study._study.sampler.best_trial(study).params) > -0.3


def test_before_the_first_answer_there_is_no_best_trial() -> None:
    study = begin()
    own, sampler = study._study, study._study.sampler
    assert sampler.ranking(study) == []
    fill(study)
    assert sampler.shown(study) == [0, 1]
    keys = "preference:valuesa", "preference:valuesb"
    for key, pairs in zip(keys, ([[0, 99]], [[-1, 0]]), strict=True):  # of no trials
        own._storage.set_study_system_attr(own._study_id, key, pairs)
    with pytest.raises(InputDataError, match="no best one"):
        sampler.best_trial(study)
    with pytest.raises(InputDataError, match="at least 0"):
        PreferentialPoPBOSampler(seed=-1)
