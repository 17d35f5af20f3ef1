"""Where the paper's preset departs from the paper: each thing done as published, one at a time.

``python docs/examples/paper_departures.py FILE.csv --seeds 10`` runs what the file lacks and prints
a table. What ends is written at once; ``--seeds 0`` prints the table alone.
Runs are paired by function and seed. A departure changes the search after the design, but for that
of the design.
"""

import argparse
import csv
import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from botorch.models.transforms.input import Normalize
from botorch.optim import optimize_acqf
from botorch.test_functions import Branin, Hartmann, Rosenbrock
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo import (
    ExpectedRankingImprovement,
    PoissonRankModel,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo._reproducible import derive_seed, one_thread, seeded
from botorch_popbo.search.maximize import default_options
from botorch_popbo.settings import PaperSettings, SearchSettings

NUM_INITIAL, NUM_TRIALS = 12, 12
FUNCTIONS = {
    "Branin": Branin(),
    "Hartmann-6": Hartmann(6),
    "Rosenbrock-6": Rosenbrock(6, bounds=[(-5.0, 10.0)] * 6),
}
ACQUISITIONS = {
    "rlcb": RectifiedLowerConfidenceBound.paper,
    "eri": ExpectedRankingImprovement,
}


@dataclass(frozen=True)
class Way:
    """What is done otherwise than by the preset.

    Attributes:
        settings: Those of the network.
        optimizer: Arguments of ``optimize_acqf``.
        options: Options of L-BFGS.
        keeps_weights: Whether training goes on from the weights of the fit before.
        is_uniform: Whether the design is uniform, not a scrambled Sobol sequence.
    """

    settings: PaperSettings = PaperSettings()  # noqa: RUF009  # frozen
    optimizer: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    keeps_weights: bool = False
    is_uniform: bool = False


#: A radius that nothing but a copy lies within, for the distance is divided by it.
NO_RADIUS = 1e-9
#: SciPy's own.
TO_THE_END = {"factr": 1e7, "maxls": 20}
#: No choice among more samples than starting points.
RANDOM_STARTS = {"raw_samples": 16}
WAYS = {
    "preset": Way(),
    "weights are kept": Way(keeps_weights=True),
    "known points are not avoided": Way(PaperSettings(known_radius=NO_RADIUS)),
    "rate times the measure of the unit cube": Way(PaperSettings(measure=1.0)),
    "random starting points": Way(optimizer=RANDOM_STARTS),
    "L-BFGS to the end": Way(options=TO_THE_END),
    "uniform design": Way(is_uniform=True),
    "all of these": Way(
        PaperSettings(known_radius=NO_RADIUS, measure=1.0), RANDOM_STARTS, TO_THE_END, True, True
    ),
}
FIRST = next(iter(WAYS))
Key = tuple[str, str, str, int]


@one_thread()
def search(function: str, acquisition: str, way: Way, seed: int) -> float:
    """The regret after all trials."""
    evaluate = FUNCTIONS[function]
    bounds = evaluate.bounds.double()
    X = design(bounds, way.is_uniform, seed)
    model = None
    for number in range(NUM_INITIAL, NUM_INITIAL + NUM_TRIALS):
        Y = -evaluate(X).unsqueeze(-1)
        this = derive_seed(seed, number)
        transform = Normalize(len(bounds.T), bounds=bounds)
        data = {"train_X": X, "train_Y": Y, "input_transform": transform}
        previous = model if way.keeps_weights else None
        model = PoissonRankModel.paper(**data, seed=this, settings=way.settings).fit(previous)
        arguments = default_options("optimize_acqf", False, SearchSettings()) | way.optimizer
        arguments["options"] |= way.options
        with seeded(this), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function_of_model = ACQUISITIONS[acquisition](model, seed=this)
            found, _ = optimize_acqf(function_of_model, bounds, q=1, **arguments)
        X = torch.cat([X, found])
    return float(evaluate(X).min()) - evaluate.optimal_value


def design(bounds: Tensor, is_uniform: bool, seed: int) -> Tensor:
    """The initial points, ``12 x d``."""
    if not is_uniform:
        return draw_sobol_samples(bounds, NUM_INITIAL, 1, seed=seed).squeeze(1)
    unit = torch.rand(
        NUM_INITIAL,
        bounds.shape[-1],
        generator=torch.Generator().manual_seed(seed),
        dtype=bounds.dtype,
    )
    return bounds[0] + unit * (bounds[1] - bounds[0])


def read(path: Path) -> dict[Key, float]:
    """The regrets of a file, if there is one."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            (row["function"], row["acquisition"], row["way"], int(row["seed"])): float(
                row["regret"]
            )
            for row in csv.DictReader(file)
        }


def run(path: Path, acquisition: str, seeds: int) -> None:
    """Append what a file lacks."""
    rows, is_new = read(path), not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(("function", "acquisition", "way", "seed", "regret"))
        for seed in range(seeds):
            for function in FUNCTIONS:
                for name, way in WAYS.items():
                    key = (function, acquisition, name, seed)
                    if key not in rows:
                        writer.writerow((*key, f"{search(function, acquisition, way, seed):.6g}"))
                        file.flush()


def told(values: list[float], digits: str) -> str:
    """Mean and standard error."""
    error = stdev(values) / math.sqrt(len(values))
    return f"{fmean(values):{digits}} ± {error:.2g}"


def table(rows: dict[Key, float], acquisition: str) -> None:
    """Print the preset's regret, and how many decades more each way leaves."""
    print(f"\n| {acquisition} | {' | '.join(FUNCTIONS)} |\n|" + "---|" * (len(FUNCTIONS) + 1))
    for name in WAYS:
        cells = []
        for function in FUNCTIONS:
            found = {
                s: v
                for (f, a, w, s), v in rows.items()
                if (f, a, w) == (function, acquisition, name)
            }
            if name == FIRST:
                cells.append(told([*found.values()], ".3g"))
                continue
            ours = {s: rows[function, acquisition, FIRST, s] for s in found}
            cells.append(told([math.log10(v / ours[s]) for s, v in found.items()], "+.2f"))
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Run what is asked for, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--acquisition", choices=ACQUISITIONS, default="rlcb")
    arguments = parser.parse_args()
    run(arguments.file, arguments.acquisition, arguments.seeds)
    rows = read(arguments.file)
    for acquisition in dict.fromkeys(key[1] for key in rows):
        table(rows, acquisition)


if __name__ == "__main__":
    main()
