import pandas as pd
import pytest
from ax.api.client import Client
from ax.core.analysis_card import NotApplicableStateAnalysisCard
from ax.core.observation import ObservationFeatures
from helpers.service_loop import floats, make_client, sphere
from plotly import graph_objects as go

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.analyses import RankSlices, RankSurface
from botorch_popbo.ax.analyses.fitting import fitted_ranks
from botorch_popbo.ax.analyses.rank_surface import _arms

from .conftest import MakeRun


def test_values_are_the_predictions_of_the_model(make_run: MakeRun) -> None:
    client = make_run(12)
    [card] = client.compute_analyses([RankSurface("rate", "kind")], display=False)
    arm = card.subtitle.partition(" as in arm ")[2].partition(",")[0]
    best = client._experiment.arms_by_name[arm].parameters
    adapter = client._generation_strategy.adapter
    for row in card.df.sample(5, random_state=0).itertuples():
        X = adapter.transform_observation_features(
            [ObservationFeatures({**best, "rate": row.rate, "kind": row.kind})]
        )
        posterior = adapter.generator.surrogate.metric_models[0].rank_posterior(X)
        assert row.predicted == pytest.approx(posterior.mean.item())


@pytest.mark.parametrize(
    ("x", "y", "trace"), [("rate", "kind", go.Heatmap), ("rate", "layers", go.Contour)]
)
def test_the_figure_shows_the_data_frame(
    make_run: MakeRun, x: str, y: str, trace: type[go.Heatmap]
) -> None:
    [card] = make_run(12).compute_analyses([RankSurface(x, y)], display=False)
    surface, arms = card.get_figure().data
    assert isinstance(surface, trace)
    table = card.df.pivot_table(index=y, columns=x, values="predicted", sort=False)
    assert [list(row) for row in surface.z] == table.to_numpy().tolist()
    assert sorted(name for name, _ in arms.customdata) == sorted(f"{i}_0" for i in range(12))


def test_the_two_parameters_with_the_largest_change_are_the_default(make_run: MakeRun) -> None:
    client = make_run(20)
    surface, slices = client.compute_analyses([RankSurface(), RankSlices()], display=False)
    change = slices.df.groupby("parameter")["predicted"].agg(lambda p: p.max() - p.min())
    assert set(surface.df.columns[:2]) == set(change.nlargest(2).index)


def test_a_given_parameter_is_joined_by_another_one(make_run: MakeRun) -> None:
    [card] = make_run(8).compute_analyses([RankSurface(y="size")], display=False)
    x, y = card.df.columns[:2]
    assert y == "size"
    assert x in {"rate", "layers", "kind"}


@pytest.mark.parametrize("options", [{"x": "rate", "y": "rate"}, {"x": "rote"}])
def test_unusable_parameters_are_refused(make_run: MakeRun, options: dict[str, str]) -> None:
    [card] = make_run(6).compute_analyses([RankSurface(**options)], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)


def test_one_parameter_has_no_surface() -> None:
    client = make_client(popbo_generation_strategy(num_initial_trials=4), floats(1), "-loss")
    for i in range(5):
        index = client.attach_trial({"x0": i / 4.0})
        client.complete_trial(index, raw_data={"loss": sphere({"x0": i / 4.0})})
    [card] = client.compute_analyses([RankSurface()], display=False)
    assert isinstance(card, NotApplicableStateAnalysisCard)
    assert "two different parameters" in card.blob


def test_a_card_survives_a_reload_of_the_client(make_run: MakeRun, tmp_path) -> None:
    client = make_run(10)
    client.save_to_json_file(str(tmp_path / "client.json"))
    again = Client.load_from_json_file(str(tmp_path / "client.json"))
    [after] = again.compute_analyses([RankSurface()], display=False)
    [before] = client.compute_analyses([RankSurface()], display=False)
    pd.testing.assert_frame_equal(before.df, after.df)


def test_only_arms_with_both_parameters_are_shown(branched_run: Client) -> None:
    [whole] = branched_run.compute_analyses([RankSurface()], display=False)
    assert set(whole.df.columns[:2]) == {"solver", "scale"}
    assert len(whole.get_figure().data[1].customdata) == 12
    ranks = fitted_ranks(branched_run._experiment, branched_run._generation_strategy, None)
    space = branched_run._experiment.search_space.parameters
    arms = _arms(space["steps"], space["scale"], ranks)
    assert [name for name, _ in arms.customdata] == [f"{i}_0" for i in range(1, 12, 2)]
    assert set(arms.x) == {3}


def test_a_number_that_is_no_choice_is_shown_between_them(make_run: MakeRun) -> None:
    client = make_run(8)
    index = client.attach_trial({"rate": 0.01, "layers": 4, "kind": "a", "size": 24})
    client.complete_trial(index, {"loss": -1.0})
    surface, slices = client.compute_analyses(
        [RankSurface("size", "layers"), RankSlices(["size"])], display=False
    )
    arms = surface.get_figure().data[1]
    assert 0.5 in arms.x
    assert "in arm 8_0" in slices.subtitle
