"""What BoTorch expects of a posterior over one output."""

from typing import Any

import pytest
import torch
from botorch.posteriors import Posterior, PosteriorList
from botorch.sampling.base import MCSampler
from botorch.sampling.get_sampler import get_sampler
from botorch.utils.sampling import manual_seed
from torch import Tensor

from contracts.contract import Contract, Tkwargs, assert_close, assert_gradient, assert_tensor

BATCHES = pytest.mark.parametrize("batch_shape", [(), (2,), (2, 3)])
SAMPLE_SHAPES = torch.Size(), torch.Size([4]), torch.Size([2, 5])


class PosteriorContract(Contract):
    #: Whether the sampler draws the same at every place of a batch, which takes base samples.
    same_draws_over_batches = True

    def make_posterior(self, X: Tensor) -> Any:
        """The posterior at some points of the unit cube, ``batch_shape x q x d``."""
        raise NotImplementedError

    @BATCHES
    def test_moments_have_the_shape_of_the_points(
        self, batch_shape: tuple[int, ...], tkwargs: Tkwargs
    ) -> None:
        posterior = self.make_posterior(self.points(*batch_shape, 3, **tkwargs))
        for values in (posterior.mean, posterior.variance):
            assert_tensor(values, (*batch_shape, 3, 1), tkwargs)
        assert (posterior.variance >= 0).all()
        assert posterior.dtype == tkwargs["dtype"]
        assert posterior.device.type == torch.device(tkwargs["device"]).type

    @BATCHES
    def test_samples_have_the_extended_shape(
        self, batch_shape: tuple[int, ...], tkwargs: Tkwargs
    ) -> None:
        posterior = self.make_posterior(self.points(*batch_shape, 3, **tkwargs))
        start, end = posterior.batch_range
        assert posterior.base_sample_shape[start:end] == batch_shape
        with manual_seed(0):
            for sample_shape in SAMPLE_SHAPES:
                shape = (*sample_shape, *batch_shape, 3, 1)
                assert posterior._extended_shape(sample_shape) == shape
                base = torch.randn(*sample_shape, *posterior.base_sample_shape, **tkwargs)
                for values in (
                    posterior.rsample(sample_shape),
                    posterior.sample(sample_shape),
                    posterior.rsample_from_base_samples(sample_shape, base),
                ):
                    assert_tensor(values, shape, tkwargs)

    def test_only_rsample_carries_gradients(self, tkwargs: Tkwargs) -> None:
        X = self.points(2, 3, **tkwargs).requires_grad_()
        with manual_seed(0):
            assert not self.make_posterior(X).sample(torch.Size([4])).requires_grad
            assert_gradient(self.make_posterior(X).rsample(torch.Size([4])), X)

    @pytest.mark.usefixtures("rng_untouched")
    def test_the_sampler_is_reproducible(self, tkwargs: Tkwargs) -> None:
        X = self.points(2, 3, **tkwargs).requires_grad_()
        posterior = self.make_posterior(X)
        sampler = _sampler(posterior)
        samples = sampler(posterior)
        assert_tensor(samples, (8, 2, 3, 1), tkwargs)
        assert_gradient(samples, X)
        posterior = self.make_posterior(X)
        for other in (sampler, _sampler(posterior)):
            assert_close(other(posterior), samples)

    def test_the_sampler_does_not_know_places_of_a_batch(self, tkwargs: Tkwargs) -> None:
        posterior = self.make_posterior(self.points(3, **tkwargs).expand(4, 3, self.dim))
        samples = _sampler(posterior)(posterior)
        if self.same_draws_over_batches:
            assert_close(samples, samples[:, :1].expand_as(samples))

    def test_it_works_inside_a_posterior_list(self, tkwargs: Tkwargs) -> None:
        posterior = self.make_posterior(self.points(2, 3, **tkwargs))
        pair = PosteriorList(posterior, posterior)
        assert_tensor(pair.mean, (2, 3, 2), tkwargs)
        assert_tensor(_sampler(pair)(pair), (8, 2, 3, 2), tkwargs)


def _sampler(posterior: Posterior) -> MCSampler:
    return get_sampler(posterior, torch.Size([8]), seed=1)
