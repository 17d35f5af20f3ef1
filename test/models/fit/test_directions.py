import torch
from gpytorch.kernels import Kernel
from helpers.gaussian import hyperparameters, ranked, unit_points
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.data import from_comparisons, from_outcomes
from botorch_popbo.models._fit.directions import rotate
from botorch_popbo.models._fit.evidence import Evidence, Sample

X = unit_points(40, 3)
STEEPNESS = torch.tensor([20.0, 3.0, 1.0], dtype=torch.float64)
AXES = torch.linalg.qr(unit_points(3, 3, seed=5) - 0.5).Q


def valley(points: Tensor, axes: Tensor = AXES) -> Tensor:
    return -((points - 0.4) @ axes * STEEPNESS).square().sum(-1, keepdim=True)


def fitted(outcomes: Tensor, points: Tensor = X) -> tuple[Kernel, float, float]:
    """The kernel that was found, and the posterior density before and after."""
    search = hyperparameters(3)
    sample = Sample(points, ranked(outcomes.squeeze(-1)), search)
    with torch.no_grad():
        conditioned, value = Evidence(sample).maximize(search.start)
        coordinates = rotate(sample, conditioned, value)
        after = Evidence(sample).value_and_gradient(coordinates)[1]
        return search.assign(coordinates).kernel, value, after


def test_the_steepest_direction_is_found() -> None:
    kernel, before, after = fitted(valley(X))
    assert after > before + 4.0
    torch.testing.assert_close(kernel.rotation @ kernel.rotation.T, torch.eye(3).double())
    steepest = kernel.rotation[:, kernel.lengthscale.argmin()]
    assert float((steepest @ AXES[:, 0]).abs()) > 0.95


def test_a_function_of_columns_keeps_them() -> None:
    kernel, before, after = fitted(valley(X, torch.eye(3).double()))
    assert torch.equal(kernel.rotation, torch.eye(3).double())
    assert abs(after - before) < 1e-3


def test_a_target_with_sources_has_directions_too() -> None:
    source, few = from_outcomes(X, valley(X)), X[:8]
    model = RankingGP(few, valley(few), input_transform=None, sources=[source]).fit()
    rotation = model.covar_module.rotation
    assert float(model.correlation) > 0.0
    assert not torch.equal(rotation, torch.eye(3).double())


def test_choices_say_nothing_of_directions() -> None:
    pairs = torch.tensor([[i, j] for i in range(20) for j in range(i)])
    worse_first = valley(X).squeeze(-1).argsort()
    model = RankingGP(order=from_comparisons(X, worse_first[pairs]), input_transform=None).fit()
    assert torch.equal(model.covar_module.rotation, torch.eye(3).double())


def test_more_columns_than_can_be_paid_for_keep_their_directions() -> None:
    many = unit_points(9, 501)
    assert RankingGP(many, many[:, :1], input_transform=None).fit().covar_module.rotation is None
