"""What BoTorch expects of a posterior."""

from typing import Any

import torch
from botorch.posteriors import Posterior, PosteriorList
from botorch.sampling.base import MCSampler
from botorch.sampling.get_sampler import get_sampler
from torch import Tensor

from botorch_popbo.testing.base import Contract, each_case
from botorch_popbo.testing.checks import (
    Tkwargs,
    random_state_untouched,
    require,
    require_gradient,
    require_moments,
    require_tensor,
    seeded,
)

_Q = 3
_BATCH_SHAPES = ((), (2,), (2, 3))
_SAMPLE_SHAPES = (torch.Size(), torch.Size([4]), torch.Size([2, 5]))


class PosteriorContract(Contract):
    """Tests of a :class:`~botorch.posteriors.Posterior`; a subclass supplies a factory.

    Attributes:
        differentiable: Samples of ``rsample`` have gradients with respect to the points.
        supports_base_samples: ``rsample_from_base_samples`` and what describes its input work.
        supports_sampler: A sampler is registered.
        same_draws_over_batches: The sampler draws the same at every place of a t-batch, as the
            optimizers of BoTorch want it. ``ForkedRNGSampler`` cannot promise it.
        supports_posterior_list: It can be part of a ``PosteriorList``.
    """

    differentiable: bool = True
    supports_base_samples: bool = True
    supports_sampler: bool = True
    same_draws_over_batches: bool = True
    supports_posterior_list: bool = True

    def make_posterior(self, X: Tensor) -> Posterior:
        """The posterior at some points, the same for the same points.

        Args:
            X: Points of the unit cube, ``batch_shape x q x d``.

        Returns:
            A posterior over values of shape ``batch_shape x q x m``, in the dtype and on the
            device of ``X``.
        """
        raise NotImplementedError(f"{type(self).__name__} must define make_posterior.")

    @each_case()
    def test_moments_have_the_shape_of_the_points(self, tkwargs: Tkwargs) -> None:
        """Moments are finite, of shape ``batch_shape x q x m``, in the dtype of the points."""
        for batch_shape in _BATCH_SHAPES:
            posterior = self.make_posterior(self.points(*batch_shape, _Q, **tkwargs))
            shape = (*batch_shape, _Q, self.num_outputs)
            require_moments(posterior, shape, tkwargs, f"of a batch {batch_shape}")
            dtype, device = posterior.dtype, posterior.device
            require(dtype == tkwargs["dtype"], f"The posterior says that it is in {dtype}.")
            right = device.type == tkwargs["device"].type
            require(right, f"The posterior says that it is on {device}.")

    @each_case()
    def test_samples_have_the_extended_shape(self, tkwargs: Tkwargs) -> None:
        """``rsample`` and ``sample`` return what ``_extended_shape`` says."""
        for batch_shape in _BATCH_SHAPES:
            posterior = self.make_posterior(self.points(*batch_shape, _Q, **tkwargs))
            for sample_shape in _SAMPLE_SHAPES:
                shape = (*sample_shape, *batch_shape, _Q, self.num_outputs)
                extended = posterior._extended_shape(sample_shape)
                require(extended == shape, f"_extended_shape is {tuple(extended)}, not {shape}.")
                require_tensor(posterior.rsample(sample_shape), shape, tkwargs, "rsample")
                require_tensor(posterior.sample(sample_shape), shape, tkwargs, "sample")

    @each_case()
    def test_only_rsample_carries_gradients(self, tkwargs: Tkwargs) -> None:
        """``rsample`` is differentiable in the points, ``sample`` is detached."""
        X = self.points(2, _Q, **tkwargs).requires_grad_()
        samples = self.make_posterior(X).sample(torch.Size([4]))
        require(not samples.requires_grad, "sample carries a gradient.")
        if self.differentiable:
            require_gradient(self.make_posterior(X).rsample(torch.Size([4])), X, "rsample")

    @each_case("supports_base_samples")
    def test_base_samples_are_described(self, tkwargs: Tkwargs) -> None:
        """``base_sample_shape`` and ``batch_range`` tell samplers what to draw."""
        for batch_shape in _BATCH_SHAPES:
            posterior = self.make_posterior(self.points(*batch_shape, _Q, **tkwargs))
            base_shape, (start, end) = posterior.base_sample_shape, posterior.batch_range
            found = base_shape[start:end]
            require(
                found == batch_shape,
                f"batch_range picks {tuple(found)} of base_sample_shape, not {batch_shape}.",
            )
            for sample_shape in _SAMPLE_SHAPES:
                base_samples = torch.randn(*sample_shape, *base_shape, **tkwargs)
                samples = posterior.rsample_from_base_samples(sample_shape, base_samples)
                shape = (*sample_shape, *batch_shape, _Q, self.num_outputs)
                require_tensor(samples, shape, tkwargs, "rsample_from_base_samples")

    @each_case("supports_sampler")
    def test_the_sampler_is_reproducible(self, tkwargs: Tkwargs) -> None:
        """The seed decides, at every call, and the global random state does not move."""
        X = self.points(2, _Q, **tkwargs).requires_grad_(self.differentiable)
        posterior = self.make_posterior(X)
        sampler = self._sampler(posterior)
        require(isinstance(sampler, MCSampler), f"{type(sampler)} is not an MCSampler.")
        with random_state_untouched("The sampler"):
            samples = sampler(posterior)
        require_tensor(samples, (8, 2, _Q, self.num_outputs), tkwargs, "A draw of the sampler")
        if self.differentiable:
            require_gradient(samples, X, "A draw of the sampler")
        posterior = self.make_posterior(X)
        self.require_close(sampler(posterior), samples, "The second draw of a sampler")
        with seeded(2):
            again = self._sampler(posterior)(posterior)
        self.require_close(again, samples, "The draw of another sampler with the same seed")

    @each_case("same_draws_over_batches")
    def test_the_sampler_does_not_know_places_of_a_batch(self, tkwargs: Tkwargs) -> None:
        """A candidate has the same draws at every place of a t-batch."""
        posterior = self.make_posterior(self.points(_Q, **tkwargs).expand(4, _Q, self.dim))
        samples = self._sampler(posterior)(posterior)
        first = samples[:, :1].expand_as(samples)
        self.require_close(samples, first, "Draws at the same points of a t-batch")

    @each_case("supports_posterior_list")
    def test_it_works_inside_a_posterior_list(self, tkwargs: Tkwargs) -> None:
        """Moments and draws of a list are those of its members, side by side."""
        posterior = self.make_posterior(self.points(2, _Q, **tkwargs))
        pair = PosteriorList(posterior, posterior)
        shape = (2, _Q, 2 * self.num_outputs)
        require_moments(pair, shape, tkwargs, "of a PosteriorList")
        require_tensor(pair.rsample(torch.Size([4])), (4, *shape), tkwargs, "rsample of a list")
        require(pair._extended_shape() == shape, "A PosteriorList has another _extended_shape.")
        if self.supports_sampler:
            samples = self._sampler(pair)(pair)
            require_tensor(samples, (8, *shape), tkwargs, "A draw of a list's sampler")

    @staticmethod
    def _sampler(posterior: Any) -> MCSampler:
        return get_sampler(posterior, torch.Size([8]), seed=1)
