import re

import pandas as pd
import pytest
import torch
from ax.api.client import Client
from ax.core.analysis_card import NotApplicableStateAnalysisCard
from scipy.stats import kendalltau

from botorch_popbo import PoissonRankModel, RankingGP, RankModel
from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.analyses import RankCalibration
from botorch_popbo.ax.generator_spec import PresetName

from .conftest import MakeRun

EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])


def calibrate(client: Client) -> tuple[pd.DataFrame, str]:
    [card] = client.compute_analyses([RankCalibration()], display=False)
    return card.df.set_index("arm_name"), card.subtitle


def model_of(client: Client) -> RankModel:
    return client._generation_strategy.fit(client._experiment).generator.surrogate.metric_models[0]


@EACH_PRESET
def test_numbers_match_a_loop_over_left_out_points(make_run: MakeRun, preset: PresetName) -> None:
    client = make_run(9, strategy=popbo_generation_strategy(num_initial_trials=4, preset=preset))
    df, subtitle = calibrate(client)
    model = model_of(client)
    X, Y = model.train_inputs[0], model.train_targets
    predicted, observed, inside = [], [], {50: 0, 90: 0}
    for i in range(9):
        rest = [j for j in range(9) if j != i]
        make = RankingGP if preset == "default" else PoissonRankModel.paper
        left = make(X[rest], Y[rest, None], input_transform=model.input_transform).fit()
        posterior = left.rank_posterior(X[[i]], observation_noise=True)
        rank = sum(Y[j].item() > Y[i].item() for j in rest)
        for percent in inside:
            ends = torch.tensor([0.5 - percent / 200, 0.5 + percent / 200]).double()
            low, high = posterior.quantile(ends).flatten().tolist()
            inside[percent] += low <= rank <= high
        predicted.append(min(posterior.mean.item(), 8.0))
        observed.append(rank)
    names = [f"{i}_0" for i in range(9)]  # the model keeps the order of the trials
    assert df.loc[names, "observed"].tolist() == observed
    assert df.loc[names, "predicted"].tolist() == pytest.approx(predicted)
    assert (df["num_compared"] == 8).all()
    assert f"tau {kendalltau(predicted, observed).statistic:.2f} " in subtitle
    assert f"{inside[50] / 9:.0%} of the observed ranks lie in their 50 %" in subtitle
    assert f"{inside[90] / 9:.0%} in their 90 %" in subtitle


def test_of_more_than_twenty_points_twenty_folds_are_predicted_better_than_by_chance(
    make_run: MakeRun,
) -> None:
    df, subtitle = calibrate(make_run(27))
    assert kendalltau(df["predicted"], df["observed"]).statistic > 0.4
    assert re.search(r"tau 0\.\d\d ", subtitle)
    sizes = df.groupby("fold").size()
    assert len(sizes) == 20
    assert set(sizes) == {1, 2}
    assert (df["num_compared"] == 27 - df["fold"].map(sizes)).all()
    assert "20 folds" in subtitle
    assert "27 evaluated points" in subtitle


def test_no_copy_of_a_held_out_point_is_learned_from(make_run: MakeRun) -> None:
    client = make_run(8)
    for outcome in (5.0, 5.2):
        index = client.attach_trial({"rate": 0.02, "layers": 3, "kind": "b", "size": 32})
        client.complete_trial(index, raw_data={"loss": outcome})
    df, _ = calibrate(client)
    assert len(df) == 9
    assert (df["num_compared"] == 8).all()


def test_equal_outcomes_leave_tau_undefined(make_run: MakeRun) -> None:
    with pytest.warns(match="All outcomes are equal"):
        _, subtitle = calibrate(make_run(6, evaluate=lambda parameters: 1.0))
    assert "tau undefined" in subtitle


def test_two_points_are_too_few(make_run: MakeRun) -> None:
    client = make_run(2, strategy=popbo_generation_strategy(num_initial_trials=2))
    [card] = client.compute_analyses([RankCalibration()], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    assert "at least three" in card.blob
