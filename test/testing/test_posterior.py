from collections.abc import Callable
from typing import Any

import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.posteriors import GPyTorchPosterior, Posterior
from botorch.sampling.get_sampler import GetSampler
from botorch.sampling.stochastic_samplers import ForkedRNGSampler, StochasticSampler
from torch import Tensor

from botorch_popbo.testing import PosteriorContract

# BoTorch warns of single precision.
pytestmark = pytest.mark.filterwarnings("ignore::botorch.exceptions.warnings.InputDataWarning")


class TestGPyTorchPosterior(PosteriorContract):
    def make_posterior(self, X: Tensor) -> Posterior:
        return SingleTaskGP(*self.make_data(dtype=X.dtype, device=X.device)).posterior(X)


class TestTwoOutputs(TestGPyTorchPosterior):
    num_outputs = 2


class Noisy(Posterior):
    """A correct posterior, whose methods the broken ones below replace."""

    def __init__(self, X: Tensor) -> None:
        self._mean = X.sum(-1, keepdim=True)

    @property
    def mean(self) -> Tensor:
        return self._mean

    @property
    def variance(self) -> Tensor:
        return 1.0 + self._mean.square()

    @property
    def dtype(self) -> torch.dtype:
        return self._mean.dtype

    @property
    def device(self) -> torch.device:
        return self._mean.device

    @property
    def base_sample_shape(self) -> torch.Size:
        return self._mean.shape

    @property
    def batch_range(self) -> tuple[int, int]:
        return 0, -2

    def _extended_shape(self, sample_shape: torch.Size = torch.Size()) -> torch.Size:  # noqa: B008
        return sample_shape + self._mean.shape

    def rsample(self, sample_shape: torch.Size | None = None) -> Tensor:
        noise = torch.randn(self._extended_shape(sample_shape or torch.Size())).to(self._mean)
        return self.rsample_from_base_samples(sample_shape or torch.Size(), noise)

    def rsample_from_base_samples(self, sample_shape: torch.Size, base_samples: Tensor) -> Tensor:
        return self._mean + self.variance.sqrt() * base_samples


class ForkedNoisy(Noisy): ...


class GloballyNoisy(Noisy): ...


class SelfSeeded(Noisy): ...


@GetSampler.register(ForkedNoisy)
def forked(posterior: Posterior, sample_shape: torch.Size, seed: int | None = None) -> Any:
    return ForkedRNGSampler(sample_shape, seed=seed)


@GetSampler.register(GloballyNoisy)
def globally(posterior: Posterior, sample_shape: torch.Size, seed: int | None = None) -> Any:
    return StochasticSampler(sample_shape, seed=seed)


@GetSampler.register(SelfSeeded)
def self_seeded(posterior: Posterior, sample_shape: torch.Size, seed: int | None = None) -> Any:
    return ForkedRNGSampler(sample_shape)


class NoisyContract(PosteriorContract):
    kind: Callable[[Tensor], Posterior] = ForkedNoisy
    same_draws_over_batches = False

    def make_posterior(self, X: Tensor) -> Posterior:
        return self.kind(X)


class TestNoisy(NoisyContract): ...


def changed(**members: Any) -> type[Noisy]:
    return type("Changed", (ForkedNoisy,), members)


WRONG_SHAPE = changed(mean=property(lambda self: self._mean.squeeze(-1)))
DETACHED = changed(
    rsample=lambda self, sample_shape=None: ForkedNoisy.rsample(self, sample_shape).detach()
)
BROKEN = {
    "moments_have_the_shape_of_the_points": {
        "The mean .* has shape": WRONG_SHAPE,
        "is negative": changed(variance=property(lambda self: -1.0 - self._mean.square())),
        "says that it is in torch.float64": changed(dtype=property(lambda self: torch.float64)),
    },
    "samples_have_the_extended_shape": {
        "rsample is in torch.float64": changed(
            rsample_from_base_samples=lambda self, _, base: (self._mean + base).double()
        ),
        "_extended_shape is": changed(
            _extended_shape=lambda self, shape=(): torch.Size([*shape, *self._mean.shape[:-1]])
        ),
    },
    "only_rsample_carries_gradients": {
        "rsample carries no gradient": DETACHED,
        "sample carries a gradient": changed(sample=lambda self, shape=None: self.rsample(shape)),
    },
    "base_samples_are_described": {
        "batch_range picks": changed(batch_range=property(lambda self: (0, -1))),
        "rsample_from_base_samples has shape": changed(
            rsample_from_base_samples=lambda self, _, base: self._mean
        ),
    },
    "the_sampler_is_reproducible": {
        "The sampler moved a global random state": GloballyNoisy,
        "another sampler with the same seed": SelfSeeded,
        "A draw of the sampler carries no gradient": DETACHED,
    },
    "the_sampler_does_not_know_places_of_a_batch": {
        "Draws at the same points of a t-batch": ForkedNoisy
    },
    "it_works_inside_a_posterior_list": {"The mean of a PosteriorList has shape": WRONG_SHAPE},
}


@pytest.mark.parametrize(
    ("test", "message", "kind"),
    [(test, *case) for test, cases in BROKEN.items() for case in cases.items()],
)
def test_a_broken_posterior_is_caught(test: str, message: str, kind: type[Posterior]) -> None:
    contract = NoisyContract()
    contract.kind, contract.same_draws_over_batches = kind, True
    with pytest.raises(AssertionError, match=message):
        getattr(contract, f"test_{test}")()


def test_what_a_flag_says_is_unsupported_is_not_asked_for() -> None:
    contract = NoisyContract()
    contract.kind, contract.differentiable = DETACHED, False
    contract.test_only_rsample_carries_gradients()
    contract.test_the_sampler_is_reproducible()


def test_a_posterior_has_to_be_supplied() -> None:
    with pytest.raises(NotImplementedError, match="PosteriorContract must define make_posterior"):
        PosteriorContract().test_samples_have_the_extended_shape()


def test_the_gaussian_process_is_the_kind_that_is_meant() -> None:
    posterior = TestGPyTorchPosterior().make_posterior(torch.rand(3, 2, dtype=torch.float64))
    assert type(posterior) is GPyTorchPosterior
