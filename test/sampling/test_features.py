import pytest
import torch
from botorch.sampling.pathwise.features import gen_kernel_features
from botorch.utils.sampling import manual_seed
from gpytorch.priors import NormalPrior
from helpers.gaussian import unit_points

from botorch_popbo.models.kernels import RoughMaternKernel


@pytest.mark.parametrize("active_dims", [None, (0, 2)])
def test_their_inner_product_is_the_kernel(active_dims: tuple[int, ...] | None) -> None:
    X = unit_points(6, 2 if active_dims is None else 3)
    kernel = RoughMaternKernel(
        NormalPrior(0.0, 1.0), NormalPrior(-1.5, 0.5), ard_num_dims=2, active_dims=active_dims
    )
    kernel = kernel.double().requires_grad_(False)
    kernel.lengthscale = torch.tensor([0.2, 1.5]).double()
    kernel.rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()
    with manual_seed(0):
        features = gen_kernel_features(kernel, num_inputs=X.shape[-1], num_outputs=2**15)(X)
    # A smooth kernel is off by 0.3 here.
    torch.testing.assert_close(features @ features.T, kernel(X).to_dense(), rtol=0.0, atol=0.02)
