"""The posterior of utilities, by brute force."""

import itertools
import math
import warnings
from typing import NamedTuple

import pytest
import torch
from helpers.gaussian import covariance, unit_points
from helpers.statements import chain, relate
from linear_operator.utils.warnings import NumericalWarning
from scipy.stats import multivariate_normal
from torch import Tensor

from botorch_popbo.likelihoods.propagation import Distances, Posterior, propagate
from botorch_popbo.likelihoods.statements import Statements

NOISE, TIE = 0.05, 0.01
CONCENTRATION = torch.tensor(3.0).double()


def prior(number: int, noise: float = 1e-2, seed: int = 0) -> Tensor:
    X = unit_points(number, seed=seed)
    return covariance(X, torch.tensor([0.4, 0.7]).to(X), noise)


class Case(NamedTuple):
    """What is said of six records, and logarithms of distances of the first statements."""

    statements: Statements
    log_gap: tuple[float, ...] = ()

    @property
    def distances(self) -> Distances | None:
        if not self.log_gap:
            return None
        log_gap = torch.full((len(self.statements),), math.nan, dtype=torch.double)
        log_gap[: len(self.log_gap)] = torch.tensor(self.log_gap)
        return Distances(log_gap, CONCENTRATION)

    def posterior(self, matrix: Tensor, noise: float = NOISE) -> Posterior:
        return propagate(matrix, self.statements, noise, TIE, self.distances)


FAILED = relate([(2, 1), (1, 0), (0, 3), (0, 4), (0, 5)])
CYCLES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3), (2, 5), (2, 5), (0, 5)]
CASES = {
    "ranking": Case(chain([1, 2, 0, 4, 3, 5])),
    "failed": Case(FAILED),
    "tied": Case(relate([(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (4, 5)])),
    "equals": Case(relate([(0, 1), (1, 4)], [(1, 2), (1, 3), (4, 5)])),
    "answers": Case(relate(answers=[(0, 1), (2, 3), (3, 4), (4, 5)], drawn=[(0, 2)])),
    "many answers": Case(relate(answers=CYCLES)),
    "one of three": Case(relate(answers=[(0, 1), (0, 2)], errs=4.0)),
    "both": Case(relate([(0, 1), (1, 2)], answers=[(2, 3), (3, 1), (4, 0)], drawn=[(4, 5)])),
    "distances": Case(chain([1, 2, 0, 4, 3, 5]), (-1.0, 0.3, -2.0, -0.2, 0.5)),
    "distances and failures": Case(FAILED, (-0.5, 0.3)),
    "distances and equals": Case(relate([(0, 1), (1, 4)], [(1, 2), (4, 5)]), (-1.0, 0.2)),
}
EACH = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def by_sampling(case: Case, matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log-evidence, means and covariance of weighted draws from a wider normal law."""
    statements, number = case.statements, len(matrix)
    found = case.posterior(matrix)
    explained = matrix @ found.root
    law = torch.distributions.MultivariateNormal(
        found.utilities, 1.3 * (matrix - explained @ explained.T) + 1e-6 * matrix
    )
    generator = torch.Generator().manual_seed(0)
    normal = torch.randn(60_000, number, generator=generator, dtype=torch.double)
    z = found.utilities + normal @ law.scale_tril.T
    u = z[:, statements.better] - z[:, statements.worse]
    noise = statements.noise * NOISE
    log_probs = torch.where(u > 0.0, 0.0, -torch.inf).double()
    log_probs = log_probs.where(noise == 0.0, torch.special.log_ndtr(u / noise.sqrt()))
    spread = torch.where(noise > 0.0, 0.5 * math.pi * noise, TIE)
    log_probs = log_probs.where(~statements.is_tie, -0.5 * u.square() / spread - math.log(2.0))
    if case.distances is not None:
        log_gap, c = case.distances
        log_ratio = u.log() - log_gap
        gamma = c * (c.log() + log_ratio - log_ratio.exp()) - torch.lgamma(c)
        log_probs = log_probs.where(log_gap.isnan() | (u <= 0.0), gamma)
    prior = torch.distributions.MultivariateNormal(torch.zeros(number).double(), matrix)
    log_weight = log_probs.sum(-1) + prior.log_prob(z) - law.log_prob(z)
    weight = log_weight.softmax(0)
    mean = weight @ z
    spread = (weight.unsqueeze(-1) * (z - mean)).T @ (z - mean)
    return log_weight.logsumexp(0) - math.log(len(z)), mean, spread


@EACH
def test_evidence_and_moments_are_those_of_all_utilities(case: Case) -> None:
    matrix = prior(6)
    found, (log_evidence, mean, expected) = case.posterior(matrix), by_sampling(case, matrix)
    assert float(found.log_evidence) == pytest.approx(float(log_evidence), abs=0.08)
    torch.testing.assert_close(found.utilities, mean, rtol=0.0, atol=0.025)
    explained = matrix @ found.root
    spread = matrix - explained @ explained.T
    torch.testing.assert_close(spread, expected, rtol=0.0, atol=0.05)
    torch.testing.assert_close(found.weights, torch.linalg.solve(matrix, found.utilities))
    assert float(found.weights.sum()) == pytest.approx(0.0, abs=1e-8)


BEST, WORST = [3, 1, 4, 0], [5, 7, 2, 6]
FAILURES = [*itertools.pairwise(BEST), *((BEST[-1], failed) for failed in WORST)]


@pytest.mark.parametrize("statements", [chain(BEST + WORST), relate(FAILURES)])
@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_of_a_ranking_is_the_probability_of_an_orthant(
    statements: Statements, seed: int
) -> None:
    matrix = prior(8, seed=seed)
    gaps = statements.differences(statements.differences(matrix).T)
    exact = math.log(multivariate_normal.cdf(torch.zeros(7), cov=gaps, rng=0))
    assert float(propagate(matrix, statements).log_evidence) == pytest.approx(exact, abs=0.1)


def test_few_records_have_known_probabilities() -> None:
    one, two, three = prior(1), prior(2), torch.eye(3).double()
    assert float(propagate(one, relate()).log_evidence) == 0.0
    assert propagate(one, relate()).utilities.tolist() == [0.0]
    assert propagate(one, relate()).root.shape[0] == 1
    certain = propagate(two, relate([(0, 1)])).log_evidence
    guess = propagate(two, relate(answers=[(0, 1)]), 1e8).log_evidence
    for value in (certain, guess):
        assert float(value) == pytest.approx(math.log(0.5), abs=1e-4)
    middle = propagate(three, chain([1, 0, 2])).log_evidence
    assert float(middle) == pytest.approx(math.log(1.0 / 6.0), abs=1e-3)


@EACH
def test_gradients_are_those_of_the_evidence(case: Case) -> None:
    matrix, statements, step = prior(6), case.statements, 1e-4
    found = case.posterior(matrix)
    direction = covariance(unit_points(6, seed=1), torch.tensor([0.2, 0.2]).double())

    def slope(ahead: Posterior, behind: Posterior) -> Tensor:
        return (ahead.log_evidence - behind.log_evidence) / (2.0 * step)

    def compare(actual: Tensor, expected: Tensor) -> None:
        torch.testing.assert_close(actual, expected, rtol=1e-3, atol=1e-4)

    ends = [case.posterior(matrix + s * direction) for s in (step, -step)]
    compare((found.by_covariance() * direction).sum(), slope(*ends))
    ends = [case.posterior(matrix, NOISE * math.exp(s)) for s in (step, -step)]
    compare(found.by_log_noise, slope(*ends))
    if case.distances is None:
        assert found.by_distances == ()
        return

    def moved(log_gap: Tensor | float, concentration: float) -> Posterior:
        known = Distances(case.distances.log_gap + log_gap, CONCENTRATION + concentration)
        return propagate(matrix, statements, NOISE, TIE, known)

    by_log_gap, by_concentration = found.by_distances
    compare(by_concentration, slope(moved(0.0, step), moved(0.0, -step)))
    at = torch.linspace(0.5, 1.0, len(statements)).double()
    compare(by_log_gap @ at, slope(moved(step * at, 0.0), moved(-step * at, 0.0)))


@pytest.mark.parametrize("name", ["many answers", "both"])
def test_records_without_statements_change_nothing(name: str) -> None:
    # Of more answers than records the regression is one of the records, else of the answers.
    statements, number = CASES[name].statements, len(CASES[name].statements) + 1
    matrix = prior(number)
    few, many = (propagate(each, statements, NOISE) for each in (matrix[:6, :6], matrix))
    for name in ("log_evidence", "by_log_noise", "weights", "utilities"):
        one, other = getattr(few, name), getattr(many, name)
        torch.testing.assert_close(one, other[:6] if one.ndim else other, rtol=1e-4, atol=1e-5)
    slopes = few.by_covariance(), many.by_covariance()
    for one, other in (slopes, (few.root @ few.root.T, many.root @ many.root.T)):
        torch.testing.assert_close(one, other[:6, :6], rtol=1e-4, atol=1e-4)
    assert not bool(many.weights[6:].any())


@pytest.mark.parametrize("name", ["ranking", "failed", "tied"])
def test_the_scale_of_the_prior_cancels(name: str) -> None:
    plain, scaled = (CASES[name].posterior(scale * prior(6)) for scale in (1.0, 9.0))
    torch.testing.assert_close(scaled.log_evidence, plain.log_evidence, rtol=0.0, atol=1e-5)
    torch.testing.assert_close(scaled.utilities, 3.0 * plain.utilities, rtol=0.0, atol=1e-4)
    assert plain.by_log_noise == 0.0


@EACH
def test_neither_a_level_nor_the_order_of_statements_nor_a_start_matters(case: Case) -> None:
    matrix, number = prior(6), len(case.statements)
    plain, shuffle = case.posterior(matrix), torch.arange(number).flip(0)
    distances = case.distances
    if distances is not None:
        distances = Distances(distances.log_gap[shuffle], distances.concentration)
    others = [
        propagate(matrix, case.statements.subset(shuffle), NOISE, TIE, distances),
        case.posterior(matrix + 100.0),
        propagate(matrix, case.statements, NOISE, TIE, case.distances, plain.sites),
    ]
    for other in others:
        torch.testing.assert_close(other.log_evidence, plain.log_evidence, rtol=0, atol=1e-5)
        torch.testing.assert_close(other.weights, plain.weights, rtol=1e-4, atol=1e-3)


def test_what_is_no_covariance_is_refused_and_what_does_not_settle_warns() -> None:
    with pytest.raises(torch.linalg.LinAlgError):
        propagate(-prior(3), relate(answers=CYCLES[:3] * 2), NOISE)
    with pytest.warns(NumericalWarning, match="did not settle in 200 sweeps"):
        found = propagate(prior(3), chain(range(3)), tolerance=0.0)
    assert found.utilities.isfinite().all()


def mixture(seed: int) -> tuple[Tensor, Statements, Distances | None, float]:
    """Anything at all, of records some of which are all but the same."""
    generator = torch.Generator().manual_seed(seed)

    def integer(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    number = integer(3, 25)
    X = unit_points(number, 1 + seed % 3, seed)
    X[: number // 3] = X[-(number // 3) :] + 10.0 ** -integer(3, 13)
    lengthscale = torch.full((X.shape[-1],), 10.0 ** integer(-1, 2)).double()
    matrix = covariance(X, lengthscale, 10.0 ** -integer(2, 7) + 1e-8)
    ranking = torch.randperm(number, generator=generator)[: integer(2, number + 1)].tolist()
    # No answer contradicts distances: these are of a ranking, answers then of another task.
    free = set(range(number)) - set(ranking[: number * (1 - seed % 2)])
    asked = torch.randint(number, (integer(0, 60) * (seed % 3 > 0), 2), generator=generator)
    answers = [(i, j) for i, j in asked.tolist() if i != j and {i, j} <= free]
    answers += [pair[::-1] for pair in answers[:5]]
    strict = itertools.pairwise(ranking)
    statements = relate(strict, (), answers, answers[::7], 10.0 ** integer(-1, 2))
    noise = 10.0 ** -integer(0, 7)
    if seed % 2:
        return matrix, statements, None, noise
    decades = 18.0 * torch.rand(len(statements), generator=generator, dtype=torch.double) - 9.0
    log_gap = (math.log(10.0) * decades).where(statements.is_strict, math.nan)
    concentration = torch.tensor(10.0 ** integer(-2, 5)).double()
    return matrix, statements, Distances(log_gap, concentration), noise


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_whatever_is_said_settles(first: int) -> None:
    for seed in range(first, first + 10):
        matrix, statements, distances, noise = mixture(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = propagate(matrix, statements, noise, TIE, distances)
        values = found.utilities, found.log_evidence, found.root, found.by_covariance()
        for each in (*values, found.by_log_noise, *found.by_distances):
            assert bool(each.isfinite().all()), seed
