"""How well models that were fitted to few noisy observations rank all points.

Figure 1 of Wang et al. (2023) and its appendix "Experimental Settings on Robustness Analysis",
repeated and measured: the same 15 observations for every model, and 100 points evenly spaced from 0
to 0.8. They do not say where the observations are; here they are drawn uniformly from the same
interval.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo._reproducible import seeded
from botorch_popbo.benchmarks.experiments import rank_models as models
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, names, replicated
from botorch_popbo.benchmarks.settings import Cell

_END = 0.8
_NUM_OBSERVATIONS = 15
_OUTLIER_SIZE = 10.0  # in ranges of the function, as in the problems with outliers


def forrester(x: Tensor) -> Tensor:
    """The function of Forrester, Sóbester and Keane (2008), flat around 1/3; its minimum is -6.02.

    Smaller is better. Points ``... x 1`` become values of the same shape.
    """
    return (6.0 * x - 2.0).square() * torch.sin(12.0 * x - 4.0)


#: The points that are ranked, ``100 x 1``.
GRID = torch.linspace(0, _END, 100, dtype=torch.float64).unsqueeze(-1)

#: The function at these points, of shape ``100``; smaller is better.
TRUE_VALUES = forrester(GRID).squeeze(-1)

#: By kind of noise, how probable a gross error beside the normal one is.
NOISES: Mapping[str, float] = {"gaussian": 0.0, "outliers": 0.1}


def observe(noise: str, deviation: float, seed: int) -> tuple[Tensor, Tensor]:
    """Observe the function: points and outcomes, both ``15 x 1``; smaller outcomes are better.

    A seed gives the same points and the same errors up to their scale, whatever the noise, so that
    kinds and sizes of noise are compared on equal terms.
    """
    rng = np.random.default_rng(seed)
    shape = (_NUM_OBSERVATIONS, 1)
    X = torch.from_numpy(rng.uniform(0, _END, shape))
    normal = rng.standard_normal(shape)
    is_outlier = rng.random(shape) < NOISES[noise]
    size = _OUTLIER_SIZE * float(TRUE_VALUES.max() - TRUE_VALUES.min())
    errors = deviation * normal + is_outlier * rng.choice([-size, size], shape)
    return X, forrester(X) + torch.from_numpy(errors)


def agreement(scores: Tensor) -> float:
    """Kendall's rank correlation (tau-b) with the true ranking; 0 if all points are tied.

    A score that is not a number raises ValueError.
    """
    tau = kendalltau(scores.detach().numpy(), TRUE_VALUES.numpy(), nan_policy="raise")
    return 0.0 if np.isnan(tau.statistic) else float(tau.statistic)


#: By name.
MODELS: dict[str, models.Fit] = {
    "gp": models.gp,
    "gp-noise-free": models.noise_free_gp,
    "popbo-paper": models.paper,
    "popbo-default": models.default,
}


@dataclass(frozen=True)
class Fit(Cell):
    """One fit; the noise's standard deviation is in the unit of the function."""

    noise: str
    deviation: float
    method: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class RankAgreement(Measured[Fit]):
    """Models fitted to few noisy observations, and how well they rank all points."""

    noise: tuple[str, ...]
    deviations: tuple[float, ...]

    keys: ClassVar = {
        **replicated(MODELS, seeds=20, smoke=2),
        "noise": names(NOISES),
        # The paper's extent, from 0 to 0.45; both ends for a trial run.
        "deviations": Key(float, tuple(i / 20 for i in range(10)), lambda d: (d[0], d[-1])),
    }
    cell: ClassVar = Fit
    axes: ClassVar = "noise", "deviations", "methods"
    note: ClassVar = "Kendall's tau of the predicted and the true ranking"

    def measure(self, cell: Fit, limited: Limited) -> dict[str, float]:
        """Fit a model and rank the grid by it; the global random state stays as it is."""
        X, losses = observe(cell.noise, cell.deviation, cell.seed)
        # BoTorch draws new starting points from the global generators where a fit fails.
        with limited(), seeded(cell.seed):
            model = MODELS[cell.method](X, -losses, cell.seed)
            return {"tau": agreement(models.rank_scores(model, GRID))}
