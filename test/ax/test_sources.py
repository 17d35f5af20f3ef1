import math
from pathlib import Path

import pandas as pd
import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig
from ax.exceptions.core import UserInputError
from helpers.search_spaces import choice, ranged
from helpers.service_loop import (
    Parameter,
    Parameterization,
    generator_keys,
    make_client,
    run_trials,
)

from botorch_popbo.ax import popbo_generation_strategy, popbo_node
from botorch_popbo.ax.sources import as_evaluations

PARAMETERS: list[Parameter] = [
    ranged("x", 0.0, 1.0),
    ranged("rate", 1e-4, 1.0, log=True),
    choice("kind", ["a", "b", "c"]),
]


def loss(p: Parameterization) -> float:
    return (p["x"] - 0.7) ** 2 + (math.log10(p["rate"]) + 2.0) ** 2 / 9 + (p["kind"] != "b")


def gain(p: Parameterization) -> float:
    return 50.0 - loss(p)


@pytest.fixture(scope="module")
def earlier() -> pd.DataFrame:
    """Of an experiment with the same parameters, at random points."""
    client = make_client(popbo_generation_strategy(num_initial_trials=24), PARAMETERS, "-loss")
    run_trials(client, loss, 24)
    return client.summarize()


def with_sources(*tables: pd.DataFrame, objective: str = "-loss", seed: int = 0) -> Client:
    strategy = popbo_generation_strategy(sources=iter(tables), seed=seed)
    return make_client(strategy, PARAMETERS, objective)


def test_the_first_trial_is_the_best_of_the_source_and_the_model_follows(
    earlier: pd.DataFrame,
) -> None:
    client = with_sources(earlier)
    first, *others = run_trials(client, lambda p: 3.0 + 10.0 * loss(p), 4)
    assert loss(first) == pytest.approx(earlier["loss"].min())
    assert generator_keys(client)[1:] == ["popbo-logei"] * 3
    assert {p["kind"] for p in others} == {"b"}  # which one trial alone cannot tell
    [prediction] = client.predict([first])
    assert prediction["loss"][0] == pytest.approx(3.0 + 10.0 * loss(first), abs=3.0)


def test_a_source_of_one_point_is_left_out(earlier: pd.DataFrame) -> None:
    one = pd.concat([earlier.head(1), earlier.head(1), earlier.head(3).assign(loss=math.nan)])
    found = run_trials(with_sources(earlier, one), loss, 2)
    assert found == run_trials(with_sources(earlier), loss, 2)


def test_a_maximised_metric_has_its_sign(earlier: pd.DataFrame) -> None:
    table = earlier.assign(gain=50.0 - earlier["loss"]).drop(columns="loss")
    mirrored = with_sources(table, objective="gain")
    found = run_trials(mirrored, gain, 2, metric="gain")
    mirror = run_trials(with_sources(earlier), loss, 2)
    for point, other in zip(found, mirror, strict=True):
        assert point.pop("kind") == other.pop("kind")
        assert point == pytest.approx(other, abs=1e-6)  # the sum rounds


def test_trials_may_run_before_the_first_is_complete(earlier: pd.DataFrame) -> None:
    client = with_sources(earlier)
    assert len(client.get_next_trials(max_trials=3)) == 3
    client.complete_trial(1, raw_data={"loss": 1.0})
    client.get_next_trials(max_trials=1)
    assert generator_keys(client)[-1] == "popbo-logei"


def test_what_cannot_be_repeated_is_not_suggested(earlier: pd.DataFrame) -> None:
    outside = earlier.copy()
    outside.loc[outside["loss"].idxmin(), "kind"] = "d"
    [(_, first)] = with_sources(outside).get_next_trials(max_trials=1).items()
    assert loss(first) == pytest.approx(earlier["loss"].nsmallest(2).iloc[1])
    with pytest.raises(UserInputError, match="search space"):
        with_sources(earlier.assign(kind="d")).get_next_trials(max_trials=1)


@pytest.mark.parametrize("end", ["running", "failed", "abandoned"])
def test_what_was_tried_is_not_suggested(earlier: pd.DataFrame, end: str) -> None:
    client = with_sources(earlier)
    best = earlier.loc[earlier["loss"].idxmin(), ["x", "rate", "kind"]].to_dict()
    index = client.attach_trial(best)
    if end != "running":
        getattr(client, f"mark_trial_{end}")(index)
    [point] = client.get_next_trials(max_trials=1).values()
    assert loss(point) == pytest.approx(earlier["loss"].nsmallest(2).iloc[1])


def test_a_gap_is_named_with_its_row(earlier: pd.DataFrame) -> None:
    table = earlier.astype({"kind": object})
    table.loc[3, "kind"] = None
    client = with_sources(earlier, table)
    with pytest.raises(UserInputError, match="Row 3 of a source has no 'kind'"):
        client.get_next_trials(max_trials=1)
    unmeasured = table.assign(loss=table["loss"].where(table["kind"].notna()))
    assert with_sources(unmeasured).get_next_trials(max_trials=1)


def test_sources_are_tables_for_the_default_preset(earlier: pd.DataFrame) -> None:
    with pytest.raises(UserInputError, match="list of tables"):
        as_evaluations([{"x": 0.5}])  # type: ignore[list-item]
    with pytest.raises(UserInputError, match="without rows"):
        with_sources(earlier, earlier[:0])
    with pytest.raises(UserInputError, match="default"):
        popbo_node(preset="paper", sources=[earlier])
    strategy = popbo_generation_strategy(sources=[earlier])
    client = make_client(strategy, PARAMETERS, "-loss", ["size <= 0.9"])
    with pytest.raises(UserInputError, match="lacks the columns size"):
        client.get_next_trials(max_trials=1)


@pytest.mark.parametrize("goal", [("-loss, -size", []), ("-loss", ["size <= 0.9"])])
def test_of_a_goal_of_several_metrics_two_points_are_waited_for(
    goal: tuple[str, list[str]], earlier: pd.DataFrame, tmp_path: Path
) -> None:
    objective, constraints = goal
    strategy = popbo_generation_strategy(sources=[earlier.assign(size=earlier["x"])])
    client = make_client(strategy, PARAMETERS, objective, constraints)
    client.save_to_json_file(str(tmp_path / "client.json"))
    client = Client.load_from_json_file(str(tmp_path / "client.json"))
    run_trials(client, lambda p: {"loss": loss(p), "size": p["x"]}, 3)
    assert generator_keys(client)[1:] == ["Sobol", "popbo-logei"]


@pytest.mark.parametrize(("column", "value"), [("kind", "d"), ("rate", 0.0)])
def test_rows_that_have_no_place_any_more_are_left_out(
    earlier: pd.DataFrame, column: str, value: float | str
) -> None:
    wider = earlier.copy()
    wider.loc[[3, 5], column] = value
    nowhere = earlier.assign(**{column: value})
    suggested = [
        run_trials(with_sources(*tables), loss, 2)
        for tables in ([wider, nowhere], [earlier.drop(index=[3, 5])])
    ]
    assert suggested[0] == suggested[1]


@pytest.mark.parametrize(
    ("column", "value"),
    [("x", "far"), ("x", math.inf), ("loss", "diverged"), ("loss", "0.5"), ("loss", -math.inf)],
)
def test_what_is_no_number_is_named_before_any_trial(
    earlier: pd.DataFrame, column: str, value: float | str
) -> None:
    wrong = earlier.astype(object)
    wrong.loc[3, column] = value
    client = with_sources(wrong)
    with pytest.raises(UserInputError, match=f"Row 3 of a source: '{column}' is {value!r}"):
        client.get_next_trials(max_trials=1)


def test_whole_numbers_and_truth_values_may_be_read_as_numbers() -> None:
    parameters = [ranged("n", 1, 9, "int"), choice("on", [False, True]), ranged("x", 0.0, 1.0)]
    table = pd.DataFrame(
        {"n": [2.0, 5.0, 7.0], "on": [1.0, 0.0, 1.0], "x": [0, 1, 1], "loss": [1.0, 2.0, 3.0]}
    )
    client = make_client(popbo_generation_strategy(sources=[table]), parameters, "-loss")
    first, _ = run_trials(client, lambda p: p["n"], 2)
    assert first == {"n": 2, "on": True, "x": 0.0}
    assert [*map(type, first.values())] == [int, bool, float]


def test_only_parameters_that_depend_on_others_may_be_empty() -> None:
    parameters = [
        ChoiceParameterConfig(
            name="kernel",
            values=["poly", "rbf"],
            parameter_type="str",
            dependent_parameters={"poly": ["degree"], "rbf": []},
        ),
        ranged("degree", 1, 5, "int"),
    ]
    table = pd.DataFrame(
        {"kernel": ["rbf", "poly"] * 3, "degree": [None, 2] * 3, "loss": [0.0, 1.0] * 3}
    )

    def started(table: pd.DataFrame) -> Client:
        return make_client(popbo_generation_strategy(sources=[table]), parameters, "-loss")

    first, second = run_trials(started(table), lambda p: 1.0, 2)
    assert first == {"kernel": "rbf"}
    assert second
    [first] = started(table.assign(loss=-table["loss"])).get_next_trials(max_trials=1).values()
    assert first == {"kernel": "poly", "degree": 2}
    with pytest.raises(UserInputError, match="Row 0 of a source has no 'kernel'"):
        started(table.assign(kernel=None)).get_next_trials(max_trials=1)
