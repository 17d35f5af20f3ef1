"""Hyperparameters that maximize the posterior density given what is said of the records."""

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

from botorch_popbo._once_differentiable import once_differentiable
from botorch_popbo.likelihoods.propagation import (
    JITTER,
    TOLERANCE,
    Distances,
    Posterior,
    Sites,
    propagate,
)
from botorch_popbo.models import priors
from botorch_popbo.models.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings

Array = npt.NDArray[np.float64]


class _HopelessError(Exception):
    """A search that is not going to reach what it has to."""


class _LogEvidence(torch.autograd.Function):
    """The evidence as a function of what the likelihood knows of the hyperparameters.

    Where sites have settled it does not change with them ("The evidence" in docs/derivations.md),
    so that its slopes are known.
    """

    @staticmethod
    def forward(ctx: Any, value: Tensor, slopes: Sequence[Tensor], *_: Tensor) -> Tensor:
        ctx.slopes = slopes
        return value.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_value: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *(by_value * slope for slope in ctx.slopes)


@dataclass(frozen=True)
class Sample:
    """Records with their points, and what is fitted to them.

    Attributes:
        X: Points of the records, encoded unless the modules do it, ``N x d``, in double precision.
        records: Their order.
        hyperparameters: What to fit, from its current values.
        settings: How.
    """

    X: Tensor
    records: Records
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
    """Records conditioned on what is said of them.

    Attributes:
        coordinates: The hyperparameters, of shape ``p``.
        noise: The noise variance, a scalar tensor.
        record_noise: The noise variance and what the order leaves open of each record, ``N``.
        covariance: The prior covariance of the records with their noise, ``N x N``.
        posterior: Their utilities.
        source: Which source each record is from, and 0 for the target; of shape ``N``.
    """

    coordinates: Tensor
    noise: Tensor
    record_noise: Tensor
    covariance: Tensor
    posterior: Posterior
    source: Tensor


class Evidence:
    """The probability of what is said as a function of the hyperparameters.

    Args:
        sample: The ``N`` records, and their hyperparameters.
    """

    def __init__(self, sample: Sample) -> None:
        self._X, self._records = sample.X, sample.records
        self.statements = self._records.statements
        self.hyperparameters, self.settings = sample.hyperparameters, sample.settings
        self._is_outcome = (~self._records.is_judged).to(self._X)
        warp = self.hyperparameters.modules.warp
        self._gaps = None if warp is None else warp.measured(self._records)

    def condition(self, coordinates: Tensor, start: Sites | None = None) -> Conditioned:
        """Condition on the statements at given hyperparameters.

        Args:
            coordinates: The hyperparameters, of shape ``p``.
            start: Sites to start from.

        Returns:
            The conditioned records.
        """
        with torch.no_grad():
            laws = self._laws(self.hyperparameters.assign(coordinates))
            return self._condition(coordinates, laws, start, TOLERANCE)

    def value_and_gradient(
        self, coordinates: Tensor, start: Sites | None = None, tolerance: float = TOLERANCE
    ) -> tuple[Conditioned, float, Tensor]:
        """The same, with the posterior density that a fit maximizes.

        Args:
            coordinates: The hyperparameters, of shape ``p``.
            start: Sites to start from.
            tolerance: How exactly, see :func:`~botorch_popbo.likelihoods.propagation.propagate`.

        Returns:
            The conditioned records, the logarithm of evidence times prior density, and its gradient
            by the coordinates, of shape ``p``.
        """
        modules = self.hyperparameters.assign(coordinates)
        with torch.enable_grad():
            conditioned, log_evidence = self.of_modules(modules, coordinates, start, tolerance)
        gradient = self.hyperparameters.gradient(log_evidence)
        log_prior, by_prior = self.hyperparameters.log_prior(coordinates)
        value = float(conditioned.posterior.log_evidence + log_prior)
        return conditioned, value, gradient + by_prior

    def of_modules(
        self, modules: Modules, at: Tensor, start: Sites | None = None, tolerance: float = TOLERANCE
    ) -> tuple[Conditioned, Tensor]:
        """Evidence alone, at what modules are set to, with a graph to their parameters.

        Args:
            modules: What has the hyperparameters.
            at: These, of shape ``p``.
            start: Sites to start from.
            tolerance: As above.

        Returns:
            The conditioned records, and the logarithm of the evidence, a scalar tensor.
        """
        laws = self._laws(modules)
        with torch.no_grad():
            known = [values.detach() for values in laws]
            conditioned = self._condition(at, known, start, tolerance)
            posterior = conditioned.posterior
            slope = posterior.by_covariance()
            # The noise of outcomes is on the diagonal, and that of answers in their sites.
            by_noise = slope.diagonal() @ self._is_outcome + posterior.by_log_noise / known[1]
        slopes = (slope, by_noise, posterior.weights, *posterior.by_distances)
        return conditioned, _LogEvidence.apply(posterior.log_evidence, slopes, *laws)

    def maximize(self, start: Tensor, least: float = -math.inf) -> tuple[Conditioned, float]:
        """Fit the hyperparameters by L-BFGS-B with exact gradients.

        Args:
            start: Hyperparameters to start from, of shape ``p``.
            least: The search ends where it is not going to reach this value.

        Returns:
            The records conditioned where evidence times prior density is largest, and its
            logarithm.
        """
        best: Conditioned | None = None
        best_value, near, settings = -math.inf, None, self.settings
        # The first step of L-BFGS has length one in what it is given, and evidence is steep.
        unit = 0.1
        # While hyperparameters are sought the evidence need not be right beyond 1e-2.
        roughly = 20.0 * settings.least_gain

        def loss(steps: Array) -> tuple[Array, Array]:
            nonlocal best, best_value, near
            coordinates = start.new_tensor(steps[0]) * unit
            conditioned, value, gradient = self.value_and_gradient(coordinates, near, roughly)
            near = conditioned.posterior.sites  # the next ones are not far
            # The last point of a line search need not be its best one.
            if value > best_value:
                best, best_value = conditioned, value
            # More than so much is not to be gained where the curvature is at least the prior's.
            if value + 0.5 * float(gradient @ gradient) < least:
                raise _HopelessError
            return np.array([-value]), (gradient * -unit).unsqueeze(0).cpu().numpy()

        if not len(start):  # every parameter stays as it is
            return self.value_and_gradient(start, None, roughly)[:2]
        options: dict[str, float | None] = {
            "maxiter": settings.max_iterations,
            "factr": None,
            "ftol": settings.least_gain / len(start),
            # By default half a nat per deviation of the prior.
            "pgtol": 100.0 * settings.least_gain * unit,
        }
        with suppress(_HopelessError):
            bounds = self.hyperparameters.limits.T / unit
            origin = start.unsqueeze(0) / unit
            fmin_l_bfgs_b_batched(loss, origin.cpu().numpy(), bounds.tolist(), **options)
        assert best is not None
        return best, best_value

    def _laws(self, modules: Modules) -> Sequence[Tensor]:
        """Prior covariance and mean of the records, noise, and expected distances, if any.

        All that the likelihood knows of the hyperparameters.
        """
        X = modules.encode(self._X)
        laws = modules.covariance(X, self._records.source), modules.noise, modules.trend(X)
        if self._gaps is None or modules.warp is None:
            return laws
        return *laws, *modules.warp.distances(*self._gaps)

    def _condition(
        self, coordinates: Tensor, laws: Sequence[Tensor], start: Sites | None, tolerance: float
    ) -> Conditioned:
        covariance, noise, mean, *distances = laws
        record_noise = self._records.known_variance + noise * self._is_outcome
        # A copy: some kernels need the values that they returned for their gradient.
        covariance = covariance.clone()
        covariance.diagonal().add_(record_noise + JITTER)
        of_pair, tie = 2.0 * noise, self.settings.tie**2  # both points of a question are noisy
        gaps = Distances(*distances) if distances else None
        answer = priors.site_of(self.hyperparameters.modules.likelihood)
        posterior = propagate(
            covariance, self.statements, of_pair, tie, gaps, start, tolerance, mean, answer
        )
        source = self._records.source
        return Conditioned(coordinates, noise, record_noise, covariance, posterior, source)
