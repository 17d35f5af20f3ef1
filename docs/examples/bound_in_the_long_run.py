"""What R-LCB suggests as observations accumulate: the paper's preset on Rosenbrock-6.

Prints a Markdown table, a column for every 20 suggestions after 30 uniform points: the predicted
rank of the suggestions, the share of them that are better than the median of the uniform points,
and the regret reached; means over seeds.

``OMP_NUM_THREADS=1 python docs/examples/bound_in_the_long_run.py --seeds 2``
"""

import argparse
import warnings

import torch
from botorch.optim import optimize_acqf
from botorch.test_functions import Rosenbrock
from botorch.utils.sampling import manual_seed
from torch import Tensor

from botorch_popbo import PoissonRankModel, RectifiedLowerConfidenceBound
from botorch_popbo.optim._optimizer_options import OPTIMIZER_OPTIONS

INITIAL, BLOCK = 30, 20
FUNCTION = Rosenbrock(dim=6, bounds=[(-5.0, 10.0)] * 6, dtype=torch.double)
BOX = torch.tensor([[0.0], [1.0]], dtype=torch.double).repeat(1, 6)


def evaluate(X: Tensor) -> Tensor:
    """Regret of points of the unit cube, ``n x 1``."""
    low, high = torch.as_tensor(FUNCTION.bounds)
    regret: Tensor = FUNCTION.evaluate_true(low + (high - low) * X)
    return regret.unsqueeze(-1)


def run(beta: float, seed: int, trials: int) -> tuple[Tensor, Tensor]:
    """Predicted ranks of the suggestions and all regrets."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(INITIAL, 6, generator=generator, dtype=torch.double)
    Y, ranks = evaluate(X), []
    for trial in range(trials):
        model = PoissonRankModel.paper(X, -Y, input_transform=None, seed=seed).fit()
        bound = RectifiedLowerConfidenceBound.paper(model, beta=beta, seed=seed)
        with manual_seed(1000 * seed + trial):
            x, _ = optimize_acqf(bound, BOX, q=1, **OPTIMIZER_OPTIONS["optimize_acqf"])
        with torch.no_grad():
            ranks.append(model.posterior(x).mean.squeeze())
        X, Y = torch.cat([X, x]), torch.cat([Y, evaluate(x)])
    return torch.stack(ranks), Y.squeeze(-1)


def row(beta: float, seeds: int, trials: int) -> list[str]:
    """A cell for every block of suggestions."""
    ranks, regrets = zip(*(run(beta, seed, trials) for seed in range(seeds)), strict=True)
    rank, regret = torch.stack(ranks), torch.stack(regrets)
    median = regret[:, :INITIAL].median(-1, keepdim=True).values
    cells = []
    for start in range(0, trials, BLOCK):
        block = slice(start, start + BLOCK)
        better = (regret[:, INITIAL:][:, block] < median).double().mean()
        reached = regret[:, : INITIAL + start + BLOCK].min(-1).values.mean()
        cells.append(f"{rank[:, block].mean():.0f}, {better:.0%}, {reached:.0f}")
    return cells


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds, from 0")
    parser.add_argument("--trials", type=int, default=140, help="suggestions of each run")
    parser.add_argument("--betas", type=float, nargs="+", default=[3.0, 8.0])
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    known = [str(INITIAL + start) for start in range(0, chosen.trials, BLOCK)]
    print(f"| beta | {' | '.join(known)} |\n| {'--- | ' * (len(known) + 1)}", flush=True)
    for beta in chosen.betas:
        print(f"| {beta:g} | {' | '.join(row(beta, chosen.seeds, chosen.trials))} |", flush=True)


if __name__ == "__main__":
    main()
