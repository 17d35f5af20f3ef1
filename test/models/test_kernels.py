from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from time import sleep

import pytest
import torch
from botorch.exceptions import UnsupportedError
from gpytorch.kernels import MaternKernel, RBFKernel
from gpytorch.priors import NormalPrior
from gpytorch.settings import lazily_evaluate_kernels
from helpers.gaussian import unit_points
from torch import Tensor
from torch.autograd import gradcheck

from botorch_popbo.models.kernels import RoughMaternKernel, dense

X = unit_points(5)
ELSEWHERE = unit_points(3, seed=1)


def rough(logit: float = -1.0, log_fineness: float = -1.5) -> RoughMaternKernel:
    kernel = RoughMaternKernel(
        NormalPrior(logit, 1.0), NormalPrior(log_fineness, 0.5), ard_num_dims=2
    ).double()
    kernel.lengthscale = torch.tensor([0.4, 0.7]).double()
    return kernel


def test_it_is_the_sum_of_two_scales() -> None:
    kernel = rough()
    share, fineness = torch.tensor(-1.0).sigmoid(), torch.tensor(-1.5).exp()
    parts = []
    for scale in (1.0, float(fineness)):
        part = MaternKernel(nu=2.5, ard_num_dims=2).double()
        part.lengthscale = kernel.lengthscale.detach() * scale
        parts.append(part(X, ELSEWHERE).to_dense())
    expected = (1.0 - share) * parts[0] + share * parts[1]
    torch.testing.assert_close(kernel(X, ELSEWHERE).to_dense(), expected)
    torch.testing.assert_close(kernel(X, diag=True), torch.ones(5).double())
    assert kernel(X.expand(4, 5, 2), ELSEWHERE).to_dense().shape == (4, 5, 3)


def test_lengthscales_are_those_of_its_directions() -> None:
    kernel, turned = rough(), rough()
    turned.rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()
    found = turned(X, ELSEWHERE).to_dense()
    expected = kernel(X @ turned.rotation, ELSEWHERE @ turned.rotation).to_dense()
    torch.testing.assert_close(found, expected)
    assert float((found - kernel(X, ELSEWHERE).to_dense()).detach().abs().max()) > 0.05
    again = rough()
    again.load_state_dict(turned.state_dict())
    assert torch.equal(again(X, ELSEWHERE).to_dense(), found)


def test_gradients_in_everything() -> None:
    kernel = rough()
    kernel.rotation = torch.tensor([[0.6, -0.8], [0.8, 0.6]]).double()
    parameters, points = [*kernel.parameters()], unit_points(8).reshape(2, 4, 2).requires_grad_()
    others = ELSEWHERE.clone().requires_grad_()

    def value(first: torch.Tensor, second: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        return kernel(first, second).to_dense()

    assert gradcheck(value, (points, others, *parameters))
    # Where points meet, too.
    assert gradcheck(lambda x, *_: value(x, x), (others, *parameters))


def test_in_many_columns_points_may_be_close() -> None:
    kernel = RoughMaternKernel(ard_num_dims=40).double()
    first = unit_points(6, 40)
    close = torch.cat([first, first + 1e-6 * unit_points(6, 40, seed=1)])
    distance = (close.unsqueeze(1) - close).div(kernel.lengthscale).norm(dim=-1)
    root = 5.0**0.5 * distance
    expected = (1.0 + root + root.square() / 3.0) * (-root).exp()
    torch.testing.assert_close(kernel(close).to_dense(), expected, rtol=1e-13, atol=0.0)


def test_without_priors_it_is_smooth_at_first_and_it_has_no_batches() -> None:
    kernel = RoughMaternKernel(ard_num_dims=2).double()
    smooth = MaternKernel(nu=2.5, ard_num_dims=2).double()
    torch.testing.assert_close(kernel(X).to_dense(), smooth(X).to_dense())
    assert not list(kernel.named_priors())
    with pytest.raises(UnsupportedError, match="no batches"):
        RoughMaternKernel(ard_num_dims=2, batch_shape=torch.Size([2]))


class Slow(RBFKernel):
    """Two threads are inside at once unless they are kept apart; the second leaves last."""

    met = Barrier(2)

    def forward(self, x1: Tensor, x2: Tensor, **params: bool) -> Tensor:
        with suppress(BrokenBarrierError):
            sleep(0.1 * self.met.wait(0.2))
        return super().forward(x1, x2, **params)


def test_threads_leave_the_switch_of_gpytorch_as_it_was() -> None:
    kernel = Slow()
    with ThreadPoolExecutor(2) as pool:
        assert all(each.shape == (5, 5) for each in pool.map(lambda X: dense(kernel, X), [X, X]))
    assert lazily_evaluate_kernels.on()
