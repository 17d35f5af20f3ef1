import pytest
import torch
from ax.api.configs import ChoiceParameterConfig

from botorch_popbo.benchmarks.experiments.transfer._methods import SEARCHERS, Task
from botorch_popbo.benchmarks.search_space.encoding import Encoding

ENCODING = Encoding(
    [
        ChoiceParameterConfig("size", [1, 2, 3, 4, 5], "int", is_ordered=True),
        ChoiceParameterConfig("kind", ["a", "b"], "str", is_ordered=False),
    ]
)
POINTS = torch.tensor([[size / 4, kind] for size in range(5) for kind in (0, 1)]).double()


def task(*rows: int) -> Task:
    X = POINTS[list(rows)]
    return Task(X, X[:, :1] - X[:, 1:])


@pytest.mark.parametrize("name", SEARCHERS)
def test_a_point_that_is_not_evaluated_is_chosen(name: str) -> None:
    searcher = SEARCHERS[name]
    sources = [task(0, 3, 4, 6)] if searcher.takes_sources else []
    chosen = searcher.choose(task(0, 1, 2), sources, ENCODING, 0)
    assert (POINTS[3:] == chosen).all(-1).any()


@pytest.mark.parametrize("name", [n for n, s in SEARCHERS.items() if s.takes_sources])
def test_the_first_point_is_the_best_of_the_sources(name: str) -> None:
    sources = [task(0, 1, 3, 5, 6)] * 2
    none = Task(POINTS[:0], POINTS[:0, :1])
    chosen = SEARCHERS[name].choose(none, sources, ENCODING, 0)
    assert torch.equal(chosen, POINTS[6])


def test_sources_alone_are_followed_in_turn() -> None:
    choose, sources = SEARCHERS["best-of-sources"].choose, [task(0, 3, 6), task(1, 2, 8)]
    target, order = Task(POINTS[:0], POINTS[:0, :1]), []
    for _ in range(6):
        x = choose(target, sources, ENCODING, 0)
        order.append(int((x == POINTS).all(-1).nonzero()))
        target = Task(torch.cat([target.X, x.unsqueeze(0)]), target.Y)
    assert order == [6, 8, 0, 2, 3, 1]
