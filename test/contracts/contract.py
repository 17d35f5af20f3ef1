"""Data and assertions of all contracts."""

from typing import Any

import torch
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

Tkwargs = dict[str, Any]


class Contract:
    dim = 2
    num_points = 10

    def make_data(self, **tkwargs: Any) -> tuple[Tensor, Tensor]:
        """Points of the unit cube, ``N x d``, and standardised outcomes, ``N x 1``."""
        X = self.points(self.num_points, dtype=torch.float64)
        Y = -(X - 0.3).square().sum(-1, keepdim=True)
        return X.to(**tkwargs), ((Y - Y.mean()) / Y.std()).to(**tkwargs)

    def points(self, *shape: int, seed: int = 0, **tkwargs: Any) -> Tensor:
        """The same points of the unit cube for the same shape and seed, ``shape x d``."""
        generator = torch.Generator().manual_seed(seed)
        return torch.rand(*shape, self.dim, generator=generator, dtype=torch.float64).to(**tkwargs)

    def make_dataset(self, **tkwargs: Any) -> SupervisedDataset:
        names = [f"x{i}" for i in range(self.dim)]
        return SupervisedDataset(
            *self.make_data(**tkwargs), feature_names=names, outcome_names=["y"]
        )


def assert_close(actual: Tensor, expected: Tensor) -> None:
    tolerance = 1e-3 if expected.dtype == torch.float32 else 1e-6
    torch.testing.assert_close(actual.detach(), expected.detach(), rtol=tolerance, atol=tolerance)


def assert_tensor(values: Tensor, shape: tuple[int, ...], tkwargs: Tkwargs) -> None:
    assert values.shape == shape
    assert values.dtype == tkwargs["dtype"]
    assert values.device.type == torch.device(tkwargs["device"]).type
    assert values.isfinite().all()


def assert_gradient(values: Tensor, X: Tensor) -> None:
    (gradient,) = torch.autograd.grad(values.sum(), X)
    assert gradient.isfinite().all()
