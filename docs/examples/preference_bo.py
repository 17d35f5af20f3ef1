"""RankingGP and PairwiseGP in the loop of BoTorch's tutorial on pairwise comparisons.

A judge likes the weighted sum of four columns, and errs. Kendall's tau between the utility and the
mean of a model of random pairs; and the best utility that a search with EUBO has shown. Rows are
appended to a CSV file, where a second call goes on; then the means, and what ours leads by::

    OMP_NUM_THREADS=1 python docs/examples/preference_bo.py docs/results/preference_bo.csv
"""

import argparse
import csv
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from botorch.acquisition import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models import PairwiseGP
from botorch.models.model import Model
from botorch.models.pairwise_gp import PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms import Normalize
from botorch.optim import optimize_acqf
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.models.priors import default_kernel
from botorch_popbo.settings import SearchSettings

NOISE, COLUMNS, POINTS, MANY = 0.1, 4, 50, 100
PAIRS = (5, 9, 15)


def pairwise_gp(X: Tensor, pairs: Tensor) -> Model:
    """BoTorch's model of comparisons, as in its tutorials."""
    model = PairwiseGP(X, pairs, input_transform=Normalize(d=X.shape[-1]))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model


def half(X: Tensor, pairs: Tensor) -> Model:
    """Ours with the kernel of PreferenceSearch, whose lengthscales are half as long."""
    kernel = default_kernel(X.shape[-1], SearchSettings().judge_lengthscale)
    return RankingGP(X, pairs, covar_module=kernel).fit()


#: The last one is what the others are compared with.
MODELS: dict[str, Callable[[Tensor, Tensor], Model]] = {
    "RankingGP": lambda X, pairs: RankingGP(X, pairs).fit(),
    "half": half,
    "PairwiseGP": pairwise_gp,
}


class Row(NamedTuple):
    """What a model has reached after so many comparisons."""

    measure: str
    pairs: int
    value: float


def utility(X: Tensor) -> Tensor:
    """What the judge likes, of shape ``N``."""
    return X @ torch.arange(1.0, 1.0 + X.shape[-1]).sqrt().to(X)


def judged(value: Tensor, pairs: Tensor, noise: float = 0.0) -> Tensor:
    """Pairs, each with the one that looks better first, ``m x 2``."""
    seen = value[pairs] + noise * torch.randn(pairs.shape, dtype=value.dtype)
    return pairs.gather(-1, seen.argsort(-1, descending=True))


def tau(model: Model, X: Tensor, value: Tensor) -> float:
    """Kendall's tau between the mean of a model and the truth."""
    with torch.no_grad():
        mean = model.posterior(X).mean.squeeze(-1)
    return float(kendalltau(mean.numpy(), value.numpy()).statistic)


def learn(fit: Callable[[Tensor, Tensor], Model], seed: int) -> Iterator[Row]:
    """Random pairs of points, few and many."""
    torch.manual_seed(seed)
    X, test = torch.rand(POINTS + 1000, COLUMNS).double().split([POINTS, 1000])
    every = torch.combinations(torch.arange(POINTS))
    pairs = judged(utility(X), every[torch.randperm(len(every))[:MANY]], NOISE)
    for number in (*PAIRS, MANY):
        yield Row("tau", number, tau(fit(X, pairs[:number]), test, utility(test)))


def search(fit: Callable[[Tensor, Tensor], Model], seed: int) -> Iterator[Row]:
    """Ask about the pair of the highest EUBO, from one comparison on."""
    torch.manual_seed(seed)
    X, bounds = (
        torch.rand(2, COLUMNS).double(),
        torch.stack([torch.zeros(COLUMNS), torch.ones(COLUMNS)]),
    )
    pairs = judged(utility(X), torch.tensor([[0, 1]]), NOISE)
    for number in range(1, PAIRS[-1] + 1):
        if number in PAIRS:
            yield Row("best", number, float(utility(X).max()))
        eubo = AnalyticExpectedUtilityOfBestOption(fit(X, pairs))
        new, _ = optimize_acqf(eubo, bounds.double(), q=2, num_restarts=3, raw_samples=512)
        both = torch.tensor([[len(X), len(X) + 1]])
        X = torch.cat([X, new])
        pairs = torch.cat([pairs, judged(utility(X), both, NOISE)])


def measure(path: Path, seeds: int, *runs: Callable[..., Iterator[Row]]) -> None:
    """Append what the file has not."""
    done = set()
    if path.exists():
        with path.open() as file:
            done = {(row["run"], row["model"], int(row["seed"])) for row in csv.DictReader(file)}
    else:
        path.write_text("run,model,seed,measure,pairs,value\n")
    for run, seed, (name, fit) in product(runs, range(seeds), MODELS.items()):
        if (run.__name__, name, seed) not in done:
            cell = f"{run.__name__},{name},{seed}"
            rows = [f"{cell},{row.measure},{row.pairs},{row.value:.5f}\n" for row in run(fit, seed)]
            with path.open("a") as file:
                file.writelines(rows)


def table(path: Path) -> None:
    """Print means, and what each model leads the last one by on the same seeds, with errors."""
    found: dict[tuple[str, ...], dict[str, dict[str, float]]] = {}
    with path.open() as file:
        for row in csv.DictReader(file):
            cell = found.setdefault((row["run"], row["measure"], row["pairs"]), {})
            cell.setdefault(row["model"], {})[row["seed"]] = float(row["value"])
    leads = [f"lead of {name}" for name in MODELS][:-1]
    print("|", " | ".join(["run", "pairs", *MODELS, *leads]), "|")
    for (run, what, pairs), cell in found.items():
        values = [cell.get(name, {}) for name in MODELS]
        shown = [mean([*of.values()]) for of in values]
        for of in values[:-1]:
            seeds = of.keys() & values[-1].keys()
            shown.append(mean([of[seed] - values[-1][seed] for seed in seeds]))
        print("|", " | ".join([f"{run}, {what}", pairs, *shown]), "|")


def mean(values: list[float]) -> str:
    """With its standard error, and of how many."""
    if len(values) < 2:
        return ""
    error = np.std(values, ddof=1) / len(values) ** 0.5
    return f"{np.mean(values):.3f} ± {error:.3f} ({len(values)})"


def main(*runs: Callable[..., Iterator[Row]]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("path", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    measure(arguments.path, arguments.seeds, *runs)
    table(arguments.path)


if __name__ == "__main__":
    main(learn, search)
