"""What the tests of a model need from the class that is tested."""

from typing import Any

import torch
from botorch.models.model import Model
from botorch.models.transforms.input import InputTransform, Normalize
from torch import Tensor

from botorch_popbo.testing.base import Contract
from botorch_popbo.testing.checks import Tkwargs, moments, seeded


class ModelSetup(Contract):
    """Factory, flags and helpers of :class:`~botorch_popbo.testing.ModelContract`.

    Attributes:
        batch_shape: Batch shape of the model; where it is not empty, override :meth:`make_data`.
        differentiable: Mean and variance have gradients with respect to the points.
        supports_input_transform: :meth:`make_model` takes an ``input_transform``.
        supports_subset_output: ``subset_output`` and ``output_indices`` work.
        supports_construct_inputs: The class can be built from a ``SupervisedDataset``.
        leaves_random_state: Neither building nor predicting reads or moves a global generator.
        linear_memory: Mean and variance of ``N`` points, given as ``N x d``, take memory in
            proportion to ``N``. Models of the joint law of the points cannot claim it.
    """

    batch_shape: torch.Size = torch.Size()
    differentiable: bool = True
    supports_input_transform: bool = True
    supports_subset_output: bool = True
    supports_construct_inputs: bool = True
    leaves_random_state: bool = True
    linear_memory: bool = False

    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        """Build the model, fitted or not; the same arguments must give the same model.

        Args:
            train_X: Points, ``N x d``.
            train_Y: Outcomes, ``N x m``.
            input_transform: Transform of the points. Left out where it is not supported.

        Returns:
            The model, in the dtype and on the device of the data.
        """
        raise NotImplementedError(f"{type(self).__name__} must define make_model.")

    def build(
        self, tkwargs: Tkwargs, input_transform: InputTransform | None = None, seed: int = 0
    ) -> Model:
        """The model of the training data, built with this seed of torch's global generators."""
        options: dict[str, Any] = (
            {} if input_transform is None else {"input_transform": input_transform}
        )
        with seeded(seed):
            return self.make_model(*self.make_data(**tkwargs), **options)

    def some_points(self, *lead: int, **tkwargs: Any) -> Tensor:
        """Points to predict at, ``lead x q x d`` with the ones that a batched model needs."""
        ones = (1,) * len(self.batch_shape) if lead else ()
        return self.points(*lead, *ones, 3, seed=1, **tkwargs)

    def make_transform(self, tkwargs: Tkwargs) -> Normalize:
        """A transform that moves and scales every column of the unit cube in its own way."""
        ends = torch.linspace(1.5, 2.0, self.dim, **tkwargs)
        return Normalize(d=self.dim, bounds=torch.stack([1.0 - ends, ends])).eval()

    @staticmethod
    def moments(model: Model, X: Tensor, **options: Any) -> Tensor:
        """Mean and variance without gradient, stacked: ``2 x batch_shape x q x m``."""
        with torch.no_grad():
            return torch.stack(moments(model.posterior(X, **options)))

    @staticmethod
    def changed(model: Model) -> Model:
        """Move every parameter of the model, in place."""
        model.train()  # forget what was computed from the parameters
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.1)
        return model.eval()
