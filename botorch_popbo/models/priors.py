"""The default prior: kernel, noise, the correlation of tasks, and how distances are believed."""

import math
from typing import Any

import torch
from botorch.exceptions import UnsupportedError
from botorch.models.likelihoods.pairwise import PairwiseLogitLikelihood, PairwiseProbitLikelihood
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel, MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood, Likelihood
from gpytorch.module import Module
from gpytorch.priors import LogNormalPrior, NormalPrior
from torch import Tensor
from torch.nn import Parameter

from botorch_popbo.likelihoods import sites
from botorch_popbo.likelihoods.propagation import Distances
from botorch_popbo.models.kernels import RoughMaternKernel, register_raw
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings

#: Variances of a utility's noise in likelihoods of answers: that of a difference is twice as large.
ANSWER_NOISES = {PairwiseProbitLikelihood: 1.0, PairwiseLogitLikelihood: math.pi**2 / 6.0}


def default_kernel(
    dim: int | None,
    scale: float = 1.0,
    is_categorical: bool = False,
    settings: ModelSettings = ModelSettings(),  # noqa: B008  # frozen
) -> MaternKernel:
    """Matérn 5/2 of unit variance with a lengthscale for each column.

    Args:
        dim: Number of columns of an encoded point; None for one lengthscale of all.
        scale: Factor of the lengthscales' prior.
        is_categorical: Whether all columns are one-hot.
        settings: Priors and limits.

    Returns:
        The kernel.
    """
    loc = math.log(scale * settings.lengthscale * math.sqrt(dim or 1))
    # From a hundredth of a side to what is flat.
    lengthscale: dict[str, Any] = {
        "ard_num_dims": dim,
        "lengthscale_prior": _log_normal(loc, settings.lengthscale_deviation),
        "lengthscale_constraint": _interval(-4.6, 6.0, loc),
    }
    # No two points of a table of categories are close, which alone tells what is rough, and
    # one-hot columns have far more angles than there are records.
    if is_categorical:
        return MaternKernel(nu=2.5, **lengthscale)
    return RoughMaternKernel(
        roughness_prior=_normal(*settings.roughness),
        fineness_prior=_normal(*settings.fineness),
        max_turned=settings.num_conditioned,  # cost is cubic in it
        **lengthscale,
    )


def scaled(kernel: Kernel, settings: ModelSettings) -> ScaleKernel:
    """The kernel in units of a noise of variance one, with the prior of :func:`default_likelihood`.

    Args:
        kernel: A kernel of unit variance.
        settings: Priors and limits.

    Returns:
        The scaled kernel.
    """
    loc, deviation = settings.judge_noise
    scale, limits = _log_normal(-loc, deviation), _interval(-0.7, 9.2, -loc)
    return ScaleKernel(kernel, outputscale_prior=scale, outputscale_constraint=limits)


def default_likelihood(settings: ModelSettings, judged: bool = False) -> GaussianLikelihood:
    """The noise of a utility, in units of the prior variance.

    Args:
        settings: Priors and limits.
        judged: Whether it is that of a judge's answers, not of outcomes.

    Returns:
        The likelihood.
    """
    if judged:
        return _likelihood(settings.judge_noise, (-9.2, 0.7))
    # An order does not say how much better the best are. Where most of the domain is flat, noise
    # alone would explain it, and the search would leave the few good points.
    return _likelihood(settings.noise, (-13.8, -3.5))


def rank_likelihood(noise: Tensor, settings: ModelSettings) -> GaussianLikelihood:
    """The noise of a utility as far as predicted ranks are concerned.

    Args:
        noise: Its variance, a scalar tensor.
        settings: Priors and limits.

    Returns:
        The likelihood.
    """
    likelihood = _likelihood(settings.rank_noise, (-13.8, 1.0)).to(noise)
    likelihood.noise = noise.clamp_min(2e-6)  # within the limits in single precision, too
    return likelihood


def noise_of(likelihood: Likelihood) -> Tensor:
    """The variance of a utility's noise, a scalar tensor."""
    fixed = ANSWER_NOISES.get(type(likelihood))
    return likelihood.noise.squeeze() if fixed is None else torch.tensor(fixed, dtype=torch.double)


def site_of(likelihood: Likelihood) -> sites.Site:
    """What an answer does to the law of a difference, given its noise."""
    return sites.logit if isinstance(likelihood, PairwiseLogitLikelihood) else sites.truncate


def check_prior(kernel: Kernel | None, likelihood: Likelihood | None, is_judged: bool) -> None:
    """Refuse what has not one covariance and one noise variance.

    Args:
        kernel: The kernel, if there is one.
        likelihood: The noise, if there is one.
        is_judged: Whether it is that of answers alone.

    Raises:
        UnsupportedError: If it is so.
    """
    if kernel is not None and kernel.batch_shape:
        raise UnsupportedError(
            f"covar_module has the batch shape {tuple(kernel.batch_shape)}. Leave it out."
        )
    of_answers = is_judged and type(likelihood) in ANSWER_NOISES
    is_one = isinstance(likelihood, GaussianLikelihood) and likelihood.noise.numel() == 1
    if likelihood is not None and not (is_one or of_answers):
        raise UnsupportedError(
            f"{type(likelihood).__name__} is not a GaussianLikelihood of one variance. Pass one, "
            "or leave it out; known variances of outcomes are train_Yvar. For answers alone, "
            "PairwiseProbitLikelihood and PairwiseLogitLikelihood work, too."
        )


class TaskCorrelation(Module):
    r"""How the utilities of a target and its sources are correlated.

    With one loading :math:`a_t \in (0, 1)` for each task the utilities are those of a one-factor
    model, :math:`z_t = a_t c + \sqrt{1 - a_t^2}\, \delta_t`, where :math:`c` and :math:`\delta_t`
    have the kernel of the target. The correlation of two tasks is :math:`a_s a_t`, and every choice
    of loadings is a covariance. The target has a loading, too: were it the factor itself, many
    sources that agree with each other would leave nothing of its own to be found. The intrinsic
    model of coregionalization (Bonilla et al., 2007) has one number for each pair instead, and
    signs.

    Args:
        num_sources: Number of sources ``S``.
        settings: Prior and limits of the logits of the loadings.
    """

    raw_loading: Parameter

    def __init__(self, num_sources: int, settings: ModelSettings) -> None:
        super().__init__()
        laws = [settings.target_loading] + num_sources * [settings.source_loading]
        loc, deviation = torch.tensor(laws, dtype=torch.double).T
        # A loading is at most 0.9997.
        register_raw(self, "loading", (-8.0, 8.0), NormalPrior(loc, deviation))

    @property
    def matrix(self) -> Tensor:
        """Correlations, the target's first, ``(S + 1) x (S + 1)``."""
        loading = self.raw_loading.sigmoid()
        # What is a task's own makes its variance one, and is shared with no other.
        return torch.outer(loading, loading).fill_diagonal_(1.0)


class Warp(Module):
    r"""A monotone function from outcomes to utilities.

    The utilities of neighbours in a ranking are apart by :math:`d = g\, e^{-w}\, \gamma`, where
    :math:`g` is the gap of their outcomes, :math:`w` a polynomial of their place and :math:`\gamma`
    a gamma variable of mean one and shape ``concentration``. Where that is small the order alone
    counts; where it is large this is a Gaussian process of warped outcomes.

    Args:
        settings: Priors and limits.
    """

    raw_slope: Parameter
    raw_concentration: Parameter

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self._log_gap_limits = settings.log_gap_limits
        # The log-slope of outcomes over utilities: of all of it, where the gaps of a normal sample
        # are one, what it grows by in a deviation of the utility, and its curvature.
        loc, scale = torch.tensor([[0.7, 0.0, 0.0], [1.0, 1.0, 0.3]], dtype=torch.double)
        register_raw(self, "slope", (-8.0, 8.0), NormalPrior(loc, scale))
        # From distances that say nothing to those that are right within a hundredth.
        register_raw(self, "concentration", (-6.0, 9.2), _normal(*settings.concentration))

    def measured(self, records: Records) -> tuple[Tensor, Tensor] | None:
        """The gaps of neighbouring outcomes, and where in the ranking they are.

        Returns:
            Logarithms of the gaps of the statements, of shape ``M`` and NaN where none was
            measured, or one of the pair does not lead its level; and Hermite polynomials of the
            place, a normal score, ``M x 3``. ``None`` if none was measured at all.
        """
        statements, leads = records.statements, torch.zeros_like(records.is_judged)
        leads[records.places.rows] = True
        gap = statements.differences(records.outcome)
        log_gap, (least, largest) = gap.log(), self._log_gap_limits  # NaN of what is no gap
        is_known = (log_gap > least) & (log_gap < largest)
        is_known &= statements.is_strict & leads[statements.better] & leads[statements.worse]
        if not bool(is_known.any()):
            return None
        place = 0.5 * (records.start[statements.better] + records.start[statements.worse])
        basis = torch.stack([torch.ones_like(place), place, place.square() - 1.0], dim=-1)
        return log_gap.where(is_known, torch.nan), basis

    @property
    def inferred(self) -> str:
        """How far distances are believed, in words."""
        error = math.expm1(math.exp(-0.5 * float(self.raw_concentration)))
        # A factor of two or more says little beyond the order.
        if error > 1.0:
            return "The data do not support using differences between values"
        return f"Differences between values are trusted to within {error:.0%}"

    @property
    def concentration(self) -> Tensor:
        """How far distances are believed, a scalar tensor."""
        return self.raw_concentration.exp().squeeze()

    def distances(self, log_gap: Tensor, basis: Tensor) -> Distances:
        """What the gaps of outcomes, as :meth:`measured`, say of those of utilities."""
        return Distances(log_gap - basis @ self.raw_slope.to(basis), self.concentration)


def _likelihood(prior: tuple[float, float], limits: tuple[float, float]) -> GaussianLikelihood:
    constraint = _interval(*limits, prior[0])
    return GaussianLikelihood(noise_prior=_log_normal(*prior), noise_constraint=constraint)


# Priors are double precision from the start: torch's default dtype is no part of a model.
def _normal(loc: float, scale: float) -> NormalPrior:
    return NormalPrior(*torch.tensor([loc, scale], dtype=torch.double))


def _log_normal(loc: float, scale: float) -> LogNormalPrior:
    return LogNormalPrior(*torch.tensor([loc, scale], dtype=torch.double))


def _interval(log_lower: float, log_upper: float, log_initial: float) -> Interval:
    # Logarithms in single precision, and their exponentials in double: these are exact inverses,
    # which the bounds that Interval rounds to torch's default dtype are not.
    logs = torch.tensor([log_lower, log_upper], dtype=torch.float32).tolist()
    bounds = torch.tensor([math.exp(value) for value in logs], dtype=torch.double)
    initial = float(torch.tensor(math.exp(log_initial), dtype=torch.float32))
    interval = Interval(*bounds, transform=None, initial_value=initial)
    interval.lower_bound, interval.upper_bound = bounds
    return interval
