"""Models times kinds and sizes of noise times seeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.experiments.rank_agreement._models import MODELS
from botorch_popbo.benchmarks.experiments.rank_agreement._observations import (
    DESIGNS,
    GRID,
    NOISES,
    agreement,
    observe,
    ranking,
)
from botorch_popbo.benchmarks.run import _keys
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.settings import Cell


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

    @property
    def task(self) -> str:
        return f"{self.noise} {self.deviation:g}"


@dataclass(frozen=True)
class FitRecord:
    """Kendall's tau with the true ranking, and the predicted rank of each point of the grid."""

    tau: float
    ranks: list[int]


@dataclass(frozen=True, kw_only=True)
class RankAgreement(Campaign[Fit, FitRecord]):
    """Models fitted to few noisy observations, and how well they rank all points."""

    design: str
    noise: tuple[str, ...]
    deviations: tuple[float, ...]

    registry: ClassVar = MODELS
    keys: ClassVar = {
        "methods": _keys.names(MODELS),
        "seeds": _keys.count(20, smoke=2),
        "jobs": _keys.count(),
        "limit": _keys.seconds(),
        "design": _keys.text(DESIGNS[0], DESIGNS),
        "noise": _keys.names(NOISES),
        # The paper's extent, from 0 to 0.45; both ends for a trial run.
        "deviations": _keys.numbers(
            tuple(i / 20 for i in range(10)), smoke=lambda values: (values[0], values[-1])
        ),
    }
    record: ClassVar = FitRecord

    @classmethod
    def planned(cls, *, data: Path | None, **values: Any) -> Self:
        deviations = tuple(dict.fromkeys(map(float, values.pop("deviations"))))
        return cls(deviations=deviations, **values)

    def cells(self) -> Iterator[Fit]:
        for noise in self.noise:
            for deviation in self.deviations:
                for model in self.methods:
                    for seed in range(self.seeds):
                        yield Fit(self.design, noise, deviation, model, seed)

    def evaluate(
        self, cell: Fit, records: list[FitRecord], limited: Limited
    ) -> Iterator[FitRecord]:
        """Fit a model and rank the grid by it; the global random state stays as it is."""
        X, losses = observe(cell.design, cell.noise, cell.deviation, cell.seed)
        # BoTorch draws new starting points from the global generators where a fit fails.
        with limited(), with_rng_seed(cell.seed):
            scores = MODELS[cell.model].predict(X, -losses, cell.seed, GRID)
        ranks = ranking(scores)
        yield FitRecord(agreement(ranks), ranks.tolist())

    def report(self) -> None:
        # Workers need no plots.
        from botorch_popbo.benchmarks.experiments.rank_agreement._report import write_report

        write_report(self)
