import pandas as pd
import pytest
import torch
from ax.api.client import Client
from botorch.utils.sampling import manual_seed

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.ax.analyses import ProbabilityBest
from botorch_popbo.ax.nodes import PresetName

from .conftest import MakeRun


def probabilities(client: Client) -> tuple[pd.Series, str]:
    [card] = client.compute_analyses([ProbabilityBest()], display=False)
    return card.df.set_index("arm_name")["probability"], card.subtitle


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_probabilities_sum_to_one(make_run: MakeRun, preset: PresetName) -> None:
    strategy = popbo_generation_strategy(num_initial_trials=4, preset=preset)
    p, subtitle = probabilities(make_run(23, strategy=strategy))
    assert len(p) == 23
    assert p.sum() == pytest.approx(1.0)
    assert p.is_monotonic_decreasing
    assert f"The other 3 arms share {p.iloc[20:].sum():.1%}." in subtitle
    assert ("independently" in subtitle) == (preset != "default")


def test_the_best_arm_of_a_run_without_noise_is_the_likeliest(make_run: MakeRun) -> None:
    client = make_run(25)
    p, _ = probabilities(client)
    data = client._experiment.lookup_data().df
    assert p.idxmax() == data.loc[data["mean"].idxmin(), "arm_name"]


def test_probabilities_match_draws_of_the_utility(make_run: MakeRun) -> None:
    client = make_run(10)
    p, _ = probabilities(client)
    model = client._generation_strategy.adapter.generator.surrogate.metric_models[0]
    posterior = model.posterior(model.train_inputs[0])
    mean = posterior.mean.squeeze(-1)
    # The law of two points' difference needs their covariance: checked by another factorisation.
    values, vectors = torch.linalg.eigh(posterior.distribution.covariance_matrix)
    generator = torch.Generator().manual_seed(1)
    numbers = torch.randn(40_000, 10, generator=generator, dtype=torch.float64)
    draws = mean + (numbers * values.clamp_min(0.0).sqrt()) @ vectors.mT
    share = torch.bincount(draws.argmax(-1), minlength=10) / 40_000.0
    for i in range(10):
        assert p[f"{i}_0"] == pytest.approx(share[i].item(), abs=0.02)


def test_the_card_is_the_same_twice_and_leaves_the_random_state(make_run: MakeRun) -> None:
    client = make_run(8)
    with manual_seed(5):
        state = torch.get_rng_state()
        first, _ = probabilities(client)
        assert torch.equal(state, torch.get_rng_state())
    second, _ = probabilities(client)
    pd.testing.assert_series_equal(first, second)


def test_failed_trials_cannot_be_the_best(make_run: MakeRun) -> None:
    client = make_run(8)
    index = client.attach_trial({"rate": 0.01, "layers": 4, "kind": "a", "size": 32})
    client.mark_trial_failed(index)
    p, _ = probabilities(client)
    assert sorted(p.index) == sorted(f"{i}_0" for i in range(8))
    assert p.sum() == pytest.approx(1.0)
