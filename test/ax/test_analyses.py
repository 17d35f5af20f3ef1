"""Cards in a mixed search space; experiments are quick to build, as all trials are attached."""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import torch
from ax.analysis.analysis import Analysis
from ax.api.client import Client
from ax.core.analysis_card import ErrorAnalysisCard, NotApplicableStateAnalysisCard
from ax.exceptions.core import UserInputError
from botorch.utils.sampling import manual_seed
from helpers.search_spaces import choice, ranged
from helpers.service_loop import Parameterization, floats, make_client, run_trials, sphere
from scipy.stats import kendalltau

from botorch_popbo import PoissonRankModel, RankingGP
from botorch_popbo.ax import gp_generation_strategy, popbo_generation_strategy
from botorch_popbo.ax.analyses import OutcomeWarp, RankCalibration, popbo_analyses

EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])
CARDS: list[Any] = [RankCalibration, OutcomeWarp]
PARAMETERS = [
    ranged("rate", 1e-4, 1.0, log=True),
    ranged("layers", 1, 6, "int"),
    choice("kind", ["a", "b", "c"]),
    choice("size", [16, 32, 64], is_ordered=True),
]


def loss(p: Parameterization) -> float:
    """Best at rate 0.01, 4 layers, kind a and size 32, where it is 0."""
    return float(
        (math.log10(p["rate"]) + 2.0) ** 2
        + 0.2 * (p["layers"] - 4) ** 2
        + {"a": 0.0, "b": 0.7, "c": 1.6}[p["kind"]]
        + 0.3 * abs(math.log2(p["size"]) - 5.0)
    )


def searched(
    number: int,
    num_initial: int = 4,
    make: Callable[..., Any] = popbo_generation_strategy,
    evaluate: Callable[[Parameterization], float] = loss,
    **options: Any,
) -> Client:
    """So many random points, evaluated."""
    client = make_client(make(num_initial_trials=num_initial, **options), PARAMETERS, "-loss")
    generator = torch.Generator().manual_seed(0)
    for u, v, w, z in torch.rand(number, 4, generator=generator, dtype=torch.float64).tolist():
        point = {"rate": 10.0 ** (-4.0 * u), "layers": 1 + int(6 * v)}
        point |= {"kind": "abc"[int(3 * w)], "size": [16, 32, 64][int(3 * z)]}
        client.complete_trial(client.attach_trial(point), {"loss": evaluate(point)})
    return client


def card_of(client: Client, analysis: Analysis) -> Any:
    [card] = client.compute_analyses([analysis], display=False)
    return card


def test_what_cannot_be_shown_says_why() -> None:
    empty, complete = Client(), searched(6)
    empty.configure_experiment(floats(2))
    empty.set_generation_strategy(popbo_generation_strategy())
    waiting = "as soon as the initial design is complete"
    for client, metric_name, reason in (
        (empty, None, "configure_optimization"),
        (searched(0), None, "complete some trials"),
        (searched(3, num_initial=8), None, waiting),
        (searched(6, make=gp_generation_strategy), None, waiting),
        (searched(6, evaluate=lambda p: -math.inf), None, "could not be fitted"),
        (complete, "lost", "'lost' is not a metric.* are loss:"),
    ):
        for card_type in CARDS:
            shown = card_of(client, card_type(metric_name=metric_name))
            assert isinstance(shown, NotApplicableStateAnalysisCard)
            assert pd.Series([shown.blob]).str.contains(reason).all()
    for card_type in CARDS:
        without = card_type().validate_applicable_state(experiment=complete._experiment)
        assert "set_generation_strategy" in without
        with pytest.raises(UserInputError, match="An Experiment must be provided"):
            card_type().compute()


def test_cards_change_neither_the_run_nor_the_random_state() -> None:
    def run(looks: bool) -> list[object]:
        client = make_client(popbo_generation_strategy(num_initial_trials=4), floats(2), "-loss")
        suggested: list[object] = []
        for _ in range(3):
            suggested += run_trials(client, sphere, 2)
            if looks:
                state = torch.get_rng_state()
                client.compute_analyses(popbo_analyses()[1:], display=False)
                assert torch.equal(state, torch.get_rng_state())
        return suggested

    with manual_seed(7):
        assert run(looks=True) == run(looks=False)


def test_a_card_says_what_outcomes_are_taken_for() -> None:
    client = searched(14)
    card = card_of(client, OutcomeWarp())
    df = card.df
    assert "Differences between values are trusted to within " in card.subtitle
    assert card.subtitle.count("Outliers set aside: ") == df["is_outlier"].any()
    outcomes = client._experiment.lookup_data().df.set_index("arm_name")["mean"]
    assert df["outcome"].tolist() == [-outcomes[name] for name in df["arm_name"]]
    good = df[~df["is_outlier"]]
    assert good["outcome"].corr(good["utility"], method="spearman") > 0.9
    assert "Only their order" in card_of(searched(14, order_only=True), OutcomeWarp()).subtitle
    assert "default preset" in card_of(searched(6, preset="paper"), OutcomeWarp()).blob


@pytest.mark.slow
@pytest.mark.usefixtures("few_samples")
def test_every_card_of_a_gaussian_process_is_shown_and_those_of_the_ranks() -> None:
    process = searched(6, make=gp_generation_strategy).compute_analyses(display=False)
    expected = {leaf.name for card in process for leaf in card.flatten()}
    overview, *cards = searched(6).compute_analyses(popbo_analyses(), display=False)
    shown = overview.flatten()
    assert not [card.name for card in shown if isinstance(card, ErrorAnalysisCard)]
    # Ax draws slices and contours of what matters most, which the models may see differently.
    assert expected - {"SlicePlot", "ContourPlot"} <= {card.name for card in shown}
    assert all(hasattr(card, "get_figure") for card in cards)


@EACH_PRESET
def test_the_calibration_matches_a_loop_over_left_out_points(preset: str) -> None:
    client = searched(6, preset=preset)
    card = card_of(client, RankCalibration())
    df = card.df.set_index("arm_name")
    adapter: Any = client._generation_strategy.fit(client._experiment)
    model = adapter.generator.surrogate.metric_models[0]
    X, Y = model.train_inputs[0], model.train_targets
    predicted, observed, inside = [], [], {50: 0, 90: 0}
    for i in range(6):
        rest = [j for j in range(6) if j != i]
        make = RankingGP if preset == "default" else PoissonRankModel.paper
        left = make(X[rest], Y[rest, None], input_transform=model.input_transform).fit()
        posterior = left.rank_posterior(X[[i]], observation_noise=True)
        rank = sum(Y[j].item() > Y[i].item() for j in rest)
        for percent in inside:
            ends = torch.tensor([0.5 - percent / 200, 0.5 + percent / 200]).double()
            low, high = posterior.quantile(ends).flatten().tolist()
            inside[percent] += low <= rank <= high
        predicted.append(min(posterior.mean.item(), 5.0))
        observed.append(rank)
    names = [f"{i}_0" for i in range(6)]  # the model keeps the order of the trials
    assert df.loc[names, "observed"].tolist() == observed
    assert df.loc[names, "predicted"].tolist() == pytest.approx(predicted)
    assert (df["num_compared"] == 5).all()
    assert f"tau {kendalltau(predicted, observed).statistic:.2f} " in card.subtitle
    assert f"{inside[50] / 6:.0%} of the observed ranks lie in their 50%" in card.subtitle
    assert f"{inside[90] / 6:.0%} in their 90%" in card.subtitle


def test_more_than_twenty_points_are_left_out_in_folds_and_copies_together() -> None:
    client = searched(21)
    for outcome in (0.9, 1.1):
        index = client.attach_trial({"rate": 0.02, "layers": 3, "kind": "b", "size": 32})
        client.complete_trial(index, raw_data={"loss": outcome})
    card = card_of(client, RankCalibration())
    df = card.df
    assert df["predicted"].corr(df["observed"], method="kendall") > 0.4
    sizes = df.groupby("fold").size()
    assert len(df) == 22
    assert len(sizes) == 20
    assert (df["num_compared"] == 22 - df["fold"].map(sizes)).all()
    assert "22 evaluated points" in card.subtitle
    assert "(20 folds)" in card.subtitle


def test_a_calibration_needs_points_that_differ() -> None:
    with pytest.warns(match="All outcomes are equal"):
        card = card_of(searched(6, evaluate=lambda p: 1.0), RankCalibration())
    assert "tau undefined" in card.subtitle
    assert "at least three" in card_of(searched(2, num_initial=2), RankCalibration()).blob
