"""Ranks at hyperparameters that the order leaves plausible, not only at the best ones.

A search needs one prediction, and fast. Ranks that a user reads have to be as uncertain as they
are, and with few records most of that is the uncertainty of lengthscales and noise. So the evidence
is maximised once more, with a prior of the noise that does not serve a search, and around its
maximum hyperparameters are drawn from the normal law of the same curvature.
"""

import torch
from torch import Tensor
from torch.quasirandom import SobolEngine

from botorch_popbo.models._fit.evidence import Evidence, Sample
from botorch_popbo.models._fit.outliers import fit_without
from botorch_popbo.models._observations.subset import subset_of
from botorch_popbo.models._predict.ranks import RankPredictor


def plausible_ranks(sample: Sample, index: Tensor, is_used: Tensor) -> list[RankPredictor]:
    """Predictions whose average is that of a rank.

    Args:
        sample: All records, with hyperparameters whose current values are near the best ones.
        index: Indices of those that stand for all, of shape ``n``.
        is_used: Which of these the model has not set aside as outliers, of shape ``n``.

    Returns:
        The predictions, all equally plausible.
    """
    known, settings = sample.subset(index), sample.settings
    chosen = subset_of(known.records, settings.num_fitted)
    fitted = known.subset(chosen)
    fit = fit_without(fitted)
    is_left = torch.ones_like(is_used)
    if not bool(is_used[chosen].all()):
        robust = fit_without(fitted, is_used[chosen])
        if robust.total > fit.total + settings.strong_evidence:
            fit, is_left = robust, is_used
    drawn = _draw(Evidence(fitted.subset(fit.is_used)), fit.conditioned.coordinates)
    return [RankPredictor(each, sample, index[is_left]) for each in drawn]


def _draw(evidence: Evidence, centre: Tensor) -> Tensor:
    """Hyperparameters from Laplace's approximation, quasi-random and always the same, ``n x p``."""
    if not len(centre):  # nothing is left to be uncertain of
        return centre.unsqueeze(0)
    limits, settings = evidence.hyperparameters.limits, evidence.settings
    curvature, directions = torch.linalg.eigh(_curvature(evidence, centre))
    engine = SobolEngine(len(centre), scramble=True, seed=0)
    # In double precision the engine would round its first point to torch's default dtype.
    uniform = engine.draw(settings.num_draws, dtype=torch.float32).to(centre)
    normal = torch.special.ndtri(uniform.clamp(1e-6, 1.0 - 1e-6))  # at 0 and 1 it is infinite
    deviation = settings.widening * curvature.clamp_min(settings.least_curvature).rsqrt()
    # The symmetric root, as the signs of eigenvectors turn on last digits.
    steps = normal @ (directions * deviation) @ directions.T
    return (centre + steps).clamp(*limits)


def _curvature(evidence: Evidence, centre: Tensor) -> Tensor:
    """Minus the second derivative of evidence times prior, from differences of gradients."""
    limits, settings = evidence.hyperparameters.limits, evidence.settings
    unit = torch.eye(len(centre)).to(centre)
    curvature = settings.least_curvature * unit
    for i, step in enumerate(settings.curvature_step * unit):
        ahead, behind = ((centre + sign * step).clamp(*limits) for sign in (1.0, -1.0))
        if bool(ahead[i] > behind[i]):  # otherwise the limits leave no room
            first, second = (evidence.value_and_gradient(at)[2] for at in (behind, ahead))
            curvature[i] = (first - second) / (ahead[i] - behind[i])
    # Of differences the matrix is symmetric up to their error only.
    return 0.5 * (curvature + curvature.T)
