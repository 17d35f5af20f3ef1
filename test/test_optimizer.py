import csv
import json
import math
import warnings
from pathlib import Path
from typing import Any

import optuna
import pandas as pd
import pytest
from ax.api.client import Client
from botorch.exceptions import InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning

from botorch_popbo import Optimizer, minimize
from botorch_popbo.ax import parameter_configs, popbo_generation_strategy
from botorch_popbo.candidates import mixtures, points_where
from botorch_popbo.optuna import PoPBOSampler
from botorch_popbo.settings import AcquisitionSettings, Settings
from botorch_popbo.space import Space

PLAIN: dict[str, Any] = {"kernel": ["rbf", "poly"], "layers": (1, 5), "rate": (1e-4, 1.0, "log")}
TREE: dict[str, Any] = {
    "kernel": {
        "rbf": {"gamma": (1e-3, 1.0, "log")},
        "poly": {"degree": {"two": {}, "many": {"power": (3, 9)}}, "gamma": (1e-3, 1.0, "log")},
        "linear": {},
    },
    "cost": (0.1, 10.0, "log"),
}
NUMBERS: dict[str, Any] = {
    "kernel": ["rbf", "poly"],
    "is_deep": {True: {"layers": {3: {"gamma": (1e-3, 1.0, "log")}, 1: {}}}, False: {}},
}
LIST = [
    {"name": f"n{T}{ligand}{load}", "T": T, "ligand": ligand, "load": load}
    for T in (20, 40, 60, 80)
    for ligand, load in (("a", 0.1), ("a", 1.0), ("a", 10.0), ("b", 0.1), ("", None))
]


def loss(rate: float = 0.01, gamma: float = 0.1, cost: float = 1.0, **choices: Any) -> float:
    off = sum(abs(math.log10(value)) for value in (rate / 0.01, gamma / 0.1, cost))
    return off + (choices["kernel"] == "poly") + 0.1 * choices.get("layers", 0)


def run(number: int, *args: Any, value: Any = loss, **options: Any) -> Optimizer:
    optimizer = Optimizer(*args, n_initial=4, **options)
    for _ in range(number):
        for point in optimizer.ask():
            optimizer.tell(point, value(**point))
    return optimizer


@pytest.mark.parametrize("space", [PLAIN, TREE, NUMBERS, Space.read(PLAIN)])
def test_points_are_those_of_minimize(space: Any, tmp_path: Path) -> None:
    optimizer = run(6, space)
    for number in (5, 6):
        result = minimize(
            loss, space, number, n_initial=4, path=tmp_path / "run.json", progress=False
        )
    assert [o.parameters for o in optimizer.observations] == [e.parameters for e in result.history]
    assert optimizer.best == result.best.parameters
    optimizer.save(tmp_path / "saved.json")
    assert Optimizer.load(tmp_path / "saved.json").ask() == optimizer.ask()


def test_points_are_those_of_optuna() -> None:
    told = run(8, PLAIN).observations
    study = optuna.create_study(sampler=PoPBOSampler(seed=0, n_startup_trials=4))
    study.enqueue_trial(told[0].parameters)  # Optuna knows no space before the first trial
    study.optimize(
        lambda trial: loss(
            kernel=trial.suggest_categorical("kernel", PLAIN["kernel"]),
            layers=trial.suggest_int("layers", 1, 5),
            rate=trial.suggest_float("rate", 1e-4, 1.0, log=True),
        ),
        n_trials=8,
    )
    for trial, observation in zip(study.trials, told, strict=True):
        assert trial.params == pytest.approx(observation.parameters)


def test_the_design_is_that_of_ax() -> None:
    client = Client()
    client.configure_experiment(parameter_configs(PLAIN))
    client.configure_optimization("-loss")
    client.set_generation_strategy(popbo_generation_strategy(seed=3))
    trials = client.get_next_trials(max_trials=6)  # later Ax maximizes in its own way
    for trial, point in zip(trials.values(), Optimizer(PLAIN, seed=3).ask(6), strict=True):
        assert trial == pytest.approx(point)


def test_a_point_holds_what_has_a_meaning_there() -> None:
    names = {"rbf": {"gamma"}, "poly": {"degree", "gamma"}, "linear": set()}
    for point in Optimizer(TREE).ask(16):
        power = {"power"} if point.get("degree") == "many" else set()
        assert point.keys() == {"kernel", "cost"} | names[point["kernel"]] | power
    for point in Optimizer(NUMBERS).ask(16):
        assert ("layers" in point) == point["is_deep"]
        assert ("gamma" in point) == (point.get("layers") == 3)


def test_points_of_a_batch_differ_and_keep_what_is_fixed() -> None:
    optimizer = run(6, PLAIN)
    asked = optimizer.ask(12, fixed={"kernel": "poly"})
    assert len({*map(repr, asked)}) == 12 == len(optimizer.pending)
    assert {point["kernel"] for point in asked} == {"poly"}
    optimizer.tell(asked[3], 1.0)
    assert optimizer.pending == asked[:3] + asked[4:]


def test_constraints_objectives_and_failures_are_kept_apart(tmp_path: Path) -> None:
    def outcomes(x: float, y: float) -> Any:
        return None if x > 0.9 else {"gain": x, "waste": (x + y) ** 2, "heat": x + 2.0 * y}

    goals = {"gain": "maximize", "waste": "minimize"}
    limits = {"heat": (0.2, 1.5)}
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    optimizer = run(10, space, goals, value=outcomes, constraints=limits)
    front = optimizer.front
    assert len(front) > 1
    assert all(0.2 <= outcomes(**point)["heat"] <= 1.5 for point in front)
    [expected] = optimizer.predict(front[:1])
    assert expected["gain"][0] == pytest.approx(front[0]["x"], abs=0.2)
    with pytest.raises(UnsupportedError, match=r"With several objectives, use front\."):
        _ = optimizer.best
    frame = optimizer.to_frame()
    assert (frame.status == "failed").tolist() == frame.gain.isna().tolist()
    assert set(frame.status[frame.x <= 0.9]) == {"completed"}
    optimizer.ask(2)
    start = optimizer.to_frame().rename(columns={"waste": "value"})
    known = minimize(lambda x, y: x, space, 1, start=start, progress=False).history[:-1]
    assert [e.status for e in known] == frame.status.tolist()
    optimizer.save(path := tmp_path / "lab.json")
    loaded = Optimizer.load(path)
    assert (loaded.pending, loaded.ask(2)) == (optimizer.pending, optimizer.ask(2))


@pytest.mark.parametrize("goals", [{"a": "minimize"}, {"a": "minimize", "b": "maximize"}])
def test_where_nothing_satisfies_the_constraints_the_best_comes_with_a_warning(goals: Any) -> None:
    optimizer = Optimizer({"x": (0.0, 1.0)}, goals, constraints={"heat": (None, 0.5)})
    for x in (0.1, 0.6, 0.9):
        optimizer.tell({"x": x}, {**dict.fromkeys(goals, x), "heat": 1.0 + x})
    with pytest.warns(InputDataWarning, match="No tried point .*, so they are ignored") as caught:
        assert optimizer.front[0]["x"] == 0.1
    assert len(caught) == 1
    optimizer.tell({"x": 0.2}, {**dict.fromkeys(goals, 0.2), "heat": 0.1})
    with warnings.catch_warnings(action="error"):
        assert optimizer.front == [{"x": 0.2}]


@pytest.mark.parametrize("rows", [LIST, pd.DataFrame(LIST)], ids=["list", "frame"])
def test_each_candidate_is_suggested_once(rows: Any, tmp_path: Path) -> None:
    told: list[Any] = []

    def value(T: int, ligand: str | None, load: float | None, name: str) -> float:
        told.append({"T": T, "ligand": ligand or "", "load": load, "name": name})
        return -abs(T - 60) - abs(math.log10(load or 0.01)) - 5.0 * (ligand == "b")

    optimizer = run(14, rows, "maximize", value=value)
    optimizer.save(tmp_path / "list.json")
    optimizer = Optimizer.load(tmp_path / "list.json")
    assert all(point in LIST for point in told)
    assert optimizer.best == {"T": 60, "ligand": "a", "load": 1.0, "name": "n60a1.0"}
    with pytest.warns(InputDataWarning, match="Asked for 20, but 6 are left"):
        left = optimizer.ask(20)
    assert len({point["name"] for point in [*told, *left]}) == 20
    with pytest.warns(InputDataWarning, match="Asked for 1, but 0 are left"):
        assert optimizer.ask() == []


def test_recipes_sum_to_the_whole_within_their_limits() -> None:
    parts = {"A": (0.0, 1.0), "B": (0.1, 0.5), "C": (0.0, 0.3), "D": (0.0, 1.0)}
    recipes = mixtures(parts, 1.0, 0.1)
    assert {round(sum(recipe.values()), 9) for recipe in recipes} == {1.0}
    assert len(recipes) == 130
    assert {min(r["B"] for r in recipes), max(r["B"] for r in recipes)} == {0.1, 0.5}
    few = mixtures(dict.fromkeys("ABCD", (0.0, 1.0)), 1.0, 0.1, at_most=2)
    assert len(few) == 58
    with pytest.raises(InputDataError, match="within their limits"):
        mixtures(parts, 3.0, 0.1)
    with pytest.raises(InputDataError, match=r"Steps of 0.31 above the least .* lead to 1"):
        mixtures({"A": (0.0, 1.0), "B": (0.1, 1.0)}, 1.0, 0.31)
    for step in (0.0, -0.1):
        with pytest.raises(InputDataError, match="above the least amounts do not lead to 1"):
            mixtures(parts, 1.0, step)


def test_points_that_keep_a_rule_are_candidates() -> None:
    space = {"A": (0.0, 80.0), "B": {"range": [0, 80], "step": 5}, "C": ["x", "y"]}
    optimizer = Optimizer(points_where(space, lambda p: p["A"] + 2 * p["B"] <= 100), "maximize")
    for _ in range(16):
        [point] = optimizer.ask()
        assert point["A"] + 2 * point["B"] <= 100
        optimizer.tell(point, point["A"] + 3 * point["B"])
    best = max(o.outcomes["value"] for o in optimizer.observations)
    assert best > 140.0  # 150 at A = 0, B = 50; of 16 random ones hardly ever
    with pytest.raises(InputDataError, match="None of 10000 points"):
        points_where(space, lambda p: p["A"] < 0.0)


@pytest.mark.parametrize(
    ("space", "is_listed"),
    [(LIST, True), ({"kernel": ["rbf", "poly"], "layers": (1, 9)}, True), (PLAIN, False)],
    ids=["list", "table", "ranges"],
)
def test_where_each_point_is_listed_another_share_of_the_deviation_counts(
    space: Any, is_listed: bool
) -> None:
    def value(**point: Any) -> float:
        return sum(math.sin(3 * length) for length in map(len, map(str, point.values())))

    def asked(**changed: float) -> list[Any]:
        settings = Settings(acquisition=AcquisitionSettings(**changed))
        return run(8, space, value=value, settings=settings).observations

    assert (asked(exploration=0.01) == asked()) == is_listed
    assert (asked(exploration_listed=0.01) != asked()) == is_listed


def test_it_says_why() -> None:
    optimizer = Optimizer(LIST, "maximize", n_initial=4)
    for number in range(8):
        [point] = optimizer.ask()
        said = optimizer.explain(point)
        assert (said == "Part of the design.") == (number < 4)
        assert ("likely to beat the best" in said) == (number >= 4)
        assert math.isnan(optimizer.outlook().chance) == (number < 4)
        optimizer.tell(point, -abs(point["T"] - 60))


@pytest.mark.parametrize(
    ("space", "fault"),
    [
        ({"a": {"x": {"b": (0, 9)}, "y": {}}, "b": (0, 9)}, "b is written twice"),
        ({"a": {"x": {"b": (0, 9)}, "y": {"b": (0, 5)}}}, "b is written twice"),
        ({"a": {"x": {"b": 3}, "y": {}}}, "b is a constant beside"),
        ({"a": {1: {"b": (0, 9)}, "x": {}}}, "a: Choices must be all text, all numbers or"),
        ({"a": {"x": {"b": (0, 9)}, "y": None}}, 'and {"rbf": {"gamma": .*}, "linear": {}} for'),
        ([{"a": 1}], "at least two"),
        ([], "at least two"),
        ([{"a": 1}, {"a": "x"}], "a: use texts, .* alone, not 1 and 'x'"),
        ([{"a": 1}, {"a": math.inf}], "a: use texts, finite numbers or"),
        ([{"a": [1, 2]}, {"a": [2, 3]}], r"a: use texts, .* not \[2, 3\]"),
        ([{"a": 1}, {"a": 2}, {"a": 3}, {"a": None}], "in names and empty cells only"),
        ([{"a": 1}, 3], "Candidates must be dictionaries"),
        (3, "Candidates must be dictionaries of .* or the path of a CSV file; got 3"),
    ],
)
def test_a_space_that_is_none_is_refused(space: Any, fault: str) -> None:
    with pytest.raises(InputDataError, match=fault):
        Optimizer(space)


BRANCHES = {"a": {"x": {"r": (0.0, 1.0)}, "y": {}}}


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda o: o.tell({"T": 20, "ligand": "c"}, 1.0), "ligand is 'c', not one of"),
        (lambda o: o.tell({"T": 20, "nam": "c"}, 1.0), "'nam', which is not a parameter"),
        (lambda o: o.tell(LIST[0], "good"), "value must be a number, or None for a failure"),
        (lambda o: o.tell(LIST[0], math.inf), "value must be a number"),
        (lambda o: o.tell(LIST[0], (1.0, 0.1)), r"as standard_error=, not in \(1.0, 0.1\)"),
        (lambda o: o.tell(LIST[0], {"value": 1.0, "standard_error": 0.1}), "as standard_error=,"),
        (lambda o: o.tell({**LIST[0], "T": "x"}, 1.0), "T is 'x', not a number"),
        (lambda o: o.tell({"ligand": "a"}, 1.0), "T is None, not a number"),
        (lambda _: Optimizer({"n": (1, 5)}).tell({"n": None}, 1.0), "n is None, not a number"),
        (lambda _: Optimizer({"n": (1, 5), "k": [1, 2]}).tell({"n": 1}, 1.0), "point lacks 'k'"),
        (lambda o: o.ask(fixed={"z": 1}), "'z' is not a parameter; these are .'T', 'ligand'"),
        (lambda o: o.ask(None), "n must be a whole number of at least 1, not None"),
        (lambda _: mixtures(["A", "B"], 1, 0.3), "Parts are {name: .*, not .'A', 'B'"),
        (lambda o: o.tell(LIST[0], {"value": 1.0, "other": 1.0}), "not {'other'}"),
        (lambda o: o.tell(LIST[0], {"other": 1.0}), "{'value'} is missing. Pass None if"),
        (lambda o: o.tell(LIST[0], 1.0, standard_error=-1.0), "A standard error"),
        (lambda o: o.tell(3, 1.0), "A point must be a dictionary"),
        (lambda o: o.ask(fixed={"T": 20, "ligand": "c"}), "not in the space: not one of"),
        (lambda o: o.ask(fixed={"T": 30}), "No candidate has"),
        (lambda _: Optimizer({"x": (0, 9)}).ask(fixed={"x": 10}), "space: not from 0 to 9"),
        (lambda _: Optimizer(BRANCHES).ask(fixed={"r": 0.5}), "Fix 'a', too"),
        (lambda _: Optimizer(BRANCHES).ask(fixed={"r": 0.5, "a": "y"}), "no meaning beside"),
        (lambda o: o.ask(0), "n must be a whole number"),
        (lambda o: o.outlook(-1), "margin must be a number of at least 0, or None, not -1"),
        (lambda _: points_where({"x": (0, 9)}, lambda p: p["q"]), "asks for 'q', not for .'x'"),
        (lambda o: o.predict([LIST[0]]), "two distinct points"),
        (lambda _: Optimizer(LIST, constraints={"cost": ("x", None)}), "cost: limits are"),
        (
            lambda _: Optimizer(LIST, constraints={"T": (0, 9)}),
            "T is a parameter; give the outcome",
        ),
        (lambda _: Optimizer(LIST, constraints={"cost": (3, 1)}), "cost: limits are"),
        (lambda _: Optimizer(LIST, constraints={"cost": 3}), "cost: limits are"),
        (lambda _: Optimizer(LIST, constraints=3), "constraints must be a dictionary"),
        (lambda optimizer: optimizer.ask(fixed=3), "fixed must be a dictionary"),
        (lambda _: Optimizer(LIST, settings={}), r"settings must be Settings\(...\)"),
        (lambda _: Optimizer(LIST, "best"), 'are "minimize" or "maximize"'),
        (lambda _: Optimizer(LIST, ["minimize"] * 2), "or a dictionary of these by name, not"),
    ],
)
def test_what_is_wrong_is_said(call: Any, fault: str) -> None:
    with pytest.raises(InputDataError, match=fault):
        call(Optimizer(LIST, "maximize"))


def test_it_says_how_far_it_is() -> None:
    optimizer = Optimizer({"heat": (20, 90), "time": (1, 9)})
    for point in optimizer.ask(3)[:2]:
        optimizer.tell(point, 1.0)
    assert repr(optimizer) == "<Optimizer of heat, time: 2 observations, 1 pending>"


def test_an_outcome_is_not_forgotten() -> None:
    with pytest.raises(TypeError, match="'value'"):
        Optimizer(LIST).tell(LIST[0])  # type: ignore[call-arg]


def test_numbers_of_candidates_are_numbers_in_a_csv_file_and_told_of_as_text(
    tmp_path: Path,
) -> None:
    text = "mass;lot;ligand\n32,5;1;a\n46,1;1;007\nNA;1;None\n60,0;1;b\n"
    (path := tmp_path / "candidates.csv").write_text(text)
    with warnings.catch_warnings(action="error", category=InputDataWarning):
        points = Optimizer(path).ask(4)
    masses = {"a": 32.5, "007": 46.1, "None": None, "b": 60.0}
    assert {point["ligand"]: point["mass"] for point in points} == masses
    assert {point["lot"] for point in points} == {1}
    rows = [*csv.DictReader(["mass,ligand", "32.5,a", "46.1,2", ",b", "60,b"])]
    message = "^mass holds numbers as text; convert them, or pass the path of the CSV file"
    with pytest.warns(InputDataWarning, match=message) as caught:
        Optimizer(rows)
    assert len(caught) == 1


def test_names_that_only_some_candidates_have_are_told_of() -> None:
    rows = [{"acid": 1, "base": 2}, {"acid": 2, "bsae": 3}, {"acid": 3, "base": 1}]
    message = r"no 'bsae' in candidate 1, 'base' in candidate 2\. An empty cell"
    with pytest.warns(InputDataWarning, match=message) as caught:
        Optimizer(rows)
    assert len(caught) == 1
    with warnings.catch_warnings(action="error"):
        Optimizer(pd.DataFrame(rows))
        Optimizer([{"acid": 1, "base": None}, {"acid": 2, "base": 3}])


def test_nothing_is_the_best_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="No point of the space has succeeded"):
        _ = run(3, PLAIN, value=lambda **_: None).best
    outside = Optimizer({"heat": (20, 90)}, "maximize", n_initial=2)
    for heat in (100, 110, 120):
        outside.tell({"heat": heat}, -heat)
    with pytest.raises(RuntimeError, match="No point of the space has succeeded"):
        _ = outside.best
    (path := tmp_path / "none.json").write_text(json.dumps({"format": 2}))
    with pytest.raises(InputDataError, match="is not a saved Optimizer"):
        Optimizer.load(path)
