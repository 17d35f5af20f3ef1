import pytest
import torch

from botorch_popbo.benchmarks.methods._bohamiann import initial_weights, predict, sample_networks


def test_networks_are_evaluated_side_by_side() -> None:
    torch.manual_seed(0)
    sizes = (3, 4, 4, 1)
    weights = torch.stack([initial_weights(sizes) for _ in range(2)])
    X = torch.rand(5, 3, dtype=torch.float64)
    for vector, found in zip(weights, predict(weights, sizes, X), strict=True):
        first, b1, second, b2, third, b3 = vector[:-1].split([12, 4, 16, 4, 4, 1])
        hidden = torch.tanh(X @ first.view(3, 4) + b1)
        hidden = torch.tanh(hidden @ second.view(4, 4) + b2)
        torch.testing.assert_close(found, (hidden @ third.view(4, 1) + b3).squeeze(-1))
        torch.testing.assert_close(predict(vector, sizes, X), found)


def test_linear_networks_scatter_about_least_squares() -> None:
    torch.manual_seed(0)
    X = torch.randn(20, 1, dtype=torch.float64)
    y = 0.8 * X.squeeze(-1) + 0.3 * torch.randn(20, dtype=torch.float64)
    weights = sample_networks(X, y, (1, 1))
    design = torch.cat([X, torch.ones_like(X)], dim=-1)
    best = torch.linalg.lstsq(design, y.unsqueeze(-1)).solution.squeeze(-1)
    variance = (y - design @ best).square().sum() / 18
    deviation = (variance * torch.linalg.inv(design.T @ design).diagonal()).sqrt()
    assert ((weights[:, :2].mean(0) - best).abs() < deviation).all()
    # The sampler takes off the noise of small batches even where the batch is all there is.
    assert (weights[:, :2].std(0) > 0).all()
    assert (weights[:, :2].std(0) < 1.5 * deviation).all()
    assert weights[:, 2].mean() == pytest.approx(variance.log(), abs=0.5)
