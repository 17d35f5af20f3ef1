import pytest
import torch
from gpytorch.kernels import MaternKernel
from helpers.examples import import_example


def test_what_is_told_is_kept_and_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    example = import_example(monkeypatch, "lengthscales_told")
    monkeypatch.setattr(example, "NUM_VALUES", 30)
    monkeypatch.setattr(example, "ANSWERS", (7, 9))
    kernel = example.kernel_of("hartmann3")
    assert not any(parameter.requires_grad for parameter in kernel.parameters())
    before = kernel.lengthscale.clone()
    told = example.regrets("hartmann3", kernel, 0)
    assert torch.equal(kernel.lengthscale, before)
    assert told == example.regrets("hartmann3", kernel, 0)
    short = MaternKernel(nu=2.5, ard_num_dims=3).double()
    short.lengthscale = 0.01
    assert told != example.regrets("hartmann3", short.requires_grad_(False), 0)
