"""What identifies a fit and what a study of rank agreement consists of."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Setting:
    """One fit.

    Attributes:
        design: Where the observations are.
        noise: The name of the kind of noise.
        deviation: The noise's standard deviation, in the unit of the function.
        model: The model's name.
        seed: Determines points, errors and the model's own random numbers, at least 0.
    """

    design: str
    noise: str
    deviation: float
    model: str
    seed: int

    def __str__(self) -> str:
        return f"{self.model}, {self.noise} {self.deviation:g}, seed {self.seed}"


@dataclass(frozen=True)
class Study:
    """Models times kinds and sizes of noise times seeds.

    Attributes:
        models: Names of models, in the order in which they are reported.
        design: Where the observations are.
        noises: Names of kinds of noise, in the order in which they are reported.
        deviations: Standard deviations of the noise, in the unit of the function.
        seeds: The number of repetitions.
        jobs: The number of models that are fitted at the same time.
        output: The folder of records, tables and plots.
    """

    models: tuple[str, ...]
    design: str
    noises: tuple[str, ...]
    deviations: tuple[float, ...]
    seeds: int
    jobs: int
    output: Path

    @property
    def records(self) -> Path:
        """The file of finished fits."""
        return self.output / "records" / "rank-agreement.jsonl"

    def settings(self) -> Iterator[Setting]:
        """Yield the fits in the order in which they are reported."""
        for noise in self.noises:
            for deviation in self.deviations:
                for model in self.models:
                    for seed in range(self.seeds):
                        yield Setting(self.design, noise, deviation, model, seed)
