import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from botorch_popbo.benchmarks.rank_agreement.data import GRID, TRUE_VALUES
from botorch_popbo.benchmarks.rank_agreement.evaluation import evaluate
from botorch_popbo.benchmarks.rank_agreement.models import MODELS
from botorch_popbo.benchmarks.rank_agreement.study import Setting


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_result(model: str) -> None:
    setting = Setting("uniform", "gaussian", 0.1, model, seed=2)
    before = _global_states()
    first = evaluate(setting)
    assert _global_states() == before
    with torch.random.fork_rng():
        torch.manual_seed(99)
        assert evaluate(setting) == first
    assert len(first.ranks) == len(GRID)
    # The points of this seed leave no gap: whoever mistakes the direction is far below 0.
    assert first.tau > 0.5


def _global_states() -> tuple[object, ...]:
    numpy_state = np.random.get_state()[1].tolist()  # type: ignore[union-attr]  # noqa: NPY002
    return random.getstate(), numpy_state, torch.get_rng_state().tolist()


@pytest.mark.parametrize(("sign", "tau"), [(1, 1.0), (-1, -1.0)])
def test_who_predicts_the_truth_agrees_with_it(
    sign: int, tau: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = replace(MODELS["gp"], predict=lambda *_: sign * TRUE_VALUES)
    monkeypatch.setitem(MODELS, "gp", oracle)
    assert evaluate(Setting("uniform", "gaussian", 0.1, "gp", seed=0)).tau == pytest.approx(tau)
