"""Hyperparameters that maximise the posterior density given the observed order."""

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched
from torch import Tensor

from botorch_popbo.likelihoods.order import TOLERANCE, OrderedUtilities, order_utilities
from botorch_popbo.likelihoods.relations import Relations
from botorch_popbo.likelihoods.weights import stand_alone, weighted
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._hyperparameters.covariance import Covariance, CovarianceFunction
from botorch_popbo.models._records.records import Records

# Looser than the uncertainty of the hyperparameters by far.
_OPTIONS: dict[str, Any] = {"maxiter": 40, "factr": None, "ftol": 1e-4, "pgtol": 1e-1}
# L-BFGS-B's first step, in deviations of the prior: a whole one is too far from where it starts.
_FIRST_STEP = 0.25
# The search needs the evidence to some 1e-6 nats, which are left where a mode is found to this.
_SEARCH_TOLERANCE = 1e-4
Array = npt.NDArray[np.float64]


class _HopelessError(Exception):
    """A search that is not going to reach what it has to."""


@dataclass(frozen=True)
class Conditioned:
    """Records conditioned on their order.

    Attributes:
        theta: The hyperparameters, of shape ``p + 1``.
        noise: The noise variance, a scalar tensor.
        record_noise: The noise variance and what the order leaves open of each record, ``N``.
        covariance: The prior covariance of the records with their noise.
        utilities: Their utilities.
        correlation: Correlations of the tasks' utilities, the target's first.
        source: Which source each record is from, and 0 for the target; of shape ``N``.
    """

    theta: Tensor
    noise: Tensor
    record_noise: Tensor
    covariance: Covariance
    utilities: OrderedUtilities
    correlation: Tensor
    source: Tensor


class Evidence:
    """The probability of an order as a function of the hyperparameters.

    Args:
        X: Encoded records, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: The hyperparameters.
        relations: The order with weights that were found before; by default those that follow from
            the hyperparameters' current values.
    """

    def __init__(
        self,
        X: Tensor,
        records: Records,
        hyperparameters: Hyperparameters,
        relations: Relations | None = None,
    ) -> None:
        self.records = records
        self.hyperparameters = hyperparameters
        self.function: CovarianceFunction = hyperparameters.covariance_function(X, records.source)
        self._is_outcome = ~records.is_judged
        self.relations = records.relations if relations is None else relations
        # Weights are found once, so that what is maximised stays the same.
        if relations is None and not stand_alone(self.relations):
            theta = hyperparameters.current()
            noise = self._of_records(hyperparameters.noise(theta)[0])
            prior = self.function.covariance(theta[:-1], noise)
            self.relations = weighted(self.relations, prior.matrix)

    def condition(
        self, theta: Tensor, start: Tensor | None = None, tolerance: float = TOLERANCE
    ) -> Conditioned:
        """Condition on the order at given hyperparameters.

        Args:
            theta: The hyperparameters, of shape ``p + 1``.
            start: Utilities in order to start from, ``N``; by default the records' guess.
            tolerance: How exactly, see :func:`~botorch_popbo.likelihoods.order.order_utilities`.

        Returns:
            The conditioned records.
        """
        noise, _ = self.hyperparameters.noise(theta)
        records = self.records
        record_noise = self._of_records(noise)
        covariance = self.function.covariance(theta[:-1], record_noise)
        start = records.start if start is None else start
        utilities = order_utilities(
            covariance.matrix, self.relations, start, 2.0 * noise, tolerance
        )
        correlation = self.hyperparameters.correlation(theta)
        return Conditioned(
            theta, noise, record_noise, covariance, utilities, correlation, records.source
        )

    def _of_records(self, noise: Tensor) -> Tensor:
        """Noise variances of the records, of shape ``N``."""
        # Of an answer the judge's noise is its own, once more in every answer.
        return self.records.known_variance + noise * self._is_outcome

    def gradient(self, conditioned: Conditioned) -> Tensor:
        """Derivative of the log-evidence with respect to the hyperparameters.

        Args:
            conditioned: The records, conditioned on their order.

        Returns:
            A tensor of shape ``p + 1``.
        """
        theta, utilities = conditioned.theta, conditioned.utilities
        slope = utilities.gradient()
        noise, change = self.hyperparameters.noise(theta)
        by_noise = slope.diagonal() @ self._is_outcome.to(slope)
        by_noise = (by_noise + utilities.by_log_noise / noise) * change
        by_kernel = self.function.gradient(slope, conditioned.covariance, theta[:-1])
        return torch.cat([by_kernel, by_noise.reshape(1)])

    def maximize(
        self, start: Tensor, least: float = -math.inf, near: Tensor | None = None
    ) -> tuple[Conditioned, float]:
        """Fit the hyperparameters by L-BFGS-B with exact gradients.

        Args:
            start: Hyperparameters to start from, of shape ``p + 1``.
            least: The search ends where it is not going to reach this value.
            near: Utilities that are not far from the mode, ``N``. Used only if they are in order.

        Returns:
            The records conditioned where evidence times prior density is largest, and its
            logarithm.
        """
        search = self.hyperparameters
        best: Conditioned | None = None
        best_value = -math.inf
        if near is None or not self._are_in_order(near):
            near = self.records.start

        def loss(steps: Array) -> tuple[Array, Array]:
            nonlocal best, best_value, near
            standardized = start.new_tensor(steps[0]) * _FIRST_STEP
            conditioned = self.condition(search.restore(standardized), near, _SEARCH_TOLERANCE)
            utilities = conditioned.utilities
            if self._are_in_order(utilities.utilities):
                near = utilities.utilities  # the next mode is not far
            log_prior, by_prior = search.log_prior(standardized)
            value = float(utilities.log_likelihood + log_prior)
            if value > best_value:
                best, best_value = conditioned, value
            gradient = self.gradient(conditioned) * search.scale + by_prior
            # More than so much is not to be gained where the curvature is at least the prior's.
            if value + 0.5 * float(gradient @ gradient) < least:
                raise _HopelessError
            slopes = (gradient * -_FIRST_STEP).unsqueeze(0).cpu().numpy()
            return np.array([-value]), slopes

        with suppress(_HopelessError):
            bounds = search.standardize(search.limits.T).T / _FIRST_STEP
            origin = search.standardize(start).unsqueeze(0) / _FIRST_STEP
            fmin_l_bfgs_b_batched(loss, origin.cpu().numpy(), bounds.tolist(), **_OPTIONS)
        assert best is not None
        return best, best_value

    def _are_in_order(self, utilities: Tensor) -> bool:
        """Whether no certain relation is violated; rounding may close a gap for good."""
        gaps = self.relations.differences(utilities)
        if self.relations.has_answers:
            gaps = gaps[~self.relations.is_answer]
        return bool((gaps > 0.0).all())
