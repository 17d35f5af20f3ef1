"""How well models that were fitted to few noisy observations rank all points.

Figure 1 of Wang et al. (2023) and its appendix "Experimental Settings on Robustness Analysis",
repeated and measured: the same 15 observations for every model, and 100 points evenly spaced from 0
to 0.8. They do not say where the observations are; here they are drawn uniformly from the same
interval, or evenly spaced.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pandas as pd
import torch
from ax.utils.common.random import with_rng_seed
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo.benchmarks.experiments import _rank_models as models
from botorch_popbo.benchmarks.problems._forrester import Forrester
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report._format import spread
from botorch_popbo.benchmarks.report.figures import draw_means
from botorch_popbo.benchmarks.run._keys import Key, names, replicated
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell

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


def agreement(scores: Tensor) -> float:
    """Kendall's rank correlation (tau-b) with the true ranking; 0 if all points are tied.

    A score that is not a number raises ValueError.
    """
    told = kendalltau(scores.detach().numpy(), TRUE_VALUES.numpy(), nan_policy="raise")
    return 0.0 if np.isnan(told.statistic) else float(told.statistic)


#: By name.
MODELS = {
    "gp": models.GP,
    "gp-noise-free": models.NOISE_FREE_GP,
    "popbo-paper": models.PAPER,
    "popbo-default": models.DEFAULT,
}


@dataclass(frozen=True)
class Fit(Cell):
    """One fit; the noise's standard deviation is in the unit of the function."""

    design: str
    noise: str
    deviation: float
    model: str
    seed: int

    @property
    def method(self) -> str:  # type: ignore[override]
        return self.model


@dataclass(frozen=True)
class FitRecord:
    """Kendall's tau of the predicted and the true ranking of the grid."""

    tau: float


def _both_ends(values: tuple[float, ...]) -> tuple[float, float]:
    return values[0], values[-1]


@dataclass(frozen=True, kw_only=True)
class RankAgreement(Campaign[Fit, FitRecord]):
    """Models fitted to few noisy observations, and how well they rank all points."""

    design: str
    noise: tuple[str, ...]
    deviations: tuple[float, ...]

    keys: ClassVar = {
        **replicated(MODELS, seeds=20, smoke=2),
        "design": Key(str, DESIGNS[0], known=DESIGNS),
        "noise": names(NOISES),
        # The paper's extent, from 0 to 0.45; both ends for a trial run.
        "deviations": Key(float, tuple(i / 20 for i in range(10)), _both_ends),
    }
    record: ClassVar = FitRecord

    def cells(self) -> Iterator[Fit]:
        settings = (self.noise, map(float, self.deviations), self.methods, range(self.seeds))
        return (Fit(self.design, *setting) for setting in product(*settings))

    def evaluate(
        self, cell: Fit, records: list[FitRecord], limited: Limited
    ) -> Iterator[FitRecord]:
        """Fit a model and rank the grid by it; the global random state stays as it is."""
        X, losses = observe(cell.design, cell.noise, cell.deviation, cell.seed)
        # BoTorch draws new starting points from the global generators where a fit fails.
        with limited(), with_rng_seed(cell.seed):
            model = MODELS[cell.model].fit(X, -losses, cell.seed)
            tau = agreement(models.rank_scores(model, GRID))
        yield FitRecord(tau)

    def report(self) -> None:
        """Print and write mean and standard error of the agreement, and draw them."""
        results = frame(self).astype({"tau": float})
        figure = draw_means(results, "noise", "model", "deviation", "tau")
        write_files(self.output, "rank agreement", table(self, results), results, figure)


def table(campaign: RankAgreement, results: pd.DataFrame) -> str:
    """Tabulate the agreement: a row for each size of noise, a column for each model."""
    cells = spread(results, ["noise", "deviation"], "model", "tau", campaign.seeds)
    note = (
        f"Kendall's tau of predicted and true ranking, {campaign.design} design: mean ± standard "
        "error"
    )
    return f"{cells.to_string()}\n{note}"
