"""Laws of the rank at hyperparameters that the order leaves plausible, not only at the best ones.

A search needs one law, and fast. A prediction has to be as uncertain as it is, and with few records
most of its uncertainty is that of lengthscales and noise. So the evidence is maximised once more,
with a prior of the noise that does not serve a search, and around its maximum hyperparameters are
drawn from the normal law of the same curvature.
"""

import torch
from torch import Tensor
from torch.quasirandom import SobolEngine

from botorch_popbo.models._fit.evidence import Evidence
from botorch_popbo.models._fit.plausible_records import log_outlier_probability
from botorch_popbo.models._hyperparameters.base import Hyperparameters
from botorch_popbo.models._law.law import condition_on_order
from botorch_popbo.models._law.rank_law import RankLaw
from botorch_popbo.models._records.records import Records
from botorch_popbo.models._records.representatives import NUM_FITTED, representatives

_NUM_LAWS = 8
_DIFFERENCE = 0.1  # between gradients whose slope is taken, in coordinates of the search
# A normal law at a maximum is narrower than what it stands for, and no prior is quite right.
_WIDER = 1.3
_LEAST_CURVATURE = 1.0  # in these coordinates that of the default prior
# What is set aside is the worst of many. By so many nats that has to improve the evidence.
_STRONG_EVIDENCE = 3.0


def plausible_laws(
    X: Tensor, records: Records, index: Tensor, is_used: Tensor, hyperparameters: Hyperparameters
) -> list[RankLaw]:
    """Laws of the rank whose average is the law of the rank.

    Args:
        X: Encoded points of ``n`` records that stand for all, ``n x d``, in double precision.
        records: All records.
        index: Indices of the ``n`` records, of shape ``n``.
        is_used: Which of these the model has not set aside as outliers, of shape ``n``.
        hyperparameters: Hyperparameters, whose current values are near the best ones.

    Returns:
        The laws, all equally plausible.
    """
    known = records.subset(index)
    fitted = representatives(known, NUM_FITTED)
    evidence, theta, value = _fit(X, known, fitted, hyperparameters)
    is_left = torch.ones_like(is_used)
    aside = ~is_used[fitted]
    if bool(aside.any()):
        robust = _fit(X, known, fitted[~aside], hyperparameters)
        penalty = float(log_outlier_probability(known.subset(fitted))[aside].sum())
        if robust[2] + penalty > value + _STRONG_EVIDENCE:
            (evidence, theta, _), is_left = robust, is_used
    return [
        condition_on_order(X[is_left], records, index[is_left], hyperparameters, drawn).ranks
        for drawn in _draw(evidence, theta)
    ]


def _fit(
    X: Tensor, records: Records, chosen: Tensor, hyperparameters: Hyperparameters
) -> tuple[Evidence, Tensor, float]:
    """The evidence of some records, where it is largest with the prior, and how large."""
    evidence = Evidence(X[chosen], records.subset(chosen), hyperparameters)
    conditioned, value = evidence.maximize(hyperparameters.current())
    return evidence, conditioned.theta, value


def _draw(evidence: Evidence, theta: Tensor) -> Tensor:
    """Hyperparameters from Laplace's approximation, quasi-random and always the same, ``8 x p``."""
    search = evidence.hyperparameters
    centre, limits = search.standardize(theta), search.standardize(search.limits.T)
    curvature, directions = torch.linalg.eigh(_curvature(evidence, centre, limits))
    engine = SobolEngine(len(theta), scramble=True, seed=0)
    # In double precision the engine would round its first point to torch's default dtype.
    uniform = engine.draw(_NUM_LAWS, dtype=torch.float32).to(theta)
    normal = torch.special.ndtri(uniform.clamp(1e-6, 1.0 - 1e-6))
    steps = _WIDER * normal * curvature.clamp_min(_LEAST_CURVATURE).rsqrt()
    drawn = (centre + steps @ directions.T).clamp(*limits)
    return search.restore(drawn)


def _curvature(evidence: Evidence, centre: Tensor, limits: Tensor) -> Tensor:
    """Minus the second derivative of evidence times prior, from differences of gradients."""
    unit = torch.eye(len(centre)).to(centre)
    curvature = _LEAST_CURVATURE * unit
    for i, step in enumerate(_DIFFERENCE * unit):
        ahead, behind = ((centre + sign * step).clamp(*limits) for sign in (1.0, -1.0))
        if bool(ahead[i] > behind[i]):  # otherwise it is no free parameter
            change = _gradient(evidence, behind) - _gradient(evidence, ahead)
            curvature[i] = change / (ahead[i] - behind[i])
    return 0.5 * (curvature + curvature.T)


def _gradient(evidence: Evidence, standardized: Tensor) -> Tensor:
    search = evidence.hyperparameters
    by_evidence = evidence.gradient(evidence.condition(search.restore(standardized)))
    return by_evidence * search.scale + search.log_prior(standardized)[1]
