from dataclasses import replace

import pytest

from botorch_popbo.benchmarks.experiments.loop import INITIAL_DESIGN
from botorch_popbo.benchmarks.settings import TrialRecord

from ..conftest import MakeCampaign, only, run


def timeless(records: list[TrialRecord]) -> list[TrialRecord]:
    return [replace(r, optimizer_seconds=0.0, evaluation_seconds=0.0) for r in records]


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        *((method, "branin") for method in ("random", "gp-logei", "popbo-eri", "optuna-gp")),
        ("random", "sklearn-digits"),
        ("botorch-gp", "branin-gaussian"),
        *((method, "branin-failures") for method in ("popbo", "botorch-gp")),
        ("popbo-rlcb", "branin-ranks"),
    ],
)
def test_interrupted_and_resumed_is_the_same_as_uninterrupted(
    campaign: MakeCampaign, method: str, problem: str
) -> None:
    whole = run(campaign(method, problem, output="whole"))
    part = campaign(method, problem, output="pieces")
    for calls in (2, 5, 100):
        pieces = run(part, go_on=map(bool, range(calls, -1, -1)).__next__)
        # A scrap of a line, as a killed process may leave it.
        if len(pieces) < 7:
            path = part.path(only(part))
            path.write_bytes(path.read_bytes() + b'{"problem": "bra')
    assert len(whole) == 7
    assert timeless(pieces) == timeless(whole)


def test_methods_share_the_initial_design_and_nothing_else(campaign: MakeCampaign) -> None:
    first, second = (run(campaign(method))[:5] for method in ("random", "optuna-tpe"))
    points = [[r.parameters for r in records] for records in (first, second)]
    assert points[0][:3] == points[1][:3]
    assert points[0][3:] != points[1][3:]
    assert [r.generator for r in first] == [INITIAL_DESIGN] * 3 + ["random"] * 2


def test_the_incumbent_of_a_model_is_scored(campaign: MakeCampaign) -> None:
    records = run(campaign("botorch-gp", problem="branin-gaussian"))
    assert [r.incumbent_score for r in records[:3]] == [None] * 3
    for trial in range(3, 7):
        known = [r.score for r in records[:trial]]
        assert records[trial].incumbent_score in known
    assert [r.incumbent_score for r in run(campaign("random"))] == [None] * 7
