import pytest
import torch
from torch import Tensor

from botorch_popbo.optim import candidates, unseen_candidates

# 350 * 350 points are more than are enumerated.
GRIDS = {
    "enumerated": [[0.0, 1.0, 5.0], [-1.0, 2.5], [0.0, 1.0, 2.0, 3.0]],
    "drawn": [list(range(350)), [0.5 * i for i in range(350)]],
}
WANTED = {"enumerated": 9, "drawn": 300}


def choices(kind: str) -> list[Tensor]:
    return [torch.tensor(values, dtype=torch.float64) for values in GRIDS[kind]]


def draw(kind: str, X_avoid: Tensor | None = None, num: int | None = None, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return unseen_candidates(choices(kind), X_avoid, num or WANTED[kind], generator)


def rows(X: Tensor) -> set[tuple[float, ...]]:
    return {tuple(x) for x in X.tolist()}


@pytest.fixture(params=list(GRIDS))
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def test_candidates_are_distinct_points_of_the_grid(kind: str) -> None:
    X = draw(kind)
    assert X.shape == (WANTED[kind], len(GRIDS[kind]))
    assert len(rows(X)) == WANTED[kind]
    for column, values in zip(X.unbind(-1), GRIDS[kind], strict=True):
        assert set(column.tolist()) <= set(map(float, values))


def test_points_to_avoid_are_avoided(kind: str) -> None:
    first = draw(kind)
    second = draw(kind, X_avoid=first)  # the same seed would draw some of them again
    assert second.shape == first.shape
    assert not rows(first) & rows(second)


def test_points_to_avoid_need_not_be_on_the_grid(kind: str) -> None:
    off_grid = torch.full((2, len(GRIDS[kind])), 0.123, dtype=torch.float64)
    assert torch.equal(draw(kind, X_avoid=off_grid), draw(kind))
    assert torch.equal(draw(kind, X_avoid=off_grid[:0]), draw(kind))


def test_points_to_avoid_may_repeat_and_have_another_dtype() -> None:
    avoid = torch.tensor([[5.0, 2.5, 3.0]] * 3, dtype=torch.float32)
    X = draw("enumerated", X_avoid=avoid, num=100)
    assert X.dtype == torch.float64
    assert rows(X) == rows(torch.cartesian_prod(*choices("enumerated"))) - {(5.0, 2.5, 3.0)}


def test_the_generator_decides(kind: str) -> None:
    assert torch.equal(draw(kind, seed=3), draw(kind, seed=3))
    assert not torch.equal(draw(kind, seed=3), draw(kind, seed=4))


@pytest.mark.usefixtures("rng_untouched")
def test_the_global_random_state_is_left_alone(kind: str) -> None:
    draw(kind)


def test_a_grid_can_be_exhausted() -> None:
    everything = draw("enumerated", num=1000)
    assert rows(everything) == rows(torch.cartesian_prod(*choices("enumerated")))
    left = draw("enumerated", X_avoid=everything[:-2], num=1000)
    assert rows(left) == rows(everything[-2:])
    assert draw("enumerated", X_avoid=everything).shape == (0, 3)


@pytest.mark.parametrize("num", [1, 3])
def test_one_column(num: int) -> None:
    values = torch.tensor([1.0, 2.0, 4.0])
    X = unseen_candidates([values], None, num, torch.Generator())
    assert X.shape == (num, 1)
    assert rows(X) <= {(1.0,), (2.0,), (4.0,)}


def test_candidates_are_where_the_choices_are(device: torch.device) -> None:
    values = [torch.arange(400.0, device=device) for _ in range(2)]
    for columns in (values, [column[:5] for column in values]):
        X = unseen_candidates(columns, torch.zeros(1, 2, device=device), 10, torch.Generator())
        assert X.device.type == device.type
        assert X.dtype == torch.float32


def test_every_point_can_be_a_candidate() -> None:
    generator = torch.Generator().manual_seed(0)
    seen: set[tuple[float, ...]] = set()
    for _ in range(60):
        seen |= rows(unseen_candidates(choices("enumerated"), None, 3, generator))
    assert len(seen) == 24


@pytest.mark.parametrize("left", [1, 2])
def test_a_large_grid_with_few_unseen_points_still_gives_them(
    left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a large grid, but quickly.
    monkeypatch.setattr(candidates, "_MAX_PERMUTATION", 10)
    grid = torch.cartesian_prod(torch.arange(12.0), torch.arange(12.0))
    X = unseen_candidates([torch.arange(12.0)] * 2, grid[left:], left, torch.Generator())
    assert rows(X) == rows(grid[:left])
