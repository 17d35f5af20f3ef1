import doctest
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.models.model import Model
from botorch.models.transforms.input import InputTransform
from botorch.posteriors import Posterior
from torch import Tensor

from botorch_popbo import testing
from botorch_popbo.testing import ModelContract, memory

# BoTorch warns of single precision.
pytestmark = pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")


class TestSingleTaskGP(ModelContract):
    def make_model(self, train_X: Tensor, train_Y: Tensor, input_transform: Any = None) -> Model:
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


class LosesState(Line):
    def __init__(self, train_X: Tensor, train_Y: Tensor) -> None:
        super().__init__(train_X, train_Y)
        self.shift = torch.rand(1).to(train_X)

    def line(self, X: Tensor) -> Tensor:
        return super().line(X) + self.shift


class DependsOnMode(Line):
    def train(self, mode: bool = True) -> "DependsOnMode":
        with torch.no_grad():
            self.slope += 0.1
        return super().train(mode)


class ForgetsTheData(Line):
    @classmethod
    def construct_inputs(cls, training_data: Any) -> dict[str, Any]:
        return {"train_X": training_data.X[:, :1], "train_Y": training_data.Y}

    def line(self, X: Tensor) -> Tensor:
        return super().line(X).expand(*X.shape[:-2], len(self.slope) * X.shape[-2])[..., :-1]


def read_random_state(model: Model) -> Tensor:
    with torch.random.fork_rng():
        return torch.rand(1)


def changed(**methods: Any) -> type[Model]:
    return type("Changed", (Line,), methods)


def lined(change: Callable[[Tensor, Tensor], Tensor]) -> type[Model]:
    """The line, changed as a function of the points and its values."""
    return changed(line=lambda self, X: change(X, Line.line(self, X)))


def transformed(times: int) -> type[Model]:
    def transform_inputs(self: Model, X: Tensor, input_transform: Any = None) -> Tensor:
        for _ in range(times):
            X = Line.transform_inputs(self, X)
        return X

    return changed(transform_inputs=transform_inputs)


ReadsRandomState = changed(offset=read_random_state)
BROKEN = {
    "posterior_has_the_shape_of_the_points": {
        "The mean of X .* has shape": lined(lambda X, y: y.unsqueeze(-2).transpose(-1, -2)),
        "not finite": lined(lambda X, y: y / 0.0),
        "is in torch.float64": lined(lambda X, y: y.double()),
    },
    "a_batch_equals_single_evaluations": {
        "One of a batch, and alone": lined(lambda X, y: y - y.mean())
    },
    "gradients_reach_the_points": {
        "does not depend on X": changed(line=lambda self, X: Line.line(self, X.detach())),
        "gradient that is not finite": lined(lambda X, y: y + (X - X).abs().sqrt().sum(-1)),
    },
    "outputs_can_be_chosen": {"num_outputs is 2": changed(num_outputs=property(lambda self: 2))},
    "a_state_dict_carries_the_model": {"A restored model": LosesState},
    "a_deep_copy_is_equal_and_independent": {
        "whose copy was changed": changed(__deepcopy__=lambda self, memo: self)
    },
    "it_converts_to_other_dtypes": {
        "the posterior is in": changed(to=lambda self, *args, **kwargs: self)
    },
    "modes_do_not_change_the_posterior": {r"train\(\), eval\(\)": DependsOnMode},
    "the_input_transform_is_applied": {
        "Normalize, and points": transformed(0),
        "Normalize, and points normalised": transformed(2),
    },
    "it_is_built_from_a_data_set": {"of a model from a data set has shape": ForgetsTheData},
    "global_random_numbers_are_left_alone": {
        "moved a global random state": changed(offset=lambda self: 0.0 * torch.rand(1)),
        "Another seed": ReadsRandomState,
    },
    "memory_is_linear_in_the_number_of_points": {
        "4000 points: 64000000 bytes": lined(lambda X, y: y + 0.0 * torch.cdist(X, X).sum(-1))
    },
}


@pytest.mark.parametrize(
    ("test", "message", "kind"),
    [(test, *case) for test, cases in BROKEN.items() for case in cases.items()],
)
def test_a_broken_model_is_caught(test: str, message: str, kind: type[Model]) -> None:
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
