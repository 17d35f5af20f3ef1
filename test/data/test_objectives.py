from operator import ge

import torch
from botorch.utils.sampling import sample_simplex
from helpers.ranking import EXTREME, INF, Point, as_dict, assert_same, line, means, tensor
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.data import from_objectives
from botorch_popbo.data.objectives import trade_off

VALUES = st.one_of(st.integers(-2, 2).map(float), st.just(-INF))
OUTCOMES = st.lists(st.tuples(EXTREME, EXTREME, EXTREME), min_size=2, max_size=12)


def brute_force(X: list[Point], Y: list[tuple[float, ...]]) -> dict[Point, int]:
    columns = [means(X, [y[m] for y in Y]) for m in range(len(Y[0]))]
    vectors = {p: [c[p] for c in columns] for p in columns[0]}
    vectors = {p: [-INF] * len(v) if -INF in v else v for p, v in vectors.items()}

    def dominates(one: list[float], other: list[float]) -> bool:
        return one != other and all(a >= b for a, b in zip(one, other, strict=True))

    return {p: sum(dominates(vectors[q], vectors[p]) for q in vectors) for p in vectors}


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=2, max_size=15))
def test_numbers_of_dominating_points_match_brute_force(Y: list[tuple[float, ...]]) -> None:
    X = [(float(i),) for i in range(len(Y))]
    dominating = brute_force(X, Y)
    order = from_objectives(tensor(X), tensor(Y))
    failed = [-INF in y for y in Y]
    expected = [-INF if bad else -dominating[x] for x, bad in zip(X, failed, strict=True)]
    assert order.score.tolist() == expected
    fewer = {x: sum(d < dominating[x] for d in dominating.values()) for x in X}
    assert as_dict(order) == fewer


def test_increasing_transforms_of_each_objective_change_nothing() -> None:
    Y = torch.randint(-3, 4, (40, 2), dtype=torch.float64)
    transformed = torch.stack([Y[:, 0].exp() * 1e290, Y[:, 1].pow(3) * 1e-290], dim=-1)
    assert_same(from_objectives(line(40), transformed), from_objectives(line(40), Y))


def test_replicates_are_merged_in_each_objective() -> None:
    points, outcomes = tensor([[0], [0], [1]]), tensor([[4, 0], [0, 4], [1, 1]])
    assert list(as_dict(from_objectives(points, outcomes)).values()) == [0, 1]


@given(OUTCOMES, st.integers(0, 100))
def test_scores_match_brute_force_and_domination_decides(
    rows: list[tuple[float, float, float]], seed: int
) -> None:
    (weights,) = sample_simplex(3, seed=seed, dtype=torch.double)
    scores = trade_off(tensor(rows), weights)
    for row, score in zip(rows, scores.tolist(), strict=True):
        behind = [
            w * sum(other[j] > row[j] for other in rows) / len(rows)
            for j, w in enumerate(weights.tolist())
        ]
        failed = -INF in row
        expected = -INF if failed else -max(behind) - 0.05 * sum(behind)
        assert score == expected or abs(score - expected) < 1e-12
        for other, lower in zip(rows, scores.tolist(), strict=True):  # domination decides first
            if not failed and row != other and all(map(ge, row, other)):
                assert score > lower
