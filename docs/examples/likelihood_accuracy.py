"""How far expectation propagation is off, how long it takes, and whether it always settles.

``python docs/examples/likelihood_accuracy.py`` prints the table of errors of
``docs/results/default.md``; with ``seconds`` it prints that of times, and with ``fuzz 10000`` it
looks for random models that fail.

The truth is sampled by importance from Student's law with the moments of the posterior. The
estimate is right whatever these are; its effective sample size says how exactly. The likelihoods of
all statements are written down anew here.
"""

import itertools
import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple
from unittest.mock import patch

import torch
from gpytorch.kernels import MaternKernel
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.data import from_outcomes
from botorch_popbo.likelihoods import sites
from botorch_popbo.likelihoods.propagation import JITTER, Distances, Posterior, Sites, propagate
from botorch_popbo.likelihoods.statements import Statements
from botorch_popbo.models.hyperparameters import Hyperparameters, Modules
from botorch_popbo.models.priors import Warp, default_kernel, default_likelihood
from botorch_popbo.models.records import Records
from botorch_popbo.settings import ModelSettings

SETTINGS = ModelSettings()
TIE = SETTINGS.tie**2
NOISE = 1e-2  # variance, of an outcome
SEEDS = range(4)


@dataclass(frozen=True)
class Case:
    """Statements about the utilities of some points.

    Attributes:
        X: Points, ``N x d``.
        covariance: Prior covariance of their noisy utilities, ``N x N``.
        statements: The statements.
        ranked: Those among which a new point is ranked, best first.
        noise: Variance of an answer.
        distances: How far apart they are, if that is known.
    """

    X: Tensor
    covariance: Tensor
    statements: Statements
    ranked: Tensor
    noise: float = 1.0
    distances: Distances | None = None

    def propagate(self, start: Sites | None = None, tolerance: float = 1e-6) -> Posterior:
        """The approximation."""
        likelihood = self.noise, TIE, self.distances
        return propagate(self.covariance, self.statements, *likelihood, start, tolerance)

    def subset(self, which: Tensor) -> "Case":
        """Some of the statements alone, by their indices."""
        distances = self.distances
        if distances is not None:
            distances = distances._replace(log_gap=distances.log_gap[which])
        return replace(self, statements=self.statements.subset(which), distances=distances)

    def log_likelihood(self, u: Tensor) -> Tensor:
        """Of each statement, given draws of the differences; both ``K x M``."""
        of, noise = self.statements, self.statements.noise * self.noise
        each = torch.where(u > 0.0, 0.0, -torch.inf).double()
        if self.distances is not None:
            log_gap, c = self.distances
            ratio = u.clamp_min(0.0) / log_gap.exp()
            gamma = c * (c.log() + ratio.log() - ratio) - torch.lgamma(c)
            each = torch.where(log_gap.isfinite(), gamma, each)
        each = torch.where(of.is_answer, torch.special.log_ndtr(u / noise.sqrt()), each)
        tolerance = torch.where(of.is_answer, 0.5 * math.pi * noise, TIE)
        return torch.where(of.is_tie, -0.5 * u.square() / tolerance - math.log(2.0), each)


def matern(X1: Tensor, X2: Tensor, lengthscale: float = 1.0) -> Tensor:
    """Prior covariance of two sets of points."""
    kernel = MaternKernel(nu=2.5).double()
    kernel.lengthscale = lengthscale * 0.7 * X1.shape[-1] ** 0.5
    with torch.no_grad():
        matrix: Tensor = kernel(X1, X2).to_dense()
    return matrix


def noisy(X: Tensor, noise: float = NOISE, lengthscale: float = 1.0) -> Tensor:
    """Prior covariance of noisy utilities of points."""
    return matern(X, X, lengthscale) + (noise + JITTER) * torch.eye(len(X)).double()


def draw(number: int, seed: int, noise: float = NOISE) -> tuple[Tensor, Tensor]:
    """Points of two or six columns, and utilities from the prior, best first."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(number, 2 if seed % 2 else 6, generator=generator, dtype=torch.double)
    normal = torch.randn(number, generator=generator, dtype=torch.double)
    utility = torch.linalg.cholesky(noisy(X, noise)) @ normal
    order = utility.argsort(descending=True)
    return X[order], utility[order]


def ranking(number: int, seed: int, failed: int = 0, tied: int = 1, equal: bool = False) -> Case:
    """An order of levels of some points each, of which the last failed."""
    X, _ = draw(number, seed)
    outcome = -(torch.arange(number) // tied).double()
    outcome[number - failed :] = -torch.inf
    records, point = records_of(X, outcome, order_only=not equal)
    leaders = point[records.places.rows]
    ranked = leaders[outcome[leaders].isfinite()]
    return Case(X, noisy(X), records.statements.renumbered(point), ranked)


def records_of(X: Tensor, outcome: Tensor, order_only: bool) -> tuple[Records, Tensor]:
    """Records of points, and which point each is about."""
    order = from_outcomes(X, outcome.unsqueeze(-1))
    records = Records.from_order(order, order_only)
    is_same = (order.X[records.item].unsqueeze(-2) == X).all(-1)
    return records, is_same.int().argmax(-1)


def measured(number: int, seed: int, concentration: float) -> Case:
    """An order with distances."""
    X, utility = draw(number, seed)
    chain = torch.arange(number - 1)
    c = torch.tensor(concentration).double()
    torch.manual_seed(seed)
    gap = -utility.diff() / torch.distributions.Gamma(c, c).sample(chain.shape)
    certain, distances = Statements.certain(chain, chain + 1), Distances(gap.log(), c)
    return Case(X, noisy(X), certain, torch.arange(number), distances=distances)


def pairs(number: int, seed: int, noise: float, judges: int = 1) -> Case:
    """Answers about random pairs, twice as many as points; of several judges, who may draw."""
    X, utility = draw(number, seed, 0.0)
    generator = torch.Generator().manual_seed(seed)
    index = torch.rand(2 * number, number, generator=generator).argsort(-1)[:, :2].sort(-1).values
    errs = 4.0 ** (torch.arange(2 * number) % judges - judges // 2).double()
    normal = torch.randn(2 * number, generator=generator, dtype=torch.double)
    gap = -utility[index].diff().squeeze(-1) + (noise * errs).sqrt() * normal
    better, worse = torch.where(gap > 0.0, index.T, index.flip(-1).T)
    statements = Statements.answers(better, worse, errs)
    if judges > 1:
        statements = replace(statements, is_tie=gap.abs() < 0.2 * (noise * errs).sqrt())
    return Case(X, noisy(X, 0.0), statements, torch.arange(number), noise)


def mixture(number: int, seed: int) -> Case:
    """A third measured, a third ranked, a third failed; a tie, and some answers."""
    case, third = ranking(number, seed, failed=number // 3), number // 3
    _, utility = draw(number, seed)
    gap = case.statements.differences(utility).where(case.statements.better < third, torch.nan)
    answers = pairs(number, seed, 0.1).statements.subset(torch.arange(third))
    one = torch.tensor([third])
    others = answers.join(Statements.certain(one, one + 2, is_tie=True))
    log_gap = torch.cat([gap.log(), torch.full((len(others),), torch.nan).double()])
    distances = Distances(log_gap, torch.tensor(7.0).double())
    statements = case.statements.join(others)
    return replace(case, statements=statements, noise=0.1, distances=distances)


CASES: dict[str, Callable[[int], Case]] = {
    "complete order of 8": lambda seed: ranking(8, seed),
    "complete order of 12": lambda seed: ranking(12, seed),
    "half of 12 failed": lambda seed: ranking(12, seed, failed=6),
    "best 6 of 16": lambda seed: ranking(16, seed, failed=10),
    "4 levels of 3, by the order alone": lambda seed: ranking(12, seed, tied=3),
    "4 levels of 3, the best equal": lambda seed: ranking(12, seed, tied=3, equal=True),
    "24 pairs of 12, noise .01": lambda seed: pairs(12, seed, 0.01),
    "24 pairs of 12, noise .1": lambda seed: pairs(12, seed, 0.1),
    "24 pairs of 12, noise 1": lambda seed: pairs(12, seed, 1.0),
    "the same, 3 judges who may draw": lambda seed: pairs(12, seed, 0.1, judges=3),
    "8 measured, c = 1": lambda seed: measured(8, seed, 1.0),
    "8 measured, c = 7": lambda seed: measured(8, seed, 7.0),
    "8 measured, c = 50": lambda seed: measured(8, seed, 50.0),
    "a mixture of 12": lambda seed: mixture(12, seed),
}


class Law(NamedTuple):
    """What is known of the utilities of a case.

    Attributes:
        log_evidence: Logarithm of the probability of the statements.
        mean: Of each utility less the average one, of shape ``N``.
        deviation: Likewise.
        above: Probability that each of those ranked is better than a new point, ``Q x K``.
    """

    log_evidence: float
    mean: Tensor
    deviation: Tensor
    above: Tensor


def new_points(case: Case) -> Tensor:
    """Twenty points, whose ranks are predicted."""
    generator = torch.Generator().manual_seed(1)
    return torch.rand(20, case.X.shape[-1], generator=generator, dtype=torch.double)


def approximate(case: Case, log_evidence: Tensor, weights: Tensor, root: Tensor) -> Law:
    """Moments and ranks by the formulas of the model, with what an inference found."""
    mean, explained = case.covariance @ weights, case.covariance @ root
    covariance = case.covariance - explained @ explained.T
    centre = torch.eye(len(mean)).double() - 1.0 / len(mean)
    deviation = (centre @ covariance @ centre).diagonal().sqrt()
    cross = matern(new_points(case), case.X)
    shared = cross[:, case.ranked] - cross @ root @ explained[case.ranked].T
    own = 1.0 - (cross @ root).square().sum(-1)
    variance = own.unsqueeze(-1) + covariance.diagonal()[case.ranked] - 2.0 * shared
    lead = mean[case.ranked] - (cross @ weights).unsqueeze(-1)
    above = torch.special.ndtr(lead / variance.sqrt())
    return Law(float(log_evidence), centre @ mean, deviation, above)


def sample(case: Case, posterior: Posterior, least: float, most: int) -> tuple[Law, float]:
    """The truth.

    Args:
        case: The statements.
        posterior: The approximation, from which draws come.
        least: Effective number of draws that is enough.
        most: Number of draws at most.

    Returns:
        The truth, and the effective number of draws.
    """
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    dof, size, batch, number = 6.0, len(case.covariance), 2**17, 0
    explained = case.covariance @ posterior.root
    factor = torch.linalg.cholesky(case.covariance - explained @ explained.T) * 1.25
    prior = torch.linalg.cholesky(case.covariance)
    # Of both densities the constant of a normal law cancels.
    constant = math.lgamma(0.5 * (dof + size)) - math.lgamma(0.5 * dof)
    constant += prior.diagonal().log().sum() - factor.diagonal().log().sum()
    constant -= 0.5 * size * math.log(0.5 * dof)
    chi_square = torch.distributions.Chi2(torch.tensor(dof).double())
    strict = case.statements.subset(case.statements.is_strict)
    draws, log_weights = [], []
    log_sums = torch.full((2,), -torch.inf).double()  # of weights and of their squares
    while number < most and effective(log_sums) < least:
        normal = torch.randn(batch, size, generator=generator, dtype=torch.double)
        step = normal * (dof / chi_square.sample((batch, 1))).sqrt()
        number += batch
        z = posterior.utilities + step @ factor.T
        possible = (strict.differences(z.T) > 0.0).all(0)
        z, step = z[possible], step[possible]
        whitened = torch.linalg.solve_triangular(prior, z.T, upper=False)
        log_drawn = -0.5 * (dof + size) * torch.log1p(step.square().sum(-1) / dof)
        log_target = case.log_likelihood(case.statements.differences(z.T).T).sum(-1)
        log_target -= 0.5 * whitened.square().sum(0)
        draws.append(z)
        log_weights.append(log_target - log_drawn - constant)
        both = torch.stack([log_weights[-1], 2.0 * log_weights[-1]]).logsumexp(-1)
        log_sums = torch.logaddexp(log_sums, both)
    z, weight = torch.cat(draws), torch.cat(log_weights).softmax(0)
    relative = z - z.mean(-1, keepdim=True)
    mean = weight @ relative
    deviation = (weight @ (relative - mean).square()).sqrt()
    some = z[weight.multinomial(2**16, replacement=True, generator=generator)]
    cross = matern(new_points(case), case.X)
    gain = torch.cholesky_solve(cross.T, prior).T
    left = (1.0 - (gain * cross).sum(-1)).sqrt()
    above = [
        torch.special.ndtr((some[:, case.ranked] - (some @ g).unsqueeze(-1)) / s).mean(0)
        for g, s in zip(gain, left, strict=True)
    ]
    law = Law(float(log_sums[0]) - math.log(number), mean, deviation, torch.stack(above))
    return law, effective(log_sums)


def effective(log_sums: Tensor) -> float:
    """Number of draws, from the logarithms of the sums of weights and of their squares."""
    return float((2.0 * log_sums[0] - log_sums[1]).exp()) if bool(log_sums[0].isfinite()) else 0.0


def errors(law: Law, truth: Law) -> list[float]:
    """Of the evidence, of means and deviations at worst, and of laws of ranks on average.

    Those of means are in true deviations, those of deviations a ratio, and those of ranks the total
    variation.
    """
    moved = ((law.mean - truth.mean) / truth.deviation).abs().max()
    ratio = law.deviation / truth.deviation
    ends = torch.ones(len(law.above), 1).double()
    ranks = [-torch.cat([ends, each.above, 0.0 * ends], -1).diff() for each in (law, truth)]
    variation = 0.5 * (ranks[0] - ranks[1]).abs().sum(-1).mean()
    furthest = ratio[ratio.log().abs().argmax()]
    return [law.log_evidence - truth.log_evidence, *map(float, (moved, furthest, variation))]


def accuracy() -> None:
    """Print the table of errors: of each kind the largest of all seeds."""
    print("| statements | evidence | means | deviations | ranks | draws |\n" + 6 * "|---" + "|")
    for name, make in CASES.items():
        found = []
        for seed in SEEDS:
            case = make(seed)
            posterior = case.propagate()
            truth, count = sample(case, posterior, 1e5, 2**24)
            law = posterior.log_evidence, posterior.weights, posterior.root
            found.append([*errors(approximate(case, *law), truth), count])
        values = torch.tensor(found).double()
        evidence, ratio = (largest(values[:, k], origin) for k, origin in ((0, 0.0), (2, 1.0)))
        cells = (
            f"{evidence:+.3f} | {values[:, 1].max():.3f} | {ratio:.3f} | {values[:, 3].max():.3f}"
        )
        print(f"| {name} | {cells} | {values[:, 4].min():.0f} |", flush=True)


def largest(values: Tensor, origin: float) -> float:
    """The value that is furthest from another."""
    return float(values[(values - origin).abs().argmax()])


def sweeps(run: Callable[[], Posterior]) -> int:
    """Number of sweeps: each asks for every kind of site once."""
    calls: list[str] = []

    def counted(name: str, site: Callable[..., object]) -> Callable[..., object]:
        def count(*args: Tensor) -> object:
            calls.append(name)
            return site(*args)

        return count

    kinds = {name: getattr(sites, name) for name in ("truncate", "tie", "distance")}
    with patch.multiple(sites, **{name: counted(name, site) for name, site in kinds.items()}):
        run()
    return max(map(calls.count, kinds))


def seconds() -> None:
    """Print the table of sweeps and milliseconds, from no guess and from sites nearby."""
    print(
        "| N | statements | tolerance | cold: sweeps | ms | warm: sweeps | ms |\n"
        + 7 * "|---"
        + "|"
    )
    for number in (25, 100, 250, 500):
        orders = {
            "ranking": ranking(number, 0),
            "ranking, half of it failed": ranking(number, 0, failed=number // 2),
            "measured ranking": measured(number, 0, 7.0),
            "answers, twice as many": pairs(number, 0, 0.1),
        }
        for (name, case), tolerance in itertools.product(orders.items(), (1e-2, 1e-6)):
            # As in a step of a fit: sites at a lengthscale that is longer by a tenth.
            other = replace(case, covariance=noisy(case.X, lengthscale=1.1))
            near = other.propagate(tolerance=tolerance).sites
            cells = []
            for start in (None, near):
                run = partial(case.propagate, start, tolerance)
                times = []
                for _ in range(3):
                    begin = time.process_time()
                    run()
                    times.append(time.process_time() - begin)
                cells.append(f"{sweeps(run)} | {1e3 * min(times):.1f}")
            print(f"| {number} | {name} | {tolerance:.0e} | {' | '.join(cells)} |", flush=True)


def random_case(seed: int) -> Case:
    """A ranking with ties, failures and distances, answers or both, at any hyperparameters."""
    torch.manual_seed(seed)

    def chance(probability: float) -> bool:
        return float(torch.rand(())) < probability

    def between(low: float, high: float) -> float:
        return low + (high - low) * float(torch.rand(()))

    number, dim = int(torch.randint(5, 41, ())), int(torch.randint(1, 7, ()))
    X = torch.rand(number, dim).double()
    if chance(0.5):  # some points are nearly copies
        near = 10.0 ** between(-9.0, -2.0) * torch.randn(number // 3, dim)
        X[: number // 3] = X[torch.randint(number, (number // 3,))] + near
    modules = Modules(default_kernel(dim), default_likelihood(SETTINGS), warp=Warp(SETTINGS))
    hyperparameters = Hyperparameters(modules)
    low, high = hyperparameters.limits
    coordinates = low + (high - low) * torch.rand_like(low)
    if chance(0.5):  # of the prior, where this is standard normal
        coordinates = torch.randn_like(low).clamp(low, high)
    modules = hyperparameters.assign(coordinates)
    with torch.no_grad():
        covariance = modules.covariance(X, torch.zeros(number, dtype=torch.long))
    covariance = covariance + (modules.noise.detach() + JITTER) * torch.eye(number)
    # A draw of the prior, or what contradicts it; with ties, failures and outliers.
    score = torch.randn(number).double()
    if chance(0.5):
        score = torch.linalg.cholesky(covariance) @ score
    score = torch.sinh(between(0.1, 8.0) * score) if chance(0.5) else score
    if chance(0.5):
        score = (score * 10.0 ** between(-1.0, 2.0)).round()
    score[torch.rand(number) < between(0.0, 0.8) * chance(0.4)] = -torch.inf
    statements, log_gap = Statements.answers(*torch.zeros(2, 0, dtype=torch.long)), score[:0]
    concentration = modules.warp.concentration.detach() if modules.warp else score[0]
    if chance(0.8) and len(score.unique()) > 1:
        records, point = records_of(X, score, order_only=chance(0.3))
        statements = records.statements.renumbered(point)
        log_gap = torch.full((len(statements),), torch.nan).double()
        gaps = modules.warp.measured(records) if modules.warp else None
        if gaps is not None and modules.warp is not None:
            log_gap = modules.warp.distances(*gaps).log_gap.detach()
    if chance(0.4) or not len(statements):
        count = int(torch.randint(1, 3 * number, ()))
        pair = torch.rand(count, number).argsort(-1)[:, :2].T
        answers = Statements.answers(*pair, 4.0 ** (torch.arange(count) % 5 - 2.0).double())
        answers = replace(answers, is_tie=torch.rand(count) < 0.2)
        statements = statements.join(answers) if len(statements) else answers
        log_gap = torch.cat([log_gap, torch.full((count,), torch.nan).double()])
    distances = Distances(log_gap, concentration) if bool(log_gap.isfinite().any()) else None
    noise = 2.0 * math.exp(between(-9.2, 0.7))
    return Case(X, covariance, statements, torch.arange(number), noise, distances)


def moments(case: Case, mean: float, variance: float) -> tuple[float, float]:
    """Mean and deviation of a difference under a normal law and its one statement, on a grid."""
    deviation = variance**0.5
    is_positive = bool(case.statements.is_strict)
    reach = 60.0 * deviation + abs(mean)

    def log_density(at: Tensor) -> Tensor:
        u = at.exp() if is_positive else at
        value = case.log_likelihood(u.unsqueeze(-1)).squeeze(-1)
        value = value - 0.5 * ((u - mean) / deviation).square()
        return value + at if is_positive else value  # of log u, where u is positive

    low, high = (-200.0, math.log(reach) + 1.0) if is_positive else (-reach, reach)
    first, last = low, high
    for _ in range(16):  # the density is unimodal
        at = torch.linspace(low, high, 101).double()
        mode = int(log_density(at).argmax())
        low, high = float(at[max(mode - 1, 0)]), float(at[min(mode + 1, 100)])
    centre, top = float(at[mode]), float(log_density(at[mode : mode + 1]))
    ends = []
    for limit in (first, last):
        steps = (limit - centre) * torch.logspace(-14.0, 0.0, 561).double()
        inside = log_density(centre + steps) > top - 40.0
        ends.append(centre + float(steps[min(int(inside.sum()), 560)]))
    at = torch.linspace(*ends, 4001).double()
    weight = log_density(at).softmax(0)
    u = at.exp() if is_positive else at
    expected = float(weight @ u)
    return expected, float(weight @ (u - expected).square()) ** 0.5


def fuzz(number: int) -> str:
    """Propagate a random mixture of statements, and check the sites by quadrature.

    Args:
        number: Which one.

    Returns:
        What is wrong, or nothing.
    """
    case = random_case(number)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NumericalWarning)
        try:
            posterior = case.propagate()
        except torch.linalg.LinAlgError as error:
            return f"{type(error).__name__}: {error}"
    if caught:
        return str(caught[0].message)
    slopes = posterior.by_log_noise, *posterior.by_distances, posterior.by_covariance()
    values = posterior.log_evidence, posterior.utilities, posterior.root, *slopes
    if not all(bool(value.isfinite().all()) for value in values):
        return "not finite"
    law, differences = posterior.law, case.statements.differences
    scale = differences(differences(case.covariance).T).diagonal().sqrt()
    apart = (differences(posterior.utilities) - law.mean).abs()
    if bool((apart > 1e-3 * law.variance.sqrt() + 1e-6 * (1.0 + scale)).any()):
        return "differences are not those of the utilities"
    for index in torch.randperm(len(law.mean))[:2]:
        cavity = (float(each[index]) for each in law.cavity)
        mean, deviation = moments(case.subset(index.unsqueeze(-1)), *cavity)
        moved = abs(float(law.mean[index]) - mean) / deviation
        ratio = float(law.variance[index]) ** 0.5 / deviation
        if not (moved < 1e-3 and abs(ratio - 1.0) < 1e-3):
            return (
                f"site {int(index)} is off by {moved:.1e} deviations, and {ratio:.4f} times as wide"
            )
    return ""


def main() -> None:
    """Do what the command line says."""
    if sys.argv[1:2] == ["seconds"]:
        seconds()
    elif sys.argv[1:2] == ["fuzz"]:
        start, stop = ([0] + [int(word) for word in sys.argv[2:]])[-2:]
        found = {number: fuzz(number) for number in range(start, stop)}
        failures = {number: wrong for number, wrong in found.items() if wrong}
        for number, wrong in failures.items():
            print(f"{number}: {wrong}")
        print(f"{len(found) - len(failures)} of {len(found)} are right")
    else:
        accuracy()


if __name__ == "__main__":
    main()
