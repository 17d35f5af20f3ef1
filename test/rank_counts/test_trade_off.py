import torch
from helpers.ranking import EXTREME
from hypothesis import given
from hypothesis import strategies as st

from botorch_popbo.rank_counts import from_objectives
from botorch_popbo.rank_counts.trade_off import random_weights, trade_off

OUTCOMES = st.lists(st.tuples(EXTREME, EXTREME, EXTREME), min_size=2, max_size=12)


def draw(seed: int) -> torch.Tensor:
    return random_weights(3, torch.Generator().manual_seed(seed))


@given(OUTCOMES, st.integers(0, 100))
def test_scores_match_brute_force(rows: list[tuple[float, float, float]], seed: int) -> None:
    weights = draw(seed)
    scores = trade_off(torch.tensor(rows, dtype=torch.double), weights)
    for row, score in zip(rows, scores.tolist(), strict=True):
        behind = [
            w * sum(other[j] > row[j] for other in rows) / len(rows)
            for j, w in enumerate(weights.tolist())
        ]
        failed = -float("inf") in row
        expected = -float("inf") if failed else -max(behind) - 0.05 * sum(behind)
        assert score == expected or abs(score - expected) < 1e-12


@given(OUTCOMES, st.integers(0, 100))
def test_domination_decides_first(rows: list[tuple[float, float, float]], seed: int) -> None:
    Y = torch.tensor(rows, dtype=torch.double)
    scores = trade_off(Y, draw(seed))
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            dominates = all(a >= b for a, b in zip(one, other, strict=True)) and one != other
            if dominates and not Y[i].isneginf().any():
                assert scores[i] > scores[j]


def test_a_best_point_is_on_the_pareto_front_and_weights_choose_which() -> None:
    generator = torch.Generator().manual_seed(0)
    Y = torch.rand(60, 3, generator=generator, dtype=torch.double)
    X = torch.arange(60.0, dtype=torch.double).unsqueeze(-1)
    front = set((from_objectives(X, Y).counts == 0).nonzero().squeeze(-1).tolist())
    chosen = {int(trade_off(Y, draw(seed)).argmax()) for seed in range(50)}
    assert chosen <= front
    assert len(chosen) > 3


def test_increasing_transforms_of_an_objective_change_nothing() -> None:
    Y = torch.randn(20, 3, generator=torch.Generator().manual_seed(1), dtype=torch.double)
    warped = torch.stack([Y[:, 0].exp(), Y[:, 1] ** 3, 5.0 * Y[:, 2] - 1.0], dim=-1)
    assert torch.equal(trade_off(Y, draw(0)), trade_off(warped, draw(0)))


def test_weights_are_uniform_on_the_simplex() -> None:
    generator = torch.Generator().manual_seed(0)
    weights = torch.stack([random_weights(3, generator) for _ in range(4000)])
    torch.testing.assert_close(weights.sum(-1), torch.ones(4000, dtype=torch.double))
    assert (weights.mean(0) - 1 / 3).abs().max() < 0.02
    assert (weights.var(0) - 1 / 18).abs().max() < 0.01
