import doctest
import subprocess
import sys
import unittest
from types import ModuleType
from typing import Any

import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.models.model import Model
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import Posterior
from torch import Tensor

from botorch_popbo import PoissonRankModel, UtilityModel, testing
from botorch_popbo.testing import ModelContract, memory

# BoTorch warns of single precision.
pytestmark = pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")


class TestGaussianProcess(ModelContract):
    linear_memory = True

    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        return PoissonRankModel(train_X, train_Y, input_transform=input_transform)


class TestFittedGaussianProcess(ModelContract):
    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        return PoissonRankModel(train_X, train_Y, input_transform=input_transform).fit()


class TestUtilityModel(ModelContract):
    supports_subset_output = False
    supports_construct_inputs = False

    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        model = PoissonRankModel(train_X, train_Y, input_transform=input_transform)
        return UtilityModel(model.fit())


class TestFittedNetwork(ModelContract):
    num_points = 8
    dim = 3
    dtypes = (torch.float64,)

    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        return PoissonRankModel(
            train_X, train_Y, input_transform=input_transform, preset="paper"
        ).fit()


class TestNetwork(ModelContract, unittest.TestCase):
    num_points = 15
    linear_memory = True

    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        return PoissonRankModel(train_X, train_Y, input_transform=input_transform, preset="paper")


class TestSingleTaskGP(ModelContract):
    def make_model(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> Model:
        return SingleTaskGP(train_X, train_Y, input_transform=input_transform)


class TestTwoOutputs(TestSingleTaskGP):
    num_outputs = 2


class TestBatchedModel(TestSingleTaskGP):
    batch_shape = torch.Size([4])

    def make_data(self, **tkwargs: Any) -> tuple[Tensor, Tensor]:
        X, Y = super().make_data(**tkwargs)
        return X.expand(4, *X.shape), Y * torch.tensor([1.0, -1.0, 2.0, 3.0], **tkwargs).view(
            -1, 1, 1
        )


class Independent(Posterior):
    def __init__(self, mean: Tensor) -> None:
        self.mean = mean
        self.variance = 0.1 + mean.square()

    @property
    def dtype(self) -> torch.dtype:
        return self.mean.dtype

    @property
    def device(self) -> torch.device:
        return self.mean.device

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        raise NotImplementedError


class Line(Model):
    """A correct model of one output, whose methods the broken ones below replace."""

    def __init__(
        self, train_X: Tensor, train_Y: Tensor, input_transform: InputTransform | None = None
    ) -> None:
        super().__init__()
        if input_transform is not None:
            self.input_transform = input_transform
        slope = torch.linspace(1.0, 2.0, train_X.shape[-1]).to(train_X)
        self.slope = torch.nn.Parameter(slope + self.offset())

    def offset(self) -> Tensor | float:
        return 0.0

    def line(self, X: Tensor) -> Tensor:
        return (self.transform_inputs(X) * self.slope).sum(-1)

    def posterior(self, X: Tensor, *args: Any, **kwargs: Any) -> Posterior:
        self.eval()
        return Independent(self.line(X).unsqueeze(-1))

    def _set_transformed_inputs(self) -> None: ...

    @property
    def num_outputs(self) -> int:
        return 1

    @property
    def batch_shape(self) -> torch.Size:
        return torch.Size()

    def subset_output(self, idcs: list[int]) -> Model:
        return self


class LineContract(ModelContract):
    kind: type[Model] = Line

    def make_model(self, train_X: Tensor, train_Y: Tensor, **options: Any) -> Model:
        return self.kind(train_X, train_Y, **options)


class TestLine(LineContract): ...


class WrongShape(Line):
    def line(self, X: Tensor) -> Tensor:
        return super().line(X).unsqueeze(-2).transpose(-1, -2)


class NotFinite(Line):
    def line(self, X: Tensor) -> Tensor:
        return super().line(X) / 0.0


class LosesDtype(Line):
    def line(self, X: Tensor) -> Tensor:
        return super().line(X).double()


class DependsOnBatch(Line):
    def line(self, X: Tensor) -> Tensor:
        line = super().line(X)
        return line - line.mean()


class NoGradient(Line):
    def line(self, X: Tensor) -> Tensor:
        return super().line(X.detach())


class BadGradient(Line):
    def line(self, X: Tensor) -> Tensor:
        return super().line(X) + (X - X).abs().sqrt().sum(-1)


class AnotherOutputCount(Line):
    @property
    def num_outputs(self) -> int:
        return 2


class LosesState(Line):
    def __init__(self, train_X: Tensor, train_Y: Tensor) -> None:
        super().__init__(train_X, train_Y)
        self.shift = torch.rand(1).to(train_X)

    def line(self, X: Tensor) -> Tensor:
        return super().line(X) + self.shift


class SharesState(Line):
    def __deepcopy__(self, memo: dict[int, Any]) -> "SharesState":
        return self


class StaysInItsDtype(Line):
    def to(self, *args: Any, **kwargs: Any) -> "StaysInItsDtype":
        return self


class DependsOnMode(Line):
    def train(self, mode: bool = True) -> "DependsOnMode":
        with torch.no_grad():
            self.slope += 0.1
        return super().train(mode)


class IgnoresTransform(Line):
    def transform_inputs(self, X: Tensor, input_transform: Any = None) -> Tensor:
        return X


class TransformsTwice(Line):
    def transform_inputs(self, X: Tensor, input_transform: Any = None) -> Tensor:
        return super().transform_inputs(super().transform_inputs(X))


class ForgetsTheData(Line):
    @classmethod
    def construct_inputs(cls, training_data: Any) -> dict[str, Any]:
        return {"train_X": training_data.X[:, :1], "train_Y": training_data.Y}

    def line(self, X: Tensor) -> Tensor:
        return super().line(X).expand(*X.shape[:-2], len(self.slope) * X.shape[-2])[..., :-1]


class MovesRandomState(Line):
    def offset(self) -> Tensor | float:
        torch.rand(1)
        return 0.0


class ReadsRandomState(Line):
    def offset(self) -> Tensor | float:
        with torch.random.fork_rng():
            return torch.rand(1)


class Quadratic(Line):
    def line(self, X: Tensor) -> Tensor:
        return super().line(X) + 0.0 * torch.cdist(X, X).sum(-1)


@pytest.mark.parametrize(
    ("kind", "test", "message"),
    [
        (WrongShape, "posterior_has_the_shape_of_the_points", "The mean of X .* has shape"),
        (NotFinite, "posterior_has_the_shape_of_the_points", "not finite"),
        (LosesDtype, "posterior_has_the_shape_of_the_points", "is in torch.float64"),
        (DependsOnBatch, "a_batch_equals_single_evaluations", "One of a batch, and alone"),
        (NoGradient, "gradients_reach_the_points", "does not depend on X"),
        (BadGradient, "gradients_reach_the_points", "gradient that is not finite"),
        (AnotherOutputCount, "outputs_can_be_chosen", "num_outputs is 2"),
        (LosesState, "a_state_dict_carries_the_model", "A restored model"),
        (SharesState, "a_deep_copy_is_equal_and_independent", "whose copy was changed"),
        (StaysInItsDtype, "it_converts_to_other_dtypes", "the posterior is in"),
        (DependsOnMode, "modes_do_not_change_the_posterior", r"train\(\), eval\(\)"),
        (IgnoresTransform, "the_input_transform_is_applied", "Normalize, and points normalised"),
        (TransformsTwice, "the_input_transform_is_applied", "Normalize, and points normalised"),
        (ForgetsTheData, "it_is_built_from_a_data_set", "of a model from a data set has shape"),
        (MovesRandomState, "global_random_numbers_are_left_alone", "moved a global random state"),
        (ReadsRandomState, "global_random_numbers_are_left_alone", "Another seed"),
        (Quadratic, "memory_is_linear_in_the_number_of_points", "4000 points: 64000000 bytes"),
    ],
)
def test_a_broken_model_is_caught(kind: type[Model], test: str, message: str) -> None:
    contract = LineContract()
    contract.kind, contract.linear_memory = kind, True
    with pytest.raises(AssertionError, match=message) as caught:
        getattr(contract, f"test_{test}")()
    assert "The case was dtype=torch.float" in caught.value.__notes__[0]


def test_what_a_flag_says_is_unsupported_is_not_asked_for() -> None:
    contract = LineContract()
    contract.kind, contract.leaves_random_state = ReadsRandomState, False
    contract.test_global_random_numbers_are_left_alone()


def test_a_model_has_to_be_supplied() -> None:
    with pytest.raises(NotImplementedError, match="ModelContract must define make_model"):
        ModelContract().test_outputs_can_be_chosen()


@pytest.mark.parametrize("module", [testing, memory])
def test_examples(module: ModuleType) -> None:
    found = doctest.testmod(module, extraglobs={"torch": torch})
    assert found.attempted > 0
    assert found.failed == 0


def test_neither_the_package_nor_the_contracts_import_more_than_they_need() -> None:
    code = """
import sys
sys.modules["pytest"] = None
import botorch_popbo
assert not any(name.startswith("botorch_popbo.testing") for name in sys.modules)
import botorch_popbo.testing
"""
    subprocess.run([sys.executable, "-c", code], check=True)
