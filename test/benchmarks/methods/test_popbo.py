from dataclasses import replace

import pytest
from helpers.peers import MIXED, bowl
from helpers.peers import run as run_method

from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.settings import Setting


@pytest.mark.parametrize("name", ["popbo", "botorch-gp"])
def test_no_suggestion_is_rounded_to_a_known_point(name: str) -> None:
    """The best of all is a corner, to which a search between integers would return for good."""
    problem = replace(bowl("corner", layers=(1, 3), rate=(0.0, 1.0)), minimize=False)
    suggestions = run_method(METHODS[name], problem, count=8)
    assert len({tuple(found.parameters.values()) for found in suggestions}) == 8


@pytest.mark.parametrize("name", ["popbo", "popbo-eri"])
def test_a_design_may_be_one_point_many_times(name: str) -> None:
    optimizer = METHODS[name].start(MIXED, Setting("mixed", name, 2, 0))
    point = {name: p.value(p.middle) for name, p in MIXED.space.parameters.items()}
    for _ in range(2):
        optimizer.observe(point | MIXED.space.constants, 1.0)
    assert not point.items() <= optimizer.suggest(2).parameters.items()
