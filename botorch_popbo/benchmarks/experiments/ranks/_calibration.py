"""Models times dimensions, numbers of points and noises times functions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import pandas as pd
import torch
from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.experiments.ranks import _models as models
from botorch_popbo.benchmarks.experiments.ranks._functions import (
    LEAST_PROBABILITY,
    LEVELS,
    Score,
    draw,
    mean_coverage,
    score,
)
from botorch_popbo.benchmarks.report._files import frame, write_files
from botorch_popbo.benchmarks.report.text import estimate_of
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell

#: By name.
MODELS = {"popbo": models.DEFAULT, "gp": models.GP, "paper": models.PAPER}


@dataclass(frozen=True)
class Fit(Cell):
    """One fit to a function of unit variance, whose lengthscale is in roots of the dimension."""

    dim: int
    num_points: int
    variance: float
    lengthscale: float
    model: str
    seed: int

    @property
    def method(self) -> str:  # type: ignore[override]
        return self.model

    @property
    def task(self) -> str:
        return f"{self.num_points} points in {self.dim} dimensions, noise {self.variance:g}"


@dataclass(frozen=True)
class CalibrationRecord(Score):
    """A score of the ranks of new outcomes, or of the values behind them, among the outcomes."""

    ranked: str


@dataclass(frozen=True, kw_only=True)
class RankCalibration(Campaign[Fit, CalibrationRecord]):
    """Laws of the rank of new points against what came out; for the settings see :class:`Fit`."""

    dims: tuple[int, ...]
    sizes: tuple[int, ...]
    variances: tuple[float, ...]
    lengthscale: float

    registry: ClassVar = MODELS
    keys: ClassVar = {
        "methods": _keys.names(MODELS),
        "seeds": _keys.count(10, smoke=1),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
        "dims": _keys.counts((2, 6), smoke=lambda dims: dims[:1]),
        "sizes": _keys.counts((20, 50, 100), smoke=lambda sizes: sizes[:1]),
        "variances": _keys.numbers((0.0, 0.01, 0.25), smoke=lambda values: values[-1:]),
        "lengthscale": _keys.number(0.3),
    }
    record: ClassVar = CalibrationRecord

    def cells(self) -> Iterator[Fit]:
        settings = (self.dims, self.sizes, map(float, self.variances))
        runs = ([float(self.lengthscale)], self.methods, range(self.seeds))
        return (Fit(*setting) for setting in product(*settings, *runs))

    def num_records(self, cell: Fit) -> int:
        return 2

    def evaluate(
        self, cell: Fit, records: list[CalibrationRecord], limited: Limited
    ) -> Iterator[CalibrationRecord]:
        """Fit a model once and score both laws; the global random state stays as it is."""
        sample = draw(cell.dim, cell.num_points, cell.variance, cell.lengthscale, cell.seed)
        with limited(), with_rng_seed(cell.seed):
            model = MODELS[cell.model].fit(sample.X, sample.Y, cell.seed)
        truths = {"outcome": sample.new_outcome, "value": sample.new_value}
        for ranked in list(truths)[len(records) :]:
            with limited(), torch.no_grad():
                law = models.rank_law(model, sample.Y, sample.new_X, noisy=ranked == "outcome")
            count = (sample.Y.flatten() > truths[ranked].unsqueeze(-1)).sum(-1)
            found = score(law, count, cell.seed)
            yield CalibrationRecord(found.coverage, found.log_score, ranked)

    def report(self) -> None:
        """Print and write the coverage of central intervals and the mean log score."""
        results = frame(self)
        write_files(self.output, "rank calibration", table(self, results), results)


def table(campaign: RankCalibration, results: pd.DataFrame) -> str:
    """Lay out a row for each setting, what is ranked, and model."""
    names = ["dim", "num_points", "variance", "ranked", "model"]
    rows = {}
    for setting, found in results.groupby(names, sort=False):
        covered = zip(LEVELS, mean_coverage(found["coverage"]), strict=True)
        rows[setting] = {
            "seeds": f"{len(found)}/{campaign.seeds}",
            **{f"{level:.0%}": f"{share:.1%}" for level, share in covered},
            "log score": estimate_of(found["log_score"].astype(float)),
        }
    index = pd.MultiIndex.from_tuples(rows, names=names)
    note = (
        f"coverage of central intervals, and mean log-probability ± standard error over functions "
        f"(lengthscale {campaign.lengthscale:g} √d; no probability counts as less than "
        f"{LEAST_PROBABILITY:g})"
    )
    return f"{pd.DataFrame([*rows.values()], index=index).to_string()}\n{note}"
