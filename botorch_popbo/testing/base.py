"""What the contracts share: the data, and the dtypes and devices that each test runs in."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

import torch
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo.testing.checks import Tkwargs, seeded

ContractT = TypeVar("ContractT", bound="Contract")


class Contract:
    """The settings and the data of a contract; every one may be overridden.

    Attributes:
        dim: Number of columns of a point.
        num_outputs: Number of outputs of the model.
        num_points: Number of training points.
        dtypes: Every check runs in each of these, on the CPU and on CUDA where there is one.
        tolerances: Largest absolute and relative difference of equal values, by dtype.
    """

    dim: int = 2
    num_outputs: int = 1
    num_points: int = 10
    dtypes: tuple[torch.dtype, ...] = (torch.float32, torch.float64)
    tolerances: ClassVar[Mapping[torch.dtype, float]] = {torch.float32: 1e-3, torch.float64: 1e-6}

    def make_data(self, **tkwargs: Any) -> tuple[Tensor, Tensor]:
        """Training data: points of the unit cube and standardised outcomes, the same every time.

        Args:
            **tkwargs: The ``dtype`` and ``device``.

        Returns:
            ``train_X`` of shape ``N x d`` and ``train_Y`` of shape ``N x m``.
        """
        X = self.points(self.num_points, dtype=torch.float64)
        centers = torch.linspace(0.3, 0.7, self.num_outputs, dtype=torch.float64)
        Y = -(X.unsqueeze(-1) - centers).square().sum(-2)
        return X.to(**tkwargs), ((Y - Y.mean(0)) / Y.std(0)).to(**tkwargs)

    def points(self, *shape: int, seed: int = 0, **tkwargs: Any) -> Tensor:
        """Points of the unit cube, the same for the same shape and seed, ``shape x d``."""
        generator = torch.Generator().manual_seed(seed)
        unit = torch.rand(*shape, self.dim, generator=generator, dtype=torch.float64)
        return unit.to(**tkwargs)

    def make_dataset(self, **tkwargs: Any) -> SupervisedDataset:
        """The training data as a data set, with names."""
        X, Y = self.make_data(**tkwargs)
        features = [f"x{i}" for i in range(self.dim)]
        outcomes = [f"y{i}" for i in range(self.num_outputs)]
        return SupervisedDataset(X, Y, feature_names=features, outcome_names=outcomes)

    def require_close(self, actual: Tensor, expected: Tensor, what: str) -> None:
        """Require equal shapes and dtypes, and values equal to within the tolerance."""
        tolerance = self.tolerances[expected.dtype]
        torch.testing.assert_close(
            actual.detach(),
            expected.detach(),
            rtol=tolerance,
            atol=tolerance,
            msg=lambda message: f"{what}: {message}",
        )


def each_case(
    flag: str | None = None,
) -> Callable[[Callable[[ContractT, Tkwargs], None]], Callable[[ContractT], None]]:
    """Turn a check of one dtype and device into a test method that runs all of them.

    Args:
        flag: Name of the attribute of the contract without which there is nothing to check.

    Returns:
        A decorator of methods.
    """

    def decorate(test: Callable[[ContractT, Tkwargs], None]) -> Callable[[ContractT], None]:
        def run(contract: ContractT) -> None:
            if flag is not None and not getattr(contract, flag):
                return
            for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
                for dtype in contract.dtypes:
                    try:
                        with seeded(0):
                            test(contract, {"dtype": dtype, "device": torch.device(device)})
                    except Exception as error:
                        error.add_note(f"The case was dtype={dtype}, device={device}.")
                        raise

        # Not functools.wraps: runners would follow it to a signature with a second argument.
        run.__name__, run.__qualname__, run.__doc__ = test.__name__, test.__qualname__, test.__doc__
        return run

    return decorate
