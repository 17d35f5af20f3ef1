"""A rate with epistemic uncertainty: a Gaussian process conditioned on an order."""

import math
from typing import Any

import torch
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import MaternKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.priors import LogNormalPrior
from torch import Tensor
from torch.nn import Module

from botorch_popbo.posteriors.gaussian_rank import GaussianRankPosterior
from botorch_popbo.posteriors.ladder import Ladder
from botorch_popbo.rates.covariance import PairwiseDistances, default_lengthscale
from botorch_popbo.rates.differences import Differences
from botorch_popbo.rates.evidence import (
    LOG_LENGTHSCALE,
    LOG_NOISE,
    Conditioned,
    LogNormal,
    condition,
)
from botorch_popbo.rates.prediction import Predictor
from botorch_popbo.rates.ranking import Ranking
from botorch_popbo.rates.robust_evidence import RobustFit, fit_robustly, plausible_records

_LENGTHSCALE_DEVIATION = 0.7
_NOISE_PRIOR = (-6.0, 2.0)

# Hyperparameters are fitted to so many records, and the law is conditioned on so many.
_NUM_FITTED = 250
_NUM_CONDITIONED = 500


class GaussianProcessRate(Module):
    r"""A Gaussian process prior on a utility :math:`z`, with which the log-rate falls.

    The observed ranks say which of two utilities is larger, up to noise, and nothing else. Their
    likelihood (:mod:`botorch_popbo.likelihoods.order`) gives both the utilities of the records, on
    the scale on which they look most like a draw of the prior, and the evidence by which
    lengthscales and noise variance are chosen. Given those utilities the process is exact, with
    closed-form predictions; the link from utility to log-rate is the ladder of the records' own
    utilities and ranks.

    Records that no smooth surface explains may be outliers, whose rank is uniform
    (:mod:`botorch_popbo.rates.contamination`).

    The cost of a fit is cubic in the number of records up to a limit. Beyond it the best half of
    that limit and as many others, evenly spaced in rank, stand for all.

    Args:
        X: Encoded points, an ``m x d'`` tensor.
        counts: Numbers of better points, of shape ``m``.
        exposure: Numbers of points compared with, of shape ``m``.
        num_points: Number of evaluated points that a new point is ranked among.

    Attributes:
        X: Encoded points of the records that stand for all, an ``M x d'`` tensor.
        records: Their positions among all records, of shape ``M``.
        is_used: Which of them are no outliers, of shape ``M``.
    """

    #: Distance, in the unit cube and per root of the dimension, within which a point is known.
    known_radius = 1e-5

    X: Tensor
    records: Tensor
    is_used: Tensor

    def __init__(self, X: Tensor, counts: Tensor, exposure: Tensor, num_points: int) -> None:
        super().__init__()
        dim = X.shape[-1]
        ranking = Ranking.from_counts(counts, exposure, num_points)
        chosen = _representatives(ranking.better, _NUM_CONDITIONED)
        self._ranking = ranking.subset(chosen)
        everything = torch.ones(len(chosen), dtype=torch.bool, device=X.device)
        self.register_buffer("X", X[chosen], persistent=False)
        self.register_buffer("records", chosen, persistent=False)
        self.register_buffer("is_used", everything, persistent=False)
        loc = math.log(default_lengthscale(dim))
        self.kernel = MaternKernel(
            nu=2.5,
            ard_num_dims=dim,
            lengthscale_prior=LogNormalPrior(loc, _LENGTHSCALE_DEVIATION),
            lengthscale_constraint=GreaterThan(
                math.exp(LOG_LENGTHSCALE[0]), transform=None, initial_value=math.exp(loc)
            ),
        )
        self.likelihood = GaussianLikelihood(
            noise_prior=LogNormalPrior(*_NOISE_PRIOR),
            noise_constraint=GreaterThan(
                math.exp(LOG_NOISE[0]), transform=None, initial_value=math.exp(_NOISE_PRIOR[0])
            ),
        )
        self.to(X)
        self._prepared: tuple[Tensor, Predictor, Ladder] | None = None
        self._relative: tuple[Predictor, Tensor, Differences] | None = None

    def __repr__(self) -> str:
        """The hyperparameters, and how many records there are and were set aside as outliers."""
        lengthscales = ", ".join(f"{x:.3g}" for x in self.kernel.lengthscale.flatten().tolist())
        aside = int((~self.is_used).sum())
        return (
            f"{type(self).__name__}(lengthscales=[{lengthscales}], "
            f"noise={self.likelihood.noise.item():.3g}, {len(self.X)} records, {aside} set aside)"
        )

    def move(self, X: Tensor) -> None:
        """Replace the encoded points of the records, where the encoding changed.

        Args:
            X: Encoded points, an ``m x d'`` tensor.
        """
        self.X = X[self.records]
        self._prepared = None

    @property
    def ranking(self) -> Ranking:
        """The order of the records."""
        return self._ranking.to(self.X.device)

    @property
    def noise(self) -> Tensor:
        """Variance of a utility's noise, in units of the prior variance; a scalar tensor."""
        noise: Tensor = self.likelihood.noise
        return noise.squeeze()

    def fit(self) -> None:
        """Maximise the evidence of the order, starting from the current hyperparameters."""
        X = self.X.double()
        chosen = _representatives(self.ranking.better, _NUM_FITTED)
        prior = _prior(X)
        with torch.no_grad():
            start = self._log_theta()
            fit = fit_robustly(X[chosen], self.ranking.subset(chosen), prior, start)
            log_theta = fit.conditioned.log_theta
            self.kernel.lengthscale = log_theta[:-1].exp()
            self.likelihood.noise = log_theta[-1].exp()
            self.is_used = self._without_outliers(X, chosen, fit)
        # What was prepared by the search depends on its path in the last digits.
        self._prepared = None

    def log_likelihood(self) -> Tensor:
        """Log-evidence of the order at the current hyperparameters, a scalar in nats."""
        return self._condition(self.is_used, self._log_theta()).utilities.log_likelihood

    def rank_posterior(self, X: Tensor, observation_noise: bool = False) -> GaussianRankPosterior:
        """The law of each point's rank among all evaluated points.

        Args:
            X: Encoded points, a ``batch_shape x q x d'`` tensor.
            observation_noise: Whether the rank is that of a noisy outcome at the point.

        Returns:
            A posterior over counts of shape ``batch_shape x q x 1``, differentiable in ``X``.
        """
        predictor, ladder = self._predictor()
        noise = self.noise.detach() if observation_noise else torch.zeros_like(self.noise)
        mean, variance = predictor.moments(X.double())
        return GaussianRankPosterior(
            mean.to(X),
            (variance + noise).to(X),
            ladder.to(X),
            lambda: predictor.joint(X.double(), noise.double()),
        )

    def utility_moments(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of utilities without noise.

        Args:
            X: Encoded points, ``batch_shape x d'``.

        Returns:
            Two tensors of shape ``batch_shape``, larger being better.
        """
        mean, variance = self._predictor()[0].moments(X.double())
        return mean.to(X), variance.to(X)

    def incumbent(self, eligible: Tensor | None = None) -> Tensor:
        """The record to recommend: the best expected utility less one standard deviation.

        With noise the best rank belongs to a lucky outcome, and the best expected utility to a
        point that few others vouch for (Huang et al., 2006). What the order leaves open does not
        count: without noise the best rank is the best point.

        Args:
            eligible: Which records may be recommended, a boolean tensor as long as :attr:`X`; by
                default all.

        Returns:
            The position of the record in :attr:`X`, a scalar tensor.
        """
        value = self._predictor()[0].pessimistic(self.X.double())
        return (value if eligible is None else value.where(eligible, -torch.inf)).argmax()

    def improvement_moments(self, X: Tensor, reference: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean and variance of how much better points are than a reference point.

        The reference's own uncertainty is part of it, and what both have in common is not.

        Args:
            X: Encoded points, ``batch_shape x d'``.
            reference: One encoded point, of shape ``d'``.

        Returns:
            Three tensors of shape ``batch_shape``; the last is the part of the variance of a
            point's own utility that more evaluations there would remove.
        """
        moments = self._differences(reference.double()).moments(X.double())
        mean, variance, own = (values.to(X) for values in moments)
        return mean, variance, own

    def adopt(self, other: "GaussianProcessRate") -> None:
        """Take over hyperparameters and outliers of a rate instead of fitting.

        Args:
            other: A rate whose records are the first ones of this rate.
        """
        self.load_state_dict(other.state_dict())
        outliers = other.records[~other.is_used]
        self.is_used = ~torch.isin(self.records, outliers)
        self._prepared = None

    def get_extra_state(self) -> Tensor:
        """Which records are used: part of the state, but as long as the data."""
        return self.is_used

    def set_extra_state(self, state: Any) -> None:
        """Take over which records are used, if the data are as long.

        Args:
            state: What :meth:`get_extra_state` returned.
        """
        if isinstance(state, Tensor) and state.shape == self.is_used.shape:
            self.is_used = state.to(self.is_used.device)
        self._prepared = None

    def _without_outliers(self, X: Tensor, chosen: Tensor, fit: RobustFit) -> Tensor:
        is_used = torch.ones(len(X), dtype=torch.bool, device=X.device)
        is_used[chosen] = fit.is_used
        if len(chosen) == len(X) or bool(fit.is_used.all()):
            return is_used
        every = RobustFit(self._condition(is_used, fit.conditioned.log_theta), is_used)
        return plausible_records(X, self.ranking, every, 0.0)

    def _log_theta(self) -> Tensor:
        values = torch.cat([self.kernel.lengthscale.reshape(-1), self.noise.reshape(1)])
        return values.detach().double().log()

    def _predictor(self) -> tuple[Predictor, Ladder]:
        """Condition on the order, unless that was done for the same hyperparameters."""
        log_theta = self._log_theta()
        known = self._prepared
        if known is None or known[0].device != self.X.device or not known[0].equal(log_theta):
            with torch.no_grad():
                self._prepared = known = (log_theta, *self._predict(log_theta))
        return known[1], known[2]

    def _differences(self, reference: Tensor) -> Differences:
        """Predictions relative to a reference, prepared unless they were for the same one."""
        predictor = self._predictor()[0]
        known = self._relative
        if known is None or known[0] is not predictor or not known[1].equal(reference):
            with torch.no_grad():
                known = (predictor, reference, Differences.from_predictor(predictor, reference))
            self._relative = known
        return known[2]

    def _part(self, is_used: Tensor) -> tuple[Tensor, Ranking]:
        """Some of the records, in double precision, and the ranking among them."""
        used = is_used.nonzero().squeeze(-1)
        return self.X.double()[used], self.ranking.subset(used)

    def _condition(self, is_used: Tensor, log_theta: Tensor) -> Conditioned:
        X, ranking = self._part(is_used)
        return condition(PairwiseDistances(X), ranking, log_theta)

    def _predict(self, log_theta: Tensor) -> tuple[Predictor, Ladder]:
        X, ranking = self._part(self.is_used)
        conditioned = condition(PairwiseDistances(X), ranking, log_theta)
        predictor = Predictor.from_fit(X, conditioned)
        levels = conditioned.utilities.levels
        better = torch.zeros_like(levels)
        better[ranking.level] = ranking.better  # records of one level are equally good
        return predictor, Ladder.from_ranks(levels, better, ranking.num_points)


def _prior(X: Tensor) -> LogNormal:
    dim = X.shape[-1]
    loc = X.new_full((dim + 1,), math.log(default_lengthscale(dim)))
    scale = X.new_full((dim + 1,), _LENGTHSCALE_DEVIATION)
    loc[-1], scale[-1] = _NOISE_PRIOR
    return LogNormal(loc, scale)


def _representatives(better: Tensor, number: int) -> Tensor:
    """Indices of at most so many records: the best half, and others evenly spaced in rank."""
    order = better.argsort(stable=True)
    if len(order) <= number:
        return torch.arange(len(order), device=order.device)
    half = number // 2
    spaced = torch.linspace(half, len(order) - 1, number - half, device=order.device).long()
    chosen: Tensor = order[torch.cat([torch.arange(half, device=order.device), spaced])].sort()[0]
    return chosen
