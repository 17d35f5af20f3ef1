from collections.abc import Iterable
from functools import partial

import pytest
from ax.analysis.plotly import sensitivity
from ax.api.client import Client
from ax.core.analysis_card import (
    AnalysisCardBase,
    ErrorAnalysisCard,
    NotApplicableStateAnalysisCard,
)
from ax.generation_strategy.generation_strategy import GenerationStrategy
from helpers.service_loop import run_trials

from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy
from botorch_popbo.ax.analyses import OutcomeWarp, popbo_analyses
from botorch_popbo.ax.generator_spec import PresetName

from .conftest import MakeRun, mixed_loss

RANK_CARDS = ["RankCalibration", "OutcomeWarp"]


@pytest.fixture(scope="module")
def run(make_run: MakeRun) -> Client:
    client = make_run(14, strategy=popbo_generation_strategy(num_initial_trials=8))
    run_trials(client, mixed_loss, 2)
    return client


def repeated(
    make_run: MakeRun, run: Client, strategy: GenerationStrategy, num_trials: int = 16
) -> Client:
    client = make_run(0, strategy=strategy)
    outcomes = run._experiment.lookup_data().df.set_index("trial_index")["mean"]
    for index in range(num_trials):
        attached = client.attach_trial(dict(run._experiment.trials[index].arm.parameters))
        client.complete_trial(attached, raw_data={"loss": float(outcomes[index])})
    return client


def flat(cards: Iterable[AnalysisCardBase]) -> list[AnalysisCardBase]:
    return [leaf for card in cards for leaf in card.flatten()]


def test_a_card_says_what_outcomes_are_taken_for(run: Client) -> None:
    [card] = run.compute_analyses(analyses=[OutcomeWarp()], display=False)
    assert not isinstance(card, ErrorAnalysisCard)
    df = card.df
    assert "Distances of outcomes are believed" in card.subtitle
    assert f"of {len(df)} points" in card.subtitle
    told = run._experiment.lookup_data().df.set_index("arm_name")["mean"]
    assert df["outcome"].tolist() == [-told[name] for name in df["arm_name"]]
    good = df[~df["is_outlier"]]
    assert good["outcome"].corr(good["utility"], method="spearman") > 0.9


def test_without_distances_the_card_says_so(make_run: MakeRun, run: Client) -> None:
    strategy = popbo_generation_strategy(num_initial_trials=8, order_only=True)
    client = repeated(make_run, run, strategy)
    [card] = client.compute_analyses(analyses=[OutcomeWarp()], display=False)
    assert "the order alone" in card.subtitle


def test_a_network_has_no_such_card(make_run: MakeRun, run: Client) -> None:
    strategy = popbo_generation_strategy(num_initial_trials=8, preset="paper")
    client = repeated(make_run, run, strategy)
    [card] = client.compute_analyses(analyses=[OutcomeWarp()], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    assert "default preset" in card.blob


@pytest.mark.slow
def test_every_card_of_a_gaussian_process_is_shown_and_those_of_the_ranks(
    make_run: MakeRun, run: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ax's many samples of a sensitivity take most of a minute; which cards there are needs few.
    few = partial(sensitivity.ax_parameter_sens, num_mc_samples=100)
    monkeypatch.setattr(sensitivity, "ax_parameter_sens", few)
    process = repeated(make_run, run, gp_generation_strategy(num_initial_trials=8), 10)
    expected = {card.name for card in flat(process.compute_analyses(display=False))}
    presets: tuple[PresetName, ...] = ("default", "paper")
    for preset in presets:
        strategy = popbo_generation_strategy(num_initial_trials=8, preset=preset)
        client = repeated(make_run, run, strategy, 10)
        cards = client.compute_analyses(analyses=popbo_analyses(), display=False)
        assert [card.name for card in cards] == ["OverviewAnalysis", *RANK_CARDS]
        shown = flat(cards)
        assert not [card.name for card in shown if isinstance(card, ErrorAnalysisCard)]
        # Ax draws slices and contours of what matters most, which the models may see differently.
        assert expected - {"SlicePlot", "ContourPlot"} <= {card.name for card in shown}
        assert all(hasattr(card, "get_figure") for card in cards[1:-1])
        # A network has no utilities.
        assert hasattr(cards[-1], "get_figure") == (preset == "default")
