import pandas as pd
import pytest
import torch
from ax.api.client import Client
from ax.core.analysis_card import NotApplicableStateAnalysisCard
from ax.core.observation import ObservationFeatures

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.analyses import RankSlices
from botorch_popbo.ax.nodes import PresetName

from .conftest import MakeRun


def slices(client: Client, *args: object, **options: object) -> pd.DataFrame:
    [card] = client.compute_analyses([RankSlices(*args, **options)], display=False)
    return card.df


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_values_are_the_predictions_of_the_model(make_run: MakeRun, preset: PresetName) -> None:
    client = make_run(12, strategy=popbo_generation_strategy(num_initial_trials=4, preset=preset))
    [card] = client.compute_analyses([RankSlices()], display=False)
    arm = card.subtitle.partition(" as in arm ")[2].partition(",")[0]
    best = client._experiment.arms_by_name[arm].parameters
    adapter = client._generation_strategy.adapter
    for row in card.df.groupby("parameter").sample(3, random_state=0).itertuples():
        features = ObservationFeatures({**best, row.parameter: row.value})
        X = adapter.transform_observation_features([features])
        posterior = adapter.generator.surrogate.metric_models[0].rank_posterior(X)
        ends = posterior.quantile(torch.tensor([0.05, 0.95]).double()).flatten()
        expected = [posterior.mean.item(), *ends.tolist()]
        actual = [row.predicted, row.lower_90, row.upper_90]
        assert actual == pytest.approx([min(value, 12.0) for value in expected])


def test_every_value_lies_in_the_search_space(make_run: MakeRun) -> None:
    client = make_run(8)
    df = slices(client)
    space = client._experiment.search_space.parameters
    assert set(df["parameter"]) == set(space)
    for row in df.itertuples():
        assert space[row.parameter].validate(row.value, raises=True)
    along = {name: group["value"].tolist() for name, group in df.groupby("parameter")}
    assert along["layers"] == [1, 2, 3, 4, 5, 6]
    assert along["kind"] == ["a", "b", "c"]
    assert along["size"] == [16, 32, 64]
    assert (along["rate"][0], along["rate"][-1]) == (1e-4, 1.0)


def test_the_best_arm_without_noise_is_where_the_slices_meet(make_run: MakeRun) -> None:
    client = make_run(25)
    [card] = client.compute_analyses([RankSlices()], display=False)
    data = client._experiment.lookup_data().df
    assert f"as in arm {data.loc[data['mean'].idxmin(), 'arm_name']}," in card.subtitle


def test_a_card_survives_a_reload_of_the_client(make_run: MakeRun, tmp_path) -> None:
    client = make_run(10)
    before = slices(client)
    client.save_to_json_file(str(tmp_path / "client.json"))
    after = slices(Client.load_from_json_file(str(tmp_path / "client.json")))
    pd.testing.assert_frame_equal(before, after)


def test_the_latest_outcome_counts(make_run: MakeRun) -> None:
    client = make_run(8)
    [(index, _)] = client.get_next_trials(max_trials=1).items()
    client.complete_trial(index, raw_data={"loss": -1.0})
    [card] = client.compute_analyses([RankSlices()], display=False)
    assert "as in arm 8_0," in card.subtitle


def test_an_unknown_parameter_is_named(make_run: MakeRun) -> None:
    [card] = make_run(6).compute_analyses([RankSlices(["rote"])], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    assert "'rote'" in card.blob
    assert "there are rate, layers," in card.blob


def test_no_parameter_is_too_few(make_run: MakeRun) -> None:
    [card] = make_run(6).compute_analyses([RankSlices([])], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    assert "Name at least one parameter" in card.blob


def test_parameters_without_a_meaning_in_the_best_arm_are_left_out(branched_run: Client) -> None:
    [card] = branched_run.compute_analyses([RankSlices()], display=False)
    assert set(card.df["parameter"]) == {"solver", "scale"}
    along = card.df[card.df["parameter"] == "solver"].set_index("value")["predicted"]
    assert along["direct"] < along["iterative"]
    [refused] = branched_run.compute_analyses([RankSlices(["steps"])], display=False)
    assert "'steps'" in refused.blob
    assert "solver, scale" in refused.blob


@pytest.mark.parametrize(("x", "y"), [("rate", "kind"), ("rate", "layers")])
def test_a_surface_is_predicted_by_the_model_and_drawn(make_run: MakeRun, x: str, y: str) -> None:
    client = make_run(12)
    [card] = client.compute_analyses([RankSlices([x, y], as_surface=True)], display=False)
    arm = card.subtitle.partition(" as in arm ")[2].partition(",")[0]
    best = client._experiment.arms_by_name[arm].parameters
    adapter = client._generation_strategy.adapter
    for _, row in card.df.sample(5, random_state=0).iterrows():
        features = ObservationFeatures({**best, x: row[x], y: row[y]})
        X = adapter.transform_observation_features([features])
        posterior = adapter.generator.surrogate.metric_models[0].rank_posterior(X)
        assert row["predicted"] == pytest.approx(posterior.mean.item())
    surface, arms = card.get_figure().data
    table = card.df.pivot_table(index=y, columns=x, values="predicted", sort=False)
    assert [list(row) for row in surface.z] == table.to_numpy().tolist()
    assert sorted(arms.text) == sorted(f"{i}_0" for i in range(12))


def test_a_surface_is_over_the_two_parameters_with_the_largest_change(make_run: MakeRun) -> None:
    client = make_run(20)
    cards = client.compute_analyses([RankSlices(as_surface=True), RankSlices()], display=False)
    change = cards[1].df.groupby("parameter")["predicted"].agg(lambda p: p.max() - p.min())
    assert set(cards[0].df.columns[:2]) == set(change.nlargest(2).index)


@pytest.mark.parametrize("names", [["rate"], ["rate", "rate"], ["rate", "kind", "size"]])
def test_a_surface_takes_two_parameters(make_run: MakeRun, names: list[str]) -> None:
    [card] = make_run(6).compute_analyses([RankSlices(names, as_surface=True)], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    assert "two different parameters" in card.blob


def test_only_arms_with_both_parameters_are_shown(branched_run: Client) -> None:
    [whole] = branched_run.compute_analyses([RankSlices(as_surface=True)], display=False)
    assert set(whole.df.columns[:2]) == {"solver", "scale"}
    assert len(whole.get_figure().data[1].x) == 12
