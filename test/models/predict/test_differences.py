import pytest
import torch
from gpytorch.kernels import RBFKernel, ScaleKernel
from helpers.gaussian import conditional_law, dense_law, ranked, unit_points
from torch.autograd import gradcheck

from botorch_popbo.models._fit.priors import default_kernel
from botorch_popbo.models._predict.differences import Differences
from botorch_popbo.models._predict.predictor import Predictor

X = unit_points(12)
TEST_X = unit_points(5, seed=1)
RECORDS = ranked(-(X - 0.3).square().sum(-1))


@pytest.fixture(scope="module", params=["closed form", "autograd"])
def predictor(request: pytest.FixtureRequest) -> Predictor:
    rough = default_kernel(2).double()
    rough.rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()
    scaled = ScaleKernel(RBFKernel(ard_num_dims=2)).double()
    scaled.outputscale, scaled.base_kernel.lengthscale = 2.5, 0.6
    prior = rough if request.param == "closed form" else scaled
    return conditional_law(X, RECORDS, prior)


def test_they_have_the_moments_of_the_joint_posterior(predictor: Predictor) -> None:
    utility, joint = dense_law(predictor, TEST_X)
    mean, variance, own = Differences(predictor, TEST_X[2]).moments(TEST_X)
    contrast = torch.eye(5, dtype=torch.float64) - torch.eye(5, dtype=torch.float64)[2]
    expected = (contrast @ joint @ contrast.T).diagonal()
    torch.testing.assert_close(variance, expected, rtol=0, atol=1e-6)
    torch.testing.assert_close(mean, utility - utility[2], rtol=0, atol=1e-7)
    assert variance[2].item() == pytest.approx(0.0, abs=1e-12)
    # Without what the order leaves open, and relative to the records' average.
    lowered = predictor.mean(TEST_X) - own.sqrt()
    torch.testing.assert_close(lowered, predictor.pessimistic(TEST_X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("reference", [X[0], TEST_X[1] + 1.0])
def test_gradients(predictor: Predictor, reference: torch.Tensor) -> None:
    differences = Differences(predictor, reference)
    points = torch.cat([TEST_X, reference.unsqueeze(0) + 0.01]).requires_grad_()
    assert gradcheck(differences.moments, points, eps=1e-6, atol=1e-6)
