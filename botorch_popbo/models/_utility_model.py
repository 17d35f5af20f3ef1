"""What a Gaussian process on a utility predicts."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any, NoReturn

import torch
from botorch.acquisition.objective import PosteriorTransform
from botorch.exceptions import BotorchTensorDimensionError, UnsupportedError
from botorch.models.gp_regression import SingleTaskGP
from botorch.models.model import FantasizeMixin
from botorch.posteriors import GPyTorchPosterior, Posterior
from botorch.settings import validate_input_scaling
from gpytorch.distributions import MultivariateNormal
from gpytorch.kernels import Kernel
from gpytorch.likelihoods import GaussianLikelihood
from torch import Tensor

from botorch_popbo.models._hyperparameters.covariance import JITTER
from botorch_popbo.models._law.conditional import ConditionalKernel, ConditionalMean, in_dtype
from botorch_popbo.models._law.differences import Moments, Pullback
from botorch_popbo.models._law.known_noise import KnownNoiseGP
from botorch_popbo.models._law.law import Law
from botorch_popbo.models._law.rank_law import RankLaw, averaged
from botorch_popbo.models.rank_model import RankModel
from botorch_popbo.posteriors._marginal import MarginalPosterior
from botorch_popbo.posteriors._thresholds import Thresholds
from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior

_PARTS = "covar_module", "likelihood", "input_transform"
_MOST_JOINT = 2**13  # points: more have a covariance of half a gigabyte, which nobody asks for


class UtilityModel(RankModel, FantasizeMixin):
    """A law of the utility, as long as the hyperparameters are the same, and what follows from it.

    Attributes:
        covar_module: The prior's kernel.
        likelihood: The noise of a utility.
    """

    covar_module: Kernel
    likelihood: GaussianLikelihood
    _law: tuple[list[Tensor], Law] | None

    def __setattr__(self, name: str, value: Any) -> None:
        """Forget the law where a part that it was made by is replaced."""
        super().__setattr__(name, value)
        if name in _PARTS:
            self._law = None

    @abstractmethod
    def _conditioned(self) -> Law:
        """The law at the current hyperparameters."""

    @abstractmethod
    def _plausible_laws(self) -> list[RankLaw]:
        """Laws of the rank, whose average is that of a prediction."""

    @property
    def law(self) -> Law:
        """The conditional law, prepared unless it was for the same hyperparameters."""
        # Asked for at every step of an optimizer. The kernel's own tensors are its directions.
        current = [*self.parameters(), *self.covar_module.buffers(recurse=False)]
        known = self._law
        if known is None or not _are_equal(known[0], current):
            # Not of inference mode: they are used where gradients are wanted, and found by some.
            with torch.inference_mode(False):
                known = [value.detach().clone() for value in current], self._conditioned()
            self._law = known
        return known[1]

    @property
    def noise(self) -> Tensor:
        """Variance of a utility's noise, in units of the prior variance; a scalar tensor."""
        noise: Tensor = self.likelihood.noise
        return noise.squeeze()

    def posterior(  # type: ignore[override]  # the mixin knows but one argument
        self,
        X: Tensor,
        output_indices: list[int] | None = None,
        observation_noise: bool | Tensor = False,
        posterior_transform: PosteriorTransform | None = None,
    ) -> Posterior:
        """The joint law of the utility.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            output_indices: ``None`` or ``[0]``: there is one output.
            observation_noise: Whether to add the noise of an outcome; or the variances to add, in
                squared units of utility, broadcastable to ``batch_shape x q x 1``.
            posterior_transform: Applied to the result.

        Returns:
            A normal posterior of shape ``batch_shape x q x 1``, larger being better. Its
            covariance is not computed before it is used.

        Raises:
            BotorchTensorDimensionError: If ``X`` or ``observation_noise`` has the wrong shape.
            InputDataError: If ``X`` is no tensor.
            UnsupportedError: If another output is asked for.
        """
        self._check_output(output_indices)
        posterior = self._utility(self.encode(X), observation_noise)
        return posterior if posterior_transform is None else posterior_transform(posterior, X)

    def __call__(self, X: Tensor) -> MultivariateNormal:
        """The law of :meth:`posterior`, which some functions of BoTorch ask for by a call.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.

        Returns:
            A normal law of shape ``batch_shape x q``.
        """
        law: MultivariateNormal = self._utility(self.encode(X), False).distribution
        return law

    def forward(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse what BoTorch's leave-one-out formulas ask for.

        Raises:
            UnsupportedError: Always: no law of outcomes comes before their order.
        """
        raise UnsupportedError(
            f"{type(self).__name__} has no prior of outcomes, and its law of utilities is "
            "posterior(X). To leave points out, fit a model to the order of the others."
        )

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> GaussianRankPosterior:
        """The law of each point's rank among all evaluated points.

        It is averaged over the hyperparameters that the order leaves plausible, with a noise that
        is not kept small for the sake of a search. That is prepared at the first call, which takes
        about as long as a fit.

        Args:
            X: Points, a ``batch_shape x q x d`` tensor.
            observation_noise: Whether the rank is that of a noisy outcome at the point.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, smaller being better.

        Raises:
            BotorchTensorDimensionError: If ``X`` has no ``q`` or not ``d`` columns.
            InputDataError: If ``X`` is no tensor.
        """
        return self._rank(self._plausible_laws(), self.encode(X), observation_noise)

    def rank_law(self, encoded: Tensor, observation_noise: bool = False) -> GaussianRankPosterior:
        """See the base class."""
        return self._rank([self.law.ranks], encoded, observation_noise)

    def improvement(self, encoded: Tensor, reference: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """How much better points are than a reference point, in utility.

        Args:
            encoded: Encoded points, ``batch_shape x 1 x d'``.
            reference: One encoded point, of shape ``d'``.

        Returns:
            Mean and variance, and the part of the variance of a point's own utility that more
            evaluations there would remove; three tensors of shape ``batch_shape x 1``.
        """
        moments = self.law.differences_from(reference.double()).moments(encoded.double())
        mean, variance, own = (values.to(encoded) for values in moments)
        return mean, variance, own

    def improvement_and_pullback(
        self, encoded: Tensor, reference: Tensor
    ) -> tuple[Moments, Pullback]:
        """The same with its derivative, faster than by autograd.

        Args:
            encoded: Encoded points, ``n x d'``.
            reference: One encoded point, of shape ``d'``.

        Returns:
            Mean, variance and the part to be removed, each of shape ``n``; and a function of slopes
            with respect to them, which returns those with respect to the points, ``n x d'``.
        """
        law = self.law.differences_from(reference.double())
        moments, pullback = law.moments_and_pullback(encoded.double())
        mean, variance, own = (values.to(encoded) for values in moments)

        def in_dtype_of_points(*slopes: Tensor) -> Tensor:
            return pullback(*(slope.double() for slope in slopes)).to(encoded)

        return (mean, variance, own), in_dtype_of_points

    def condition_on_observations(
        self, X: Tensor, Y: Tensor, noise: Tensor | None = None, **kwargs: Any
    ) -> SingleTaskGP:
        """Condition on observed utilities; the hyperparameters stay as they are.

        Args:
            X: Points, a ``batch_shape x n x d`` tensor.
            Y: Utilities, a ``batch_shape' x n x 1`` tensor, broadcastable with ``batch_shape``.
            noise: Their variances, broadcastable to the shape of ``Y``; by default that of an
                outcome. Later outcomes are as noisy as any.
            **kwargs: None.

        Returns:
            A Gaussian process whose prior is this model's posterior: exact, batched, and a model
            that can be conditioned further.
        """
        batch_shape = torch.broadcast_shapes(X.shape[:-2], Y.shape[:-2])
        X, Y = X.to(self._X.dtype), Y.to(self._X.dtype)
        Y = Y.expand(*batch_shape, *Y.shape[-2:])
        if self.training:
            self.eval()
        predictor, transform = self.law.predictor, deepcopy(getattr(self, "input_transform", None))
        arguments: dict[str, Any] = {
            "train_X": X.expand(*batch_shape, *X.shape[-2:]),
            "train_Y": Y,
            "mean_module": ConditionalMean(predictor, transform),
            "covar_module": ConditionalKernel(predictor, X.dtype, transform),
            "outcome_transform": None,
        }
        with validate_input_scaling(False):
            if noise is None:
                conditioned = SingleTaskGP(likelihood=deepcopy(self.likelihood), **arguments)
            else:
                arguments["train_Yvar"] = noise.to(Y).expand_as(Y)
                conditioned = KnownNoiseGP(self.noise.detach().to(Y), **arguments)
        return conditioned.eval()

    def get_fantasy_model(
        self, inputs: Tensor, targets: Tensor, noise: Tensor | None = None
    ) -> SingleTaskGP:
        """Let :class:`~botorch.models.ModelListGP` reach :meth:`condition_on_observations`.

        Args:
            inputs: Points, a ``batch_shape x n x d`` tensor.
            targets: Utilities, a ``batch_shape' x n`` tensor.
            noise: Their variances, in the shape of ``targets``.

        Returns:
            See above.
        """
        noise = None if noise is None else noise.unsqueeze(-1)
        return self.condition_on_observations(inputs, targets.unsqueeze(-1), noise)

    def _rank(
        self, laws: Sequence[RankLaw], encoded: Tensor, observation_noise: bool
    ) -> GaussianRankPosterior:
        double, buckets = encoded.double(), laws[0].buckets
        known = averaged([law.thresholds(double, observation_noise) for law in laws])
        return GaussianRankPosterior(
            Thresholds(buckets.interpolate(known), buckets.size).to(encoded),
            partial(self._utility, encoded, observation_noise),
        )

    def _utility(self, encoded: Tensor, observation_noise: bool | Tensor) -> GPyTorchPosterior:
        predictor, double = self.law.predictor, encoded.double()
        noise = torch.full_like(double[..., 0], JITTER)
        if isinstance(observation_noise, Tensor):
            noise = noise + _variances(observation_noise, noise.shape)
        elif observation_noise:
            noise = noise + self.noise.detach()
        covariance = ConditionalKernel(predictor)(double).add_diagonal(noise)
        covariance = in_dtype(covariance, encoded.dtype)
        if double.shape[-2] <= _MOST_JOINT or double.requires_grad:
            mean = predictor.mean(double).to(encoded)
            return GPyTorchPosterior(MultivariateNormal(mean, covariance))
        mean, variance = predictor.moments(double)
        joint = MultivariateNormal(mean.to(encoded), covariance)
        return MarginalPosterior(joint, (variance + noise).to(encoded))


def _variances(observation_noise: Tensor, shape: torch.Size) -> Tensor:
    try:
        return observation_noise.expand(*shape, 1).squeeze(-1)
    except RuntimeError:
        raise BotorchTensorDimensionError(
            f"Expected observation_noise of a shape that broadcasts to {(*shape, 1)}, a variance "
            f"for each point, but got {tuple(observation_noise.shape)}."
        ) from None


def _are_equal(known: list[Tensor], values: list[Tensor]) -> bool:
    return len(known) == len(values) and all(
        a.device == b.device and torch.equal(a, b) for a, b in zip(known, values, strict=True)
    )


def forget_law(model: UtilityModel, incompatible_keys: object) -> None:
    """A state dict brings its own input transform, such as the bounding box of other points."""
    model._law = None
