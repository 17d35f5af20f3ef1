"""What is observed, the ranking that it should lead to, and how well another agrees with it.

Wang et al. (2023), figure 1 and appendix "Experimental Settings on Robustness Analysis": the same
15 observations for every model, and 100 points evenly spaced from 0 to 0.8. They do not say where
the observations are; here they are drawn uniformly from the same interval, or evenly spaced.
"""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata
from torch import Tensor

from botorch_popbo.benchmarks.problems._forrester import Forrester

_FUNCTION = Forrester()
_END = 0.8
_NUM_OBSERVATIONS = 15
_OUTLIER_SIZE = 10.0  # in ranges of the function, as in the problems with outliers

#: The points that are ranked, ``100 x 1``.
GRID = torch.linspace(0, _END, 100, dtype=torch.float64).unsqueeze(-1)

#: The function at these points, of shape ``100``; smaller is better.
TRUE_VALUES = _FUNCTION(GRID)

#: Where observations are: uniformly random, or evenly spaced with both ends.
DESIGNS = ("uniform", "even")

#: By kind of noise, how probable a gross error beside the normal one is.
NOISES: Mapping[str, float] = {"gaussian": 0.0, "outliers": 0.1}

#: The number of better points of each point.
Ranking = NDArray[np.int64]


def observe(design: str, noise: str, deviation: float, seed: int) -> tuple[Tensor, Tensor]:
    """Observe the function: points and outcomes, both ``15 x 1``; smaller outcomes are better.

    A seed gives the same points and the same errors up to their scale, whatever the noise, so that
    kinds and sizes of noise are compared on equal terms.
    """
    rng = np.random.default_rng(seed)
    shape = (_NUM_OBSERVATIONS, 1)
    # Drawn for every design, so that the errors are the same.
    uniform = rng.uniform(0, _END, shape)
    even = np.linspace(0, _END, _NUM_OBSERVATIONS).reshape(shape)
    X = torch.from_numpy(even if design == "even" else uniform)
    normal = rng.standard_normal(shape)
    is_outlier = rng.random(shape) < NOISES[noise]
    size = _OUTLIER_SIZE * float(TRUE_VALUES.max() - TRUE_VALUES.min())
    errors = deviation * normal + is_outlier * rng.choice([-size, size], shape)
    return X, _FUNCTION(X).unsqueeze(-1) + torch.from_numpy(errors)


def ranking(scores: Tensor) -> Ranking:
    """Rank points by their scores, smaller being better; equal scores share a rank."""
    if scores.isnan().any():
        raise ValueError("a score is not a number, so it has no rank")
    return np.asarray(rankdata(scores.detach().numpy(), method="min") - 1, dtype=np.int64)


def agreement(ranks: Ranking) -> float:
    """Kendall's rank correlation (tau-b) with the true ranking; 0 if all points are tied."""
    tau = float(kendalltau(ranks, ranking(TRUE_VALUES)).statistic)
    return 0.0 if np.isnan(tau) else tau
