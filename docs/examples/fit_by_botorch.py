"""How far :meth:`RankingGP.fit` and BoTorch's own fitting end from each other, and how fast.

``OMP_NUM_THREADS=1 python docs/examples/fit_by_botorch.py`` fits ten data sets from the same start,
without outliers and other directions: as a search does, to the end of what L-BFGS can find, and
with ``fit_gpytorch_mll``. It prints the logarithm of evidence times prior that each gains, in nats,
and the seconds of the fit.
"""

import time
import warnings
from collections.abc import Callable

import torch
from botorch.fit import fit_gpytorch_mll
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.data import Order, from_comparisons, from_outcomes
from botorch_popbo.models import OrderMarginalLogLikelihood
from botorch_popbo.settings import ModelSettings

EXACT = ModelSettings(least_gain=1e-7, max_iterations=1000)


def order_of(seed: int) -> Order:
    """A smooth function with noise, of two to four columns; by seed outcomes, ties or answers."""
    generator = torch.Generator().manual_seed(seed)
    dim, number = 2 + seed % 3, 15 + 5 * (seed % 4)
    X = torch.rand(number, dim, generator=generator, dtype=torch.double)
    Y = -(X - 0.3).square().sum(-1) + 0.2 * (7.0 * X[:, 0]).sin()
    Y = Y + 0.02 * torch.randn(number, generator=generator, dtype=torch.double)
    if seed % 5 == 3:
        return from_outcomes(X, (8.0 * Y).round())
    if seed % 5 == 4:
        pairs = torch.randint(number, (3 * number, 2), generator=generator)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        is_first = (Y[pairs[:, 0]] > Y[pairs[:, 1]]).unsqueeze(-1)
        return from_comparisons(X, torch.where(is_first, pairs, pairs.flip(-1)))
    return from_outcomes(X, Y)


def density(model: RankingGP) -> float:
    """The logarithm of evidence times prior at the current hyperparameters."""
    mll = OrderMarginalLogLikelihood(model.likelihood, model.train())
    return float(mll(model(*model.train_inputs), model.train_targets).detach())


def fitted(order: Order, settings: ModelSettings, fit: Callable[[RankingGP], object]) -> Tensor:
    """What a fit gains, and its seconds."""
    model = RankingGP(order=order, settings=settings)
    before, start = density(model), time.perf_counter()
    fit(model)
    seconds = time.perf_counter() - start
    return torch.tensor([density(model) - before, seconds])


def by_itself(model: RankingGP) -> None:
    """Fit as :meth:`RankingGP.fit` does, without its further steps."""
    model.fit(outliers=False, directions=False)


def by_botorch(model: RankingGP) -> None:
    """Fit as any model of BoTorch."""
    mll = OrderMarginalLogLikelihood(model.likelihood, model)
    # The noise is tiny, so that in raw parameters there are many steps that gain little.
    fit_gpytorch_mll(mll, optimizer_kwargs={"options": {"ftol": 1e-12, "gtol": 1e-8, "maxls": 50}})


def main() -> None:
    """Fit each data set in the three ways."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows = []
    print("seed   fit: nats  seconds   exact: nats  seconds   BoTorch: nats  seconds")
    for seed in range(10):
        order = order_of(seed)
        ways = (ModelSettings(), by_itself), (EXACT, by_itself), (ModelSettings(), by_botorch)
        rows.append(torch.cat([fitted(order, *way) for way in ways]))
        print(f"{seed:4}", *(f"{value:12.4f}" for value in rows[-1].tolist()), flush=True)
    gains, seconds = torch.stack(rows)[:, ::2], torch.stack(rows)[:, 1::2]
    for name, column in (("fit", 0), ("exact", 1)):
        apart = (gains[:, column] - gains[:, 2]).abs()
        print(f"{name} and BoTorch: {apart.median():.4f} nats apart, at most {apart.max():.4f}")
    print("median seconds:", *(f"{value:.2f}" for value in seconds.median(0).values.tolist()))


if __name__ == "__main__":
    main()
