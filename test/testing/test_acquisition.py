from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.acquisition import AcquisitionFunction, LogExpectedImprovement, qLogExpectedImprovement
from botorch.acquisition.input_constructors import acqf_input_constructor
from botorch.exceptions import UnsupportedError
from botorch.models import SingleTaskGP
from botorch.models.model import Model
from botorch.sampling.normal import SobolQMCNormalSampler
from botorch.utils.transforms import t_batch_mode_transform
from torch import Tensor

from botorch_popbo.testing import AcquisitionContract

# BoTorch warns of single precision.
pytestmark = pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")


class GaussianContract(AcquisitionContract):
    def make_model(self, train_X: Tensor, train_Y: Tensor) -> Model:
        return SingleTaskGP(train_X, train_Y)

    def best(self, model: Model) -> Tensor:
        return self.make_data(dtype=model.train_targets.dtype)[1].max()


class TestLogExpectedImprovement(GaussianContract):
    supports_X_pending = False

    def make_acquisition(self, model: Model) -> AcquisitionFunction:
        return LogExpectedImprovement(model, best_f=self.best(model))


class TestQLogExpectedImprovement(GaussianContract):
    q = 2

    def make_acquisition(self, model: Model) -> AcquisitionFunction:
        best_f = self.best(model)
        return qLogExpectedImprovement(model, best_f=best_f, **self.constructor_options())

    def constructor_options(self) -> dict[str, Any]:
        return {"sampler": SobolQMCNormalSampler(torch.Size([16]), seed=0)}


class Mean(AcquisitionFunction):
    """A correct function, whose methods the broken ones below replace."""

    def value(self, X: Tensor) -> Tensor:
        return self.model.posterior(X).mean.squeeze(-1).squeeze(-1)

    @t_batch_mode_transform(expected_q=1)
    def forward(self, X: Tensor) -> Tensor:
        return self.value(X)


@acqf_input_constructor(Mean)
def construct_mean(model: Model) -> dict[str, Any]:
    return {"model": model}


class MeanContract(AcquisitionContract):
    kind: type[AcquisitionFunction] = Mean

    def make_model(self, train_X: Tensor, train_Y: Tensor) -> Model:
        return SingleTaskGP(train_X, train_Y)

    def make_acquisition(self, model: Model) -> AcquisitionFunction:
        return self.kind(model)


class TestMean(MeanContract): ...


class Shifted(Mean):
    def __init__(self, model: Model, shift: float = 1.0) -> None:
        super().__init__(model)
        self.shift = shift

    def value(self, X: Tensor) -> Tensor:
        return super().value(X) + self.shift


@acqf_input_constructor(Shifted)
def construct_shifted(model: Model) -> dict[str, Any]:
    return {"model": model, "shift": 2.0}


def changed(**methods: Any) -> type[AcquisitionFunction]:
    return type("Changed", (Mean,), methods)


def valued(change: Callable[[Tensor, Tensor], Tensor]) -> type[AcquisitionFunction]:
    """The mean, changed as a function of the points and the value."""
    return changed(value=lambda self, X: change(X, Mean.value(self, X)))


def refuse(*_: Any) -> None:
    raise UnsupportedError("No.")


RefusesPending = changed(set_X_pending=refuse)
NeverForgetsPending = changed(
    pending=0.0,
    set_X_pending=lambda self, X_pending: setattr(self, "pending", 1.0),
    value=lambda self, X: Mean.value(self, X) + self.pending,
)
BROKEN = {
    "values_have_the_shape_of_the_batch": {
        r"has shape \(4, 1\), not \(4,\)": changed(
            forward=lambda self, X: self.value(X).unsqueeze(-1)
        ),
        "not finite": valued(lambda X, value: value - torch.inf),
        "is in torch.float64": valued(lambda X, value: value.double()),
    },
    "a_batch_equals_single_evaluations": {
        "A batch, and one by one": valued(lambda X, value: value - value.max())
    },
    "gradients_reach_the_points": {
        "The value carries no gradient": valued(lambda X, value: value.detach())
    },
    "repeated_calls_agree": {
        "have other values later": valued(lambda X, value: value + torch.rand(1).to(X)),
        "moved a global random state": valued(lambda X, value: value + 0.0 * torch.rand(1).to(X)),
    },
    "pending_points_are_known_or_refused": {
        "set_X_pending is refused": RefusesPending,
        "before and after": NeverForgetsPending,
    },
    "the_input_constructor_builds_it": {"The function that was constructed": Shifted},
    "optimize_acqf_discrete": {
        "The value of the best choice": valued(
            lambda X, value: value + torch.arange(float(X.shape[0])).to(X)
        )
    },
}


@pytest.mark.parametrize(
    ("test", "message", "kind"),
    [(test, *case) for test, cases in BROKEN.items() for case in cases.items()],
)
def test_a_broken_function_is_caught(
    test: str, message: str, kind: type[AcquisitionFunction]
) -> None:
    contract = MeanContract()
    contract.kind = kind
    with pytest.raises(AssertionError, match=message):
        getattr(contract, f"test_{test}")()


def test_a_refusal_of_pending_points_must_be_kept() -> None:
    contract = MeanContract()
    contract.supports_X_pending = False
    with pytest.raises(AssertionError, match="set_X_pending is not refused"):
        contract.test_pending_points_are_known_or_refused()
    contract.kind = RefusesPending
    contract.test_pending_points_are_known_or_refused()


@pytest.mark.parametrize("factory", ["make_model", "make_acquisition"])
def test_factories_have_to_be_supplied(factory: str) -> None:
    contract = MeanContract()
    setattr(contract, factory, getattr(AcquisitionContract, factory).__get__(contract))
    with pytest.raises(NotImplementedError, match=f"MeanContract must define {factory}"):
        contract.test_repeated_calls_agree()
