from ax.core.analysis_card import ErrorAnalysisCard

from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.analyses.rank_slices import RankSlices

from .conftest import MakeRun


class Broken(RankSlices):
    def check(self, ranks: FittedRanks) -> None:
        raise RuntimeError("not the user's fault")


def test_an_unexpected_error_spoils_its_own_card_only(make_run: MakeRun) -> None:
    client = make_run(6)
    [broken, sound] = client.compute_analyses([Broken(), RankSlices()], display=False)
    assert isinstance(broken, ErrorAnalysisCard)
    assert "not the user's fault" in broken.blob
    assert len(sound.df)


def test_a_card_is_named_after_its_analysis(make_run: MakeRun) -> None:
    [card] = make_run(6).compute_analyses([RankSlices(["size"])], display=False)
    assert card.name == "RankSlices"
    assert card.title == "Rank slices: loss"


def test_of_several_objectives_the_first_is_shown_unless_another_is_named(
    make_run: MakeRun,
) -> None:
    client = make_run(0, objective="-loss, gain")
    for i in range(6):
        parameters = {"rate": 0.01, "layers": i + 1, "kind": "a", "size": 32}
        index = client.attach_trial(parameters)
        client.complete_trial(index, raw_data={"loss": float(i), "gain": float(i)})
    first, gain = client.compute_analyses(
        [RankSlices(["layers"]), RankSlices(["layers"], metric_name="gain")], display=False
    )
    assert first.title == "Rank slices: loss"
    assert gain.title == "Rank slices: gain"
    # Few layers are good for the loss and many for the gain.
    assert first.df["predicted"].is_monotonic_increasing
    assert gain.df["predicted"].is_monotonic_decreasing
