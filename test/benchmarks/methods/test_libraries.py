"""What comes of the methods that are built on other libraries."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from helpers.peers import CONTINUOUS, IN_ORDER, MIXED, TABLE, Stretched, bowl, run, start

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.settings import Setting

#: The modules of the libraries that run in this process.
IN_PROCESS = {"optuna-tpe": "optuna", "optuna-gp": "optuna", "cmaes": "cmaes"}


def test_the_unseen_point_that_is_best_by_far_is_found_in_a_table() -> None:
    parameters = TABLE.space.parameters
    cells = product(*(p.choices or () for p in parameters.values()))
    best = min(TABLE.score(dict(zip(parameters, cell, strict=True))) for cell in cells)
    found = [suggestion.parameters for suggestion in run(METHODS["botorch-gp"], TABLE, count=9)]
    assert min(map(TABLE.score, found)) == best


def test_the_copula_sees_the_order_of_outcomes_alone() -> None:
    stretched = Stretched(**vars(CONTINUOUS))
    for name, is_same in (("gp-copula", True), ("botorch-gp", False)):
        assert (run(METHODS[name], stretched) == run(METHODS[name], CONTINUOUS)) == is_same


@pytest.mark.parametrize("name", ["popbo", "botorch-gp"])
def test_no_suggestion_is_rounded_to_a_known_point(name: str) -> None:
    """The best of all is a corner, to which a search between integers would return for good."""
    problem = replace(bowl("corner", layers=(1, 3), rate=(0.0, 1.0)), minimize=False)
    suggestions = run(METHODS[name], problem, count=8)
    assert len({tuple(found.parameters.values()) for found in suggestions}) == 8


@pytest.mark.parametrize("name", ["popbo", "popbo-eri"])
def test_a_design_may_be_one_point_many_times(name: str) -> None:
    optimizer = METHODS[name].start(MIXED, Setting("mixed", name, 2, 0))
    point = {name: p.value(p.middle) for name, p in MIXED.space.parameters.items()}
    for _ in range(2):
        optimizer.observe(point | MIXED.space.constants, 1.0)
    assert not point.items() <= optimizer.suggest(2).parameters.items()


def test_cma_es_refuses_choices_without_an_order_before_any_work(tables: Path) -> None:
    with pytest.raises(UsageError, match="cmaes needs ordered parameters, which kernel of mixed"):
        start(METHODS["cmaes"], MIXED)
    with pytest.raises(UsageError, match="edge0, edge1"):
        start(METHODS["cmaes"], PROBLEMS["nasbench201"].load(tables))


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(UsageError, match=r"cmaes needs .* cmaes: .*\.\[peers\]"):
        start(METHODS["cmaes"], IN_ORDER)


def suggestions() -> list[tuple[str, object]]:
    return [(name, run(METHODS[name], IN_ORDER)) for name in IN_PROCESS]


def test_a_process_with_other_hashes_suggests_the_same() -> None:
    """What a library keeps in a set must not decide what it suggests."""
    for module in IN_PROCESS.values():
        pytest.importorskip(module)
    command = f"from {__name__} import suggestions; print(suggestions())"
    paths = {"PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}  # ours is random
    process = [sys.executable, "-c", command]
    printed = subprocess.check_output(process, env={**os.environ, **paths}, text=True)
    assert printed.splitlines()[-1] == str(suggestions())
