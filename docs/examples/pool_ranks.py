"""How well models rank the rest of a pool after some of its rows, where outcomes are rounded.

``POPBO_DATA=DIR OMP_NUM_THREADS=1 python docs/examples/pool_ranks.py --rows 50`` prints Kendall's
correlation of predictions and accuracies on HPO-B's pools, and which share of the rows is better
than the twenty that are predicted to be the best: means, and what they are more than the default's
± the standard error over search spaces.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from botorch.models import SingleTaskGP
from scipy.stats import kendalltau
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.benchmarks.experiments.notebook import POOLS, Lab
from botorch_popbo.benchmarks.methods.gaussian_processes import fit, normal_scores

Model = Callable[[Tensor, Tensor, Tensor], Tensor]


def ranking(order_only: bool) -> Model:
    """Expected utilities by the order, with or without distances."""
    return lambda X, Y, rest: RankingGP(X, Y, order_only=order_only).fit().expected_utility(rest)


def process(transform: Callable[[Tensor], Tensor]) -> Model:
    """Means of a Gaussian process of transformed outcomes."""
    return lambda X, Y, rest: fit(SingleTaskGP(X, transform(Y))).posterior(rest).mean


MODELS = {
    "default": ranking(order_only=False),
    "order alone": ranking(order_only=True),
    "gp": process(Tensor.clone),
    "gp-copula": process(normal_scores),
}


def main() -> None:
    """Print both measures of each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    found = []
    for pool, seed in [(pool, seed) for pool in POOLS for seed in range(args.seeds)]:
        lab = Lab.read(Path(os.environ["POPBO_DATA"]), pool)
        X, y = lab.encoded(), lab.means
        order = np.random.default_rng(seed).permutation(len(y))
        known, rest = order[: args.rows], order[args.rows :]
        Y = torch.tensor(y[known]).unsqueeze(-1)
        for name, model in MODELS.items():
            with torch.random.fork_rng():
                score = model(X[known], Y, X[rest]).detach().flatten().numpy()
            top = y[rest][score.argsort()[-20:]]
            better = (y[rest][:, None] > top).mean()
            found.append((name, pool.partition("_")[0], kendalltau(score, y[rest])[0], better))
    table = pd.DataFrame(found, columns=["model", "space", "correlation", "better rows"])
    means = table.groupby(["model", "space"]).mean()
    for name in MODELS:
        cells = []
        for column in ("correlation", "better rows"):
            more = means.loc[name, column] - means.loc["default", column]
            mean = table[table["model"] == name][column].mean()
            cells.append(f"{column} {mean:.3f} ({more.mean():+.3f} ± {more.sem():.3f})")
        print(f"{name:12}", *cells, sep="  ")


if __name__ == "__main__":
    main()
