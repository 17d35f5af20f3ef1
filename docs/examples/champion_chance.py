"""How often the champion of simulated judges is the best, and how often it was said to be.

Every second judge likes a sample of a Gaussian process in two to four dimensions, the others a
test function. One answer errs by 0.05 to 0.4 deviations of the utility. A champion is the best if
nothing in the space is better by more than that. Prints a Markdown table; ten minutes in all.
"""

import argparse
import math
import warnings
from collections.abc import Callable

import torch
from botorch.test_functions import Ackley, Branin, Hartmann, Levy, Rosenbrock, StyblinskiTang
from botorch.utils.sampling import draw_sobol_samples
from scipy.optimize import minimize
from torch import Tensor

from botorch_popbo import PreferenceSearch

Utility = Callable[[Tensor], Tensor]
TESTS = [Branin(), Levy(2), Hartmann(3), StyblinskiTang(3), Ackley(2), Rosenbrock(3)]
ASKED = 10, 20, 40


def sample(dim: int, seed: int) -> Utility:
    """A function of the unit cube with a Matern 5/2 kernel, by random features."""
    generator = torch.Generator().manual_seed(seed)
    scale = 0.25 + 0.5 * torch.rand(dim, generator=generator).double() * math.sqrt(dim / 2)
    frequency = torch.randn(1024, dim, generator=generator).double()
    chi = torch.randn(1024, 5, generator=generator).double().square().mean(-1, keepdim=True)
    frequency = frequency / chi.sqrt() / scale
    phase = 2.0 * math.pi * torch.rand(1024, generator=generator).double()
    weight = torch.randn(1024, generator=generator).double() * math.sqrt(2.0 / 1024)
    return lambda X: (X @ frequency.T + phase).cos() @ weight


def liking(seed: int) -> tuple[Utility, Tensor]:
    """What a judge likes, and the bounds of the space."""
    if seed % 2 == 0:
        dim = 2 + seed // 2 % 3
        return sample(dim, seed), torch.tensor([[0.0] * dim, [1.0] * dim]).double()
    test = TESTS[seed // 2 % len(TESTS)]
    return lambda X: -test(X), test.bounds.double()


def highest(utility: Utility, bounds: Tensor) -> tuple[float, float]:
    """The maximum, and the deviation over the space."""
    X = draw_sobol_samples(bounds, 8192, 1, seed=3).squeeze(1)
    values = utility(X)
    ends = list(zip(*bounds.tolist(), strict=True))
    found = [
        minimize(
            lambda x: -float(utility(torch.from_numpy(x).unsqueeze(0))), start.numpy(), bounds=ends
        ).fun
        for start in X[values.argsort(descending=True)[:8]]
    ]
    return max(float(values.max()), -min(found)), float(values.std())


def interview(seed: int) -> list[tuple[float, bool]]:
    """The chance of the champion, and whether it is the best, after some answers each."""
    utility, bounds = liking(seed)
    top, deviation = highest(utility, bounds)
    noise = (0.05, 0.1, 0.2, 0.4)[seed // 4 % 4] * deviation
    generator = torch.Generator().manual_seed(1000 + seed)
    search, said = PreferenceSearch(bounds, seed=seed), []
    for number in range(1, max(ASKED) + 1):
        items = search.ask()
        first, second = utility(items).tolist()
        err = noise * float(torch.randn(1, generator=generator))
        search.tell(items, winner=int(first + err < second))
        if number in ASKED:
            best = search.best
            said.append((best.chance, float(utility(best.x.unsqueeze(0))) >= top - noise))
    return said


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judges", type=int, default=200)
    warnings.simplefilter("ignore")
    told = []
    for seed in range(parser.parse_args().judges):
        told.append(interview(seed))
        if (seed + 1) % 50 == 0:
            print(
                f"\n{seed + 1} judges\n\n| answers | said | true | error of this |\n| --- |"
                + 3 * " --- |"
            )
            for place, number in enumerate(ASKED):
                chance, is_best = torch.tensor([each[place] for each in told]).double().T
                error = float(is_best.std()) / math.sqrt(len(told))
                row = f"{chance.mean():.3f} | {is_best.mean():.3f} | {error:.3f}"
                print(f"| {number} | {row} |", flush=True)


if __name__ == "__main__":
    main()
