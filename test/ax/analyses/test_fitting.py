import pytest
import torch
from ax.analysis.analysis import Analysis
from ax.api.client import Client
from ax.core.analysis_card import NotApplicableStateAnalysisCard
from ax.exceptions.core import UserInputError
from botorch.utils.sampling import manual_seed
from helpers.service_loop import floats, make_client, run_trials, sphere

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy
from botorch_popbo.ax.analyses import OutcomeWarp, RankCalibration, popbo_analyses

from .conftest import MakeRun

CARDS = [RankCalibration, OutcomeWarp]
each_card = pytest.mark.parametrize("card_type", CARDS)


def reason(client: Client, analysis: Analysis) -> str:
    [card] = client.compute_analyses([analysis], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    return card.blob


@each_card
def test_no_experiment(card_type: type[Analysis]) -> None:
    assert "An Experiment must be provided" in (card_type().validate_applicable_state() or "")
    with pytest.raises(UserInputError, match="An Experiment must be provided"):
        card_type().compute()


@each_card
def test_no_data(make_run: MakeRun, card_type: type[Analysis]) -> None:
    assert "complete some trials" in reason(make_run(0), card_type())


def test_no_objective() -> None:
    client = Client()
    client.configure_experiment(parameters=floats(2))
    client.set_generation_strategy(popbo_generation_strategy())
    assert "configure_optimization" in reason(client, OutcomeWarp())


def test_no_generation_strategy(make_run: MakeRun) -> None:
    experiment = make_run(6)._experiment
    explanation = OutcomeWarp().validate_applicable_state(experiment=experiment)
    assert "set_generation_strategy" in (explanation or "")


def test_initial_design_is_not_complete(make_run: MakeRun) -> None:
    client = make_run(3, strategy=popbo_generation_strategy(num_initial_trials=8))
    assert "as soon as the initial design is complete" in reason(client, OutcomeWarp())


def test_another_strategy(make_run: MakeRun) -> None:
    client = make_run(6, strategy=gp_generation_strategy(num_initial_trials=4))
    assert "popbo_generation_strategy" in reason(client, OutcomeWarp())


def test_a_model_that_cannot_be_fitted(make_run: MakeRun) -> None:
    client = make_run(6, evaluate=lambda parameters: -torch.inf)
    assert "could not be fitted" in reason(client, OutcomeWarp())


def test_an_unknown_metric_is_named(make_run: MakeRun) -> None:
    explanation = reason(make_run(6), OutcomeWarp(metric_name="lost"))
    assert "'lost'" in explanation
    assert "loss" in explanation


def test_cards_change_neither_the_run_nor_the_random_state() -> None:
    def run(looks: bool) -> list[object]:
        strategy = popbo_generation_strategy(num_initial_trials=4)
        client = make_client(strategy, floats(2), "-loss")
        suggested: list[object] = []
        for _ in range(4):
            suggested += run_trials(client, sphere, 2)
            if looks:
                state = torch.get_rng_state()
                client.compute_analyses(popbo_analyses()[1:], display=False)
                assert torch.equal(state, torch.get_rng_state())
        return suggested

    with manual_seed(7):
        assert run(looks=True) == run(looks=False)
