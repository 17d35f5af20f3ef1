import math

import pytest
import torch
from gpytorch.kernels import MaternKernel

from botorch_popbo.models._hyperparameters.matern import is_closed_form
from botorch_popbo.models._hyperparameters.priors import (
    default_kernel,
    default_lengthscale,
    default_likelihood,
)


def test_lengthscales_grow_with_the_diagonal_of_the_cube() -> None:
    assert default_lengthscale(16) == pytest.approx(4.0 * default_lengthscale(1))
    assert default_lengthscale(1) == 0.7


@pytest.mark.parametrize("dim", [1, 4])
def test_both_start_at_the_medians_of_their_priors(dim: int) -> None:
    lengthscale = default_kernel(dim).lengthscale
    assert lengthscale.shape == (1, dim)
    torch.testing.assert_close(lengthscale, torch.full((1, dim), default_lengthscale(dim)))
    assert default_likelihood().noise.item() == pytest.approx(math.exp(-6.0))
    assert default_kernel(dim).lengthscale_prior.scale == pytest.approx(0.7)


def test_bounds_survive_any_precision() -> None:
    for module in (default_kernel(2).double(), default_likelihood().float()):
        for _, parameter, constraint in module.named_parameters_and_constraints():
            assert constraint.check(parameter)
            assert not constraint.enforced  # the search keeps to them
    noise = default_likelihood().noise_covar.raw_noise_constraint
    assert float(noise.upper_bound) == pytest.approx(math.exp(-3.5))


def test_a_table_of_categories_has_neither_a_rough_part_nor_directions() -> None:
    kernel = default_kernel(6, is_categorical=True).double()
    assert type(kernel) is MaternKernel
    assert is_closed_form(kernel, default_likelihood(), 6)
    smooth = default_kernel(6)
    assert torch.equal(kernel.lengthscale, smooth.lengthscale.double())
    assert kernel.lengthscale_prior.loc == smooth.lengthscale_prior.loc
