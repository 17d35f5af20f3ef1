import pytest
import torch
from torch import Tensor

from botorch_popbo import unseen_candidates
from botorch_popbo.search.domain import Domain, unseen_points

# 350 * 350 points are more than are enumerated.
GRIDS = {
    "enumerated": [[0.0, 1.0, 5.0], [-1.0, 2.5], [0.0, 1.0, 2.0, 3.0]],
    "drawn": [list(range(350)), [0.5 * i for i in range(350)]],
}
WANTED = {"enumerated": 9, "drawn": 300}


def draw(kind: str, X_avoid: Tensor | None = None, num: int | None = None, seed: int = 0) -> Tensor:
    choices = [torch.tensor(values, dtype=torch.double) for values in GRIDS[kind]]
    generator = torch.Generator().manual_seed(seed)
    return unseen_candidates(choices, X_avoid, num or WANTED[kind], generator)


def rows(X: Tensor) -> set[tuple[float, ...]]:
    return {tuple(x) for x in X.tolist()}


@pytest.mark.parametrize("kind", GRIDS)
def test_candidates_are_distinct_points_of_the_grid_and_not_those_to_avoid(kind: str) -> None:
    X = draw(kind)
    assert torch.equal(draw(kind), X)
    assert not torch.equal(draw(kind, seed=1), X)
    assert X.shape == (len(rows(X)), len(GRIDS[kind])) == (WANTED[kind], len(GRIDS[kind]))
    for column, values in zip(X.unbind(-1), GRIDS[kind], strict=True):
        assert set(column.tolist()) <= set(map(float, values))
    others = draw(kind, X_avoid=X)  # the same seed would draw some of them again
    assert others.shape == X.shape
    assert not rows(X) & rows(others)


def test_a_grid_can_be_exhausted() -> None:
    everything = draw("enumerated", num=1000)
    assert len(rows(everything)) == 3 * 2 * 4
    left = draw("enumerated", X_avoid=everything[:-2], num=1000)
    assert rows(left) == rows(everything[-2:])
    assert draw("enumerated", X_avoid=everything).shape == (0, 3)


def test_points_of_a_table_are_exactly_those_not_seen() -> None:
    bounds = torch.tensor([[0.1, 5.0], [0.3, 7.0]]).double()
    domain = Domain(bounds, {0: [0.1, 0.2, 0.3], 1: [5.0, 7.0]}, (), Tensor.clone)
    known = torch.tensor([[0.1, 5.0], [0.3, 7.0]], dtype=torch.double)
    found = unseen_points(domain, known, 10, seed=0)
    assert rows(found) == {(0.1, 7.0), (0.2, 5.0), (0.2, 7.0), (0.3, 5.0)}
    assert len(unseen_points(domain, known, 2, seed=0)) == 2
