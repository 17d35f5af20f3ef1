import torch
from botorch.acquisition import LogExpectedImprovement
from torch.distributions import Normal

from botorch_popbo.benchmarks.methods._surrogates import MomentModel, standardize


def test_expected_improvement_of_independent_gaussians() -> None:
    model = MomentModel(lambda X: (X.sum(-1), 0.1 + X.square().sum(-1)))
    X = torch.rand(6, 1, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    mean, deviation = X.sum(-1), (0.1 + X.square().sum(-1)).sqrt()
    z = (mean - 0.7) / deviation
    unit = Normal(torch.zeros_like(z), torch.ones_like(z))
    expected = deviation * (z * unit.cdf(z) + unit.log_prob(z).exp())
    found = LogExpectedImprovement(model, best_f=0.7)(X).exp()
    torch.testing.assert_close(found, expected.squeeze(-1))


def test_a_column_without_spread_is_zero() -> None:
    values = torch.tensor([[1.0, 5.0], [3.0, 5.0]], dtype=torch.float64)
    assert standardize(values).tolist() == [[-1.0, 0.0], [1.0, 0.0]]
