"""What a judge's few choices hide of the lengthscales: `PreferenceSearch` that is told them.

Its model has the lengthscales, roughness and fineness that 400 noise-free values of the function
lead to, and fits the noise alone. Prints a Markdown table of the noise-free regret of the point
held to be the best, mean and standard error over the seeds of the campaign ``preferences``:
``OMP_NUM_THREADS=1 python docs/examples/lengthscales_told.py --seeds 10``
"""

import argparse
import statistics
import warnings
from copy import deepcopy

import torch
from gpytorch.kernels import Kernel

from botorch_popbo import PreferenceSearch, RankingGP
from botorch_popbo.benchmarks.experiments.preferences._judge import FUNCTIONS, Judge

ANSWERS = (24, 36)
DEVIATION = 0.2
NUM_VALUES = 400


class ToldSearch(PreferenceSearch):
    """Its kernel is given."""

    kernel: Kernel

    @property
    def model(self) -> RankingGP:
        """The model of all answers."""
        if self._model is None:
            self._model = RankingGP(
                order=self._answers.order(),
                covar_module=deepcopy(self.kernel),
                input_transform=self.columns.input_transform(),
            ).fit()
        return self._model


def kernel_of(name: str) -> Kernel:
    """As fitted to many values, to be left as it is."""
    function = FUNCTIONS[name]
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(NUM_VALUES, function.dim, generator=generator, dtype=torch.double)
    Y = -function.evaluate_true(X).unsqueeze(-1)
    kernel: Kernel = RankingGP(X, Y, torch.zeros_like(Y)).fit().covar_module
    return kernel.requires_grad_(False)


def regrets(name: str, kernel: Kernel, seed: int) -> list[float]:
    """After each number of answers."""
    judge = Judge(name, DEVIATION, 0.0, seed)
    search = ToldSearch(torch.as_tensor(FUNCTIONS[name].bounds), seed=seed)
    search.kernel = kernel
    found = []
    for question in range(max(ANSWERS)):
        items = search.ask()
        search.tell(items, judge.choose(items, question))
        if question + 1 in ANSWERS:
            found.append(judge.regret(search.best))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds, from 0")
    seeds = range(parser.parse_args().seeds)
    warnings.simplefilter("ignore")
    print(f"| function | {' | '.join(map(str, ANSWERS))} |\n| --- {'| --- ' * len(ANSWERS)}|")
    for name in FUNCTIONS:
        kernel = kernel_of(name)
        cells = []
        for after in zip(*(regrets(name, kernel, seed) for seed in seeds), strict=True):
            error = statistics.stdev(after) / len(after) ** 0.5
            cells.append(f"{statistics.mean(after):.2f} ± {error:.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
