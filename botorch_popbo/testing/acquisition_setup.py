"""What the tests of an acquisition function need from the class that is tested."""

import warnings
from collections.abc import Callable
from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from torch import Tensor

from botorch_popbo.testing.base import Contract
from botorch_popbo.testing.checks import Tkwargs, require, require_tensor, seeded


class AcquisitionSetup(Contract):
    """Factories, flags and helpers of :class:`~botorch_popbo.testing.AcquisitionContract`.

    Attributes:
        q: Number of points considered jointly.
        differentiable: Values have gradients with respect to the points.
        supports_X_pending: ``set_X_pending`` is accepted; where not, it must be refused with an
            ``UnsupportedError``.
        has_input_constructor: An input constructor is registered for the class.
        leaves_random_state: Evaluation neither reads nor moves a global generator.
    """

    q: int = 1
    differentiable: bool = True
    supports_X_pending: bool = True
    has_input_constructor: bool = True
    leaves_random_state: bool = True

    def make_model(self, train_X: Tensor, train_Y: Tensor) -> Model:
        """Build the model, fitted or not; the same data must give the same model."""
        raise NotImplementedError(f"{type(self).__name__} must define make_model.")

    def make_acquisition(self, model: Model) -> AcquisitionFunction:
        """Build the acquisition function of a model; sampling ones need a seeded sampler."""
        raise NotImplementedError(f"{type(self).__name__} must define make_acquisition.")

    def constructor_options(self) -> dict[str, Any]:
        """What the input constructor needs, beside model and data, for an equal function."""
        return {}

    def build(self, tkwargs: Tkwargs) -> AcquisitionFunction:
        """The function of the training data."""
        with seeded(0):
            return self.make_acquisition(self.make_model(*self.make_data(**tkwargs)))

    def cube(self, tkwargs: Tkwargs) -> Tensor:
        """The bounds of the unit cube, ``2 x d``."""
        return torch.stack([torch.zeros(self.dim), torch.ones(self.dim)]).to(**tkwargs)

    def optimized(
        self, tkwargs: Tkwargs, optimizer: Callable[..., Any], q: int, **options: Any
    ) -> Tensor:
        """The candidates that an optimizer of BoTorch returns, ``q x d``, checked."""
        with warnings.catch_warnings(), seeded(0):
            warnings.simplefilter("ignore")  # few steps may not converge
            X: Tensor
            X, value = optimizer(self.build(tkwargs), q=q, **options)
        require_tensor(X, (q, self.dim), tkwargs, "The candidate")
        require(bool(((X >= 0) & (X <= 1)).all()), f"The candidate {X.tolist()} is out of bounds.")
        require(bool(torch.as_tensor(value).isfinite().all()), "The best value is not finite.")
        return X
