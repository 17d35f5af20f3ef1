"""The standing guard names what is behind, and nothing else."""

from functools import partial
from pathlib import Path

import pytest
from guard import __main__ as guard
from guard.comparison import Comparison, Lead, Record
from guard.problems import function
from guard.suites import SUITES, Suite, in_optuna

FAMILIES = "abcdef"


def record(**factors: float) -> Record:
    """Regrets of three seeds after two budgets, of each family's problem so many times as large."""
    found = Record([10, 20])
    for place, name in enumerate(FAMILIES):
        for seed in range(3):
            regret = factors.get(name, 1.0) * (place + 1) / (seed + 1)
            found.add(name, str(seed), [0.1 * regret, 0.01 * regret], 1.0)
    return found


def test_an_equal_record_raises_no_alarm() -> None:
    same = Comparison(record(), record())
    assert (same.suspects, same.alarms) == ([], [])
    assert str(same) == "6 problems, 1.0 s (was 1.0): +0.00 ± 0.06 at 10, +0.00 ± 0.06 at 20"


def test_a_small_loss_everywhere_is_a_suite_behind() -> None:
    twice = Comparison(record(), record(**dict.fromkeys(FAMILIES, 2.0)))
    assert twice.alarms == ["is behind: -0.30 ± 0.06"]
    assert twice.suspects == list(FAMILIES)
    assert not Comparison(record(**dict.fromkeys(FAMILIES, 2.0)), record()).alarms


def test_a_large_loss_of_one_problem_is_named() -> None:
    assert Comparison(record(), record(c=5.0)).alarms == ["c has 5 times the regret"]
    assert not Comparison(record(), record(c=2.5)).alarms


def test_one_search_is_suspicious_and_no_alarm() -> None:
    found = record(c=5.0)
    found.regrets = {name: {"0": seeds["0"]} for name, seeds in found.regrets.items()}
    comparison = Comparison(record(), found)
    assert (comparison.suspects, comparison.alarms) == (["c"], [])


def test_what_is_as_good_as_nothing_does_not_count() -> None:
    assert not Comparison(record(c=1e-9), record(c=1e-6)).alarms


def test_kin_are_one_unit() -> None:
    alone = Lead.of([[-0.5, -0.5, -0.5], [0.0], [0.0]])
    assert alone.mean == pytest.approx(-0.5 / 3)


def test_what_cannot_be_compared_is_named() -> None:
    less, other, broken = record(), record(), record()
    del less.regrets["b"]
    other.budgets = [10, 30]
    broken.add("b", "0", "ValueError: no", 1.0)
    assert Comparison(less, record()).alarms == ["has no record of b"]
    assert Comparison(other, record()).alarms == ["has no record of these budgets"]
    assert Comparison(Record([]), record()).alarms == ["has no record of these budgets"]
    assert Comparison(record(), broken).alarms == ["cannot any more: b: ValueError: no"]
    assert not Comparison(broken, record()).alarms
    assert "could not: b: ValueError: no" in str(Comparison(broken, record()))


def test_a_suite_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = partial(in_optuna, partial(function, "Branin"), n_startup_trials=3)
    monkeypatch.setitem(SUITES, "tiny", Suite((3, 5), {"Branin": search}))
    file = tmp_path / "records.json"
    guard.record(["tiny"], file, 1, "a test")
    recorded = guard.read(file)["tiny"]
    assert (recorded.reason, list(recorded.regrets["Branin"])) == ("a test", list(guard.SEEDS))
    assert guard.compare(["tiny"], file, 1) == []

    worse = lambda seed, number: [10 * regret for regret in search(seed, number)]  # noqa: E731
    monkeypatch.setitem(SUITES, "tiny", Suite((3, 5), {"Branin": worse}))
    behind, problem = guard.compare(["tiny"], file, 1)
    assert behind.startswith("tiny: is behind: -1.00")
    assert problem == "tiny: Branin has 10 times the regret"


def test_every_suite_has_a_record() -> None:
    recorded = guard.read(guard.FILE)
    assert {name: list(suite.budgets) for name, suite in SUITES.items()} == {
        name: record.budgets for name, record in recorded.items()
    }
    assert {name: suite.searches.keys() for name, suite in SUITES.items()} == {
        name: record.regrets.keys() for name, record in recorded.items()
    }
