"""Hyperparameters that maximise the posterior density given the observed order."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.order import TOLERANCE, OrderedUtilities, order_utilities
from botorch_popbo.likelihoods.terms import Distances
from botorch_popbo.likelihoods.weights import JITTER, stand_alone, weighted
from botorch_popbo.models._fit.hyperparameters import Hyperparameters
from botorch_popbo.models._observations.observations import Observations
from botorch_popbo.settings import ModelSettings

Array = npt.NDArray[np.float64]


class _HopelessError(Exception):
    """A search that is not going to reach what it has to."""


@dataclass(frozen=True)
class Sample:
    """Records with their points, and what is fitted to them.

    Attributes:
        X: Encoded points of the records, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: What to fit, from its current values.
        settings: How.
    """

    X: Tensor
    records: Observations
    hyperparameters: Hyperparameters
    settings: ModelSettings = ModelSettings()  # noqa: RUF009  # frozen

    def __len__(self) -> int:
        return len(self.X)

    def subset(self, which: Tensor) -> Self:
        """Some of the records, by their indices or a mask."""
        index = which.nonzero().squeeze(-1) if which.dtype == torch.bool else which
        return replace(self, X=self.X[index], records=self.records.subset(index))


@dataclass(frozen=True)
class Conditioned:
    """Observations conditioned on their order.

    Attributes:
        coordinates: The hyperparameters, of shape ``p``.
        noise: The noise variance, a scalar tensor.
        record_noise: The noise variance and what the order leaves open of each record, ``N``.
        covariance: The prior covariance of the records with their noise, ``N x N``.
        utilities: Their utilities.
        source: Which source each record is from, and 0 for the target; of shape ``N``.
    """

    coordinates: Tensor
    noise: Tensor
    record_noise: Tensor
    covariance: Tensor
    utilities: OrderedUtilities
    source: Tensor


class Evidence:
    """The probability of an order as a function of the hyperparameters.

    Args:
        sample: The ``N`` records, and their hyperparameters.
        comparisons: The order with weights that were found before; by default those that follow
            from the hyperparameters' current values.
    """

    def __init__(self, sample: Sample, comparisons: Comparisons | None = None) -> None:
        X, records, hyperparameters = sample.X, sample.records, sample.hyperparameters
        self._X, self._records, self.hyperparameters = X, records, hyperparameters
        self.settings = sample.settings
        self._is_outcome = (~records.is_judged).to(X)
        self._relations = records.comparisons if comparisons is None else comparisons
        # Weights are found once, so that what is maximised stays the same.
        if comparisons is None and not stand_alone(self._relations):
            modules = hyperparameters.assign(hyperparameters.start)
            with torch.no_grad():
                covariance = self._with_noise(modules.covariance(X, records.source), modules.noise)
            self._relations = weighted(self._relations, covariance)
        warp = hyperparameters.modules.warp
        self._gaps = None if warp is None else warp.measured(records, self._relations)

    def condition(self, coordinates: Tensor) -> Conditioned:
        """Condition on the order at given hyperparameters.

        Args:
            coordinates: The hyperparameters, of shape ``p``.

        Returns:
            The conditioned records.
        """
        with torch.no_grad():
            return self._condition(coordinates, self._said(coordinates))

    def value_and_gradient(
        self, coordinates: Tensor, start: Tensor | None = None, tolerance: float = TOLERANCE
    ) -> tuple[Conditioned, float, Tensor]:
        """The same, with the posterior density that a fit maximises.

        Args:
            coordinates: The hyperparameters, of shape ``p``.
            start: Utilities in order to start from, ``N``; by default the records' guess.
            tolerance: How exactly, see :func:`~botorch_popbo.likelihoods.order.order_utilities`.

        Returns:
            The conditioned records, the logarithm of evidence times prior density, and its gradient
            by the coordinates, of shape ``p``.
        """
        with torch.enable_grad():
            # Autograd goes through the kernel alone. How the mode moves with its prior is known in
            # closed form, see "Its gradient" in docs/derivations.md.
            said = self._said(coordinates)
        with torch.no_grad():
            known = [values.detach() for values in said]
            conditioned = self._condition(coordinates, known, start, tolerance)
            utilities = conditioned.utilities
            slope = utilities.gradient()
            # The noise of outcomes is on the diagonal, and that of answers is in their terms.
            by_noise = slope.diagonal() @ self._is_outcome + utilities.by_log_noise / known[1]
        slopes = (slope, by_noise, *utilities.by_distances)
        gradient = self.hyperparameters.gradient(said, slopes)
        log_prior, by_prior = self.hyperparameters.log_prior(coordinates)
        return conditioned, float(utilities.log_likelihood + log_prior), gradient + by_prior

    def maximize(
        self, start: Tensor, least: float = -math.inf, near: Tensor | None = None
    ) -> tuple[Conditioned, float]:
        """Fit the hyperparameters by L-BFGS-B with exact gradients.

        Args:
            start: Hyperparameters to start from, of shape ``p``.
            least: The search ends where it is not going to reach this value.
            near: Utilities that are not far from the mode, ``N``. Used only if they are in order.

        Returns:
            The records conditioned where evidence times prior density is largest, and its
            logarithm.
        """
        best: Conditioned | None = None
        best_value, settings = -math.inf, self.settings
        if near is not None and not self._are_in_order(near):
            near = None

        def loss(steps: Array) -> tuple[Array, Array]:
            nonlocal best, best_value, near
            # The first step of L-BFGS has length one in what it is given.
            coordinates = start.new_tensor(steps[0]) * settings.first_step
            conditioned, value, gradient = self.value_and_gradient(
                coordinates, near, settings.search_tolerance
            )
            if self._are_in_order(conditioned.utilities.utilities):
                near = conditioned.utilities.utilities  # the next mode is not far
            # The last point of a line search need not be its best one.
            if value > best_value:
                best, best_value = conditioned, value
            # More than so much is not to be gained where the curvature is at least the prior's.
            if value + 0.5 * float(gradient @ gradient) < least:
                raise _HopelessError
            slopes = (gradient * -settings.first_step).unsqueeze(0).cpu().numpy()
            return np.array([-value]), slopes

        if not len(start):  # every parameter stays as it is
            return self.value_and_gradient(start, near, settings.search_tolerance)[:2]
        options: dict[str, Any] = {
            "maxiter": settings.max_iterations,
            "factr": None,
            "ftol": settings.least_gain / len(start),
            "pgtol": settings.least_slope * settings.first_step,
        }
        with suppress(_HopelessError):
            bounds = self.hyperparameters.limits.T / settings.first_step
            origin = start.unsqueeze(0) / settings.first_step
            fmin_l_bfgs_b_batched(loss, origin.cpu().numpy(), bounds.tolist(), **options)
        assert best is not None
        return best, best_value

    def _said(self, coordinates: Tensor) -> Sequence[Tensor]:
        """Prior covariance of the records, noise, and what is heard of distances, if anything is.

        All that the likelihood knows of the hyperparameters.
        """
        modules = self.hyperparameters.assign(coordinates)
        covariance, noise = modules.covariance(self._X, self._records.source), modules.noise
        if self._gaps is None or modules.warp is None:
            return covariance, noise
        return covariance, noise, *modules.warp.distances(*self._gaps)

    def _condition(
        self,
        coordinates: Tensor,
        said: Sequence[Tensor],
        start: Tensor | None = None,
        tolerance: float = TOLERANCE,
    ) -> Conditioned:
        covariance, noise, *heard = said
        covariance = self._with_noise(covariance, noise)
        comparisons, records = self._relations, self._records
        # Both points of a question are noisy: "Terms of an order" in docs/derivations.md.
        distances = Distances(*heard) if heard else None
        first = records.start if start is None else start
        utilities = order_utilities(
            covariance, comparisons, first, 2.0 * noise, tolerance, distances, start is None
        )
        record_noise = self._of_records(noise)
        return Conditioned(coordinates, noise, record_noise, covariance, utilities, records.source)

    def _with_noise(self, covariance: Tensor, noise: Tensor) -> Tensor:
        # A copy: some kernels need the values that they returned for their gradient.
        covariance = covariance.clone()
        covariance.diagonal().add_(self._of_records(noise) + JITTER)
        return covariance

    def _of_records(self, noise: Tensor) -> Tensor:
        """Noise variances of the records, of shape ``N``."""
        # Of an answer the judge's noise is its own, once more in every answer.
        return self._records.known_variance + noise * self._is_outcome

    def _are_in_order(self, utilities: Tensor) -> bool:
        """Whether no certain comparison is violated; rounding may close a gap for good."""
        gaps = self._relations.differences(utilities)
        return bool((gaps[self._relations.is_strict] > 0.0).all())
