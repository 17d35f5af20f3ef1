import itertools
import math
from dataclasses import replace

import pytest
import torch
from helpers.comparisons import chain, is_gap, is_side, pairs, relate
from helpers.gaussian import covariance, unit_points
from linear_operator.utils.warnings import NumericalWarning
from torch import Tensor

from botorch_popbo.likelihoods import order as likelihood
from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.order import OrderedUtilities, order_utilities

JUDGE = 0.05
NATS = {"rtol": 0.0, "atol": 3e-4}  # Newton's method stops at the root of its tolerance
WEIGHTS = torch.tensor([0.3, 1.0, 0.5, 1.0, 0.7]).double()
ORDERS = {
    "chain": chain([1, 2, 0, 4, 3, 5]),
    "star": relate([(2, i) for i in (0, 1, 3, 4, 5)]),
    "weighted": replace(relate([(2, i) for i in (0, 1, 3, 4, 5)]), weight=WEIGHTS),
    "weighted_ties": replace(
        relate([(0, 1), (1, 5)], between=[(0, 2, 5), (0, 3, 5), (0, 4, 5)]),
        weight=torch.tensor([1.0, 1.0, 0.3, 0.6, 1.0, 0.3, 0.6, 1.0]).double(),
    ),
    "tree": relate([(0, 1), (1, 2), (1, 3), (4, 1), (5, 2)]),
    "two_lists": relate([(0, 1), (1, 2), (3, 4), (4, 5)]),
    "ties": relate([(0, 1), (1, 4)], between=[(0, 2, 4), (0, 3, 4)]),
    "two_ties": relate([(0, 1), (1, 3), (3, 5)], between=[(0, 2, 3), (1, 4, 5)]),
    "answers": relate(answers=[(0, 1, 1.0), (2, 3, 3.0), (3, 4, 0.5), (4, 5, 1.0)]),
    "cycles": relate(
        answers=[(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 0.5), (4, 3, 0.5), (2, 5, 1.0)]
    ),
    "every_pair": relate(answers=[(i, j, 1.5) for i in range(6) for j in range(i + 1, 6)]),
    "mixture": relate(
        [(0, 1), (0, 2)],
        between=[(0, 4, 1)],
        answers=[(1, 2, 1.0), (3, 1, 2.0), (2, 3, 1.0), (5, 0, 1.0)],
    ),
}
EACH = pytest.mark.parametrize("comparisons", ORDERS.values(), ids=ORDERS)
JUDGED = pytest.mark.parametrize("name", ["answers", "cycles", "every_pair", "mixture"])


def prior(num_points: int, noise: float = 1e-2) -> Tensor:
    X = unit_points(num_points)
    return covariance(X, torch.tensor([0.4, 0.7]).to(X), noise)


def in_order(comparisons: Comparisons, num_records: int, scale: float = 1.0) -> Tensor:
    """Utilities that agree with all certain comparisons."""
    utilities = torch.zeros(num_records).double()
    for _ in range(num_records):
        for better, worse in pairs(comparisons, comparisons.answers == 0):
            gap = scale * (0.5 + 0.1 * worse)
            utilities[worse] = torch.minimum(utilities[worse], utilities[better] - gap)
    return utilities


def ordered(
    matrix: Tensor, comparisons: Comparisons, noise: float = JUDGE, scale: float = 1.0
) -> OrderedUtilities:
    return order_utilities(matrix, comparisons, in_order(comparisons, len(matrix), scale), noise)


def log_volume(differences: Tensor, comparisons: Comparisons, weight: Tensor) -> Tensor:
    """Of gaps and of intervals."""
    inverse = (1.0 / differences)[is_side(comparisons)]
    other = (1.0 / differences)[comparisons.other_side][is_side(comparisons)]
    gaps, sides = is_gap(comparisons), is_side(comparisons)
    of_intervals = 0.5 * weight[sides] @ (inverse + other).log()  # each has two sides
    return weight[gaps] @ differences[gaps].log() - of_intervals


def log_sites(differences: Tensor, comparisons: Comparisons) -> Tensor:
    """The volumes by their weights, and what answers add."""
    answers = comparisons.answers @ torch.special.log_ndtr(differences / math.sqrt(JUDGE))
    return log_volume(differences, comparisons, comparisons.weight) + answers


def log_integrand(utilities: Tensor, matrix: Tensor, comparisons: Comparisons) -> Tensor:
    quadratic = utilities @ torch.linalg.solve(matrix, utilities)
    return -0.5 * quadratic + log_sites(comparisons.differences(utilities), comparisons)


def by_dense_matrices(found: OrderedUtilities, matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Laplace's method over logarithms of gaps and log-odds in intervals; the rest as it is.

    Returns:
        The log-likelihood, and the covariance of the weights at the mode.
    """
    comparisons, number = found.comparisons, len(matrix)
    design, gaps = comparisons.differences(torch.eye(number).double()), is_gap(comparisons)
    upper = (comparisons.other_side > torch.arange(len(comparisons))).nonzero().squeeze(-1)
    lower = comparisons.other_side[upper]
    above, inner, below = (
        comparisons.better[upper],
        comparisons.worse[upper],
        comparisons.worse[lower],
    )
    outer = torch.tensor([record for record in range(number) if record not in inner])
    rows = design[gaps][:, outer]
    full = torch.linalg.svd(rows, full_matrices=True).Vh if len(rows) else torch.eye(len(outer))
    complement = full[len(rows) :].double()
    to_outer = torch.linalg.inv(torch.cat([rows, complement]))

    def utilities(coordinates: Tensor) -> Tensor:
        logs, rest, odds = coordinates.split([len(rows), len(complement), len(inner)])
        placed = torch.zeros(number).double()
        placed = placed.index_copy(0, outer, to_outer @ torch.cat([logs.exp(), rest]))
        within = placed[below] + odds.sigmoid() * (placed[above] - placed[below])
        return placed.index_copy(0, inner, within)

    def log_density(coordinates: Tensor) -> Tensor:
        return log_integrand(utilities(coordinates), matrix, comparisons)

    gap = comparisons.differences(found.utilities)
    rest = complement @ found.utilities[outer]
    mode = torch.cat([gap[gaps].log(), rest, (gap[lower] / gap[upper]).log()])
    hessian = -torch.autograd.functional.hessian(log_density, mode)
    determinants = torch.logdet(matrix) + torch.logdet(hessian)
    value = log_density(mode) + torch.linalg.slogdet(to_outer).logabsdet - 0.5 * determinants
    # What counts less for the mode is an event like any other.
    value = value + log_volume(gap, comparisons, 1.0 - comparisons.weight)
    # What of the utilities is not in any difference has no weight.
    to_weights = design.T @ torch.linalg.pinv(design @ matrix @ design.T, hermitian=True) @ design
    by_weights = to_weights @ torch.autograd.functional.jacobian(utilities, mode)
    return value, by_weights @ torch.linalg.inv(hessian) @ by_weights.T


@EACH
def test_the_mode_is_stationary_and_in_order(comparisons: Comparisons) -> None:
    matrix = prior(6)
    found = ordered(matrix, comparisons)
    utilities = found.utilities.clone().requires_grad_()
    differences = comparisons.differences(utilities)
    certain = differences[comparisons.answers == 0].detach()
    assert (certain > 0.0).all()
    (slope,) = torch.autograd.grad(log_integrand(utilities, matrix, comparisons), utilities)
    unit = min([1.0, *certain.tolist()])  # the shortest gap
    torch.testing.assert_close(unit * slope, torch.zeros(6).double(), rtol=0, atol=1e-3)
    weights = torch.linalg.solve(matrix, found.utilities)
    torch.testing.assert_close(found.weights, weights, rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(found.weights.sum(), torch.zeros(()).double(), rtol=0, atol=1e-8)
    torch.testing.assert_close(
        comparisons.forest.differences(utilities), found.gaps, rtol=1e-6, atol=1e-8
    )


@EACH
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_mode_does_not_depend_on_the_start(comparisons: Comparisons, scale: float) -> None:
    found, other = (ordered(prior(6), comparisons, scale=s) for s in (1.0, scale))
    torch.testing.assert_close(other.gaps, found.gaps, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(other.log_likelihood, found.log_likelihood, **NATS)


@EACH
def test_the_likelihood_is_laplaces_method(comparisons: Comparisons) -> None:
    matrix = prior(6)
    found = ordered(matrix, comparisons)
    value, left_open = by_dense_matrices(found, matrix)
    torch.testing.assert_close(found.log_likelihood, value, **NATS)
    explained = found.root @ found.root.T - found.ordered_root @ found.ordered_root.T
    torch.testing.assert_close(explained, left_open, rtol=1e-3, atol=1e-3)


def all_rankings() -> list[Comparisons]:
    return [chain(order) for order in itertools.permutations(range(5))]


def all_winners() -> list[Comparisons]:
    return [relate([(i, j) for j in range(5) if j != i]) for i in range(5)]


def all_answers() -> list[Comparisons]:
    """To questions of which three form a cycle."""
    asked = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 0)]
    return [
        relate(answers=[(*pair[::sign], 1.0) for pair, sign in zip(asked, signs, strict=True)])
        for signs in itertools.product([1, -1], repeat=len(asked))
    ]


@pytest.mark.parametrize(
    ("every", "noise", "low", "high"),
    [
        (all_rankings(), JUDGE, -0.5, -0.2),
        (all_winners(), JUDGE, -1.2, -0.8),
        (all_answers(), JUDGE, -0.5, -0.2),
        (all_answers(), 1.0, -0.05, 0.0),
    ],
    ids=["rankings", "winners", "answers", "noisy_answers"],
)
def test_probabilities_of_all_orders_sum_to_one_up_to_laplaces_error(
    every: list[Comparisons], noise: float, low: float, high: float
) -> None:
    values = [ordered(prior(5), comparisons, noise).log_likelihood for comparisons in every]
    assert low < torch.stack(values).logsumexp(0) < high


@EACH
def test_gradient_in_the_covariance(comparisons: Comparisons) -> None:
    matrix = prior(6)
    direction = covariance(unit_points(6, seed=1), torch.tensor([0.2, 0.2]).double())
    step = 1e-5
    up, down = (ordered(matrix + s * direction, comparisons).log_likelihood for s in (step, -step))
    gradient = ordered(matrix, comparisons).gradient()
    torch.testing.assert_close(gradient, gradient.T)
    torch.testing.assert_close(
        (gradient * direction).sum(), (up - down) / (2.0 * step), rtol=1e-3, atol=1e-5
    )


@JUDGED
def test_gradient_in_the_noise_of_answers(name: str) -> None:
    comparisons, step = ORDERS[name], 1e-4
    up, down = (
        ordered(prior(6), comparisons, JUDGE * math.exp(s)).log_likelihood for s in (step, -step)
    )
    found = ordered(prior(6), comparisons).by_log_noise
    torch.testing.assert_close(found, (up - down) / (2.0 * step), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", ["chain", "star", "tree", "two_lists", "ties", "two_ties"])
def test_the_scale_of_the_prior_cancels(name: str) -> None:
    plain, scaled = (ordered(scale * prior(6), ORDERS[name]) for scale in (1.0, 9.0))
    torch.testing.assert_close(scaled.log_likelihood, plain.log_likelihood, **NATS)
    torch.testing.assert_close(scaled.utilities, 3.0 * plain.utilities, rtol=1e-3, atol=1e-4)
    assert plain.by_log_noise == 0.0


@JUDGED
def test_with_answers_the_scale_of_the_noise_is_part_of_it(name: str) -> None:
    comparisons = ORDERS[name]
    plain, scaled = (
        ordered(prior(6), comparisons),
        ordered(9.0 * prior(6), comparisons, 9.0 * JUDGE),
    )
    torch.testing.assert_close(scaled.log_likelihood, plain.log_likelihood, **NATS)


@EACH
def test_the_level_of_the_utilities_cancels(comparisons: Comparisons) -> None:
    plain, raised = (ordered(prior(6) + level, comparisons) for level in (0.0, 100.0))
    torch.testing.assert_close(raised.log_likelihood, plain.log_likelihood, rtol=0, atol=1e-5)
    torch.testing.assert_close(raised.weights, plain.weights, rtol=1e-4, atol=1e-4)


def test_an_answer_given_often_is_as_many_answers() -> None:
    once = relate(answers=[(0, 1, 1.0)] * 3 + [(1, 2, 1.0)])
    thrice = relate(answers=[(0, 1, 3.0), (1, 2, 1.0)])
    first, second = (ordered(prior(3), comparisons) for comparisons in (once, thrice))
    torch.testing.assert_close(first.log_likelihood, second.log_likelihood, rtol=0, atol=1e-6)
    torch.testing.assert_close(first.utilities, second.utilities, rtol=0, atol=1e-4)


def test_two_records_have_known_probabilities() -> None:
    exact = ordered(prior(2), relate([(0, 1)])).log_likelihood
    assert exact.item() == pytest.approx(-0.5 - 0.5 * math.log(2.0))
    # What a judge says who hardly sees a difference is anyone's guess.
    guess = ordered(prior(2), relate(answers=[(0, 1, 1.0)]), noise=1e4).log_likelihood
    assert guess.item() == pytest.approx(math.log(0.5), abs=1e-4)


def test_one_record_has_no_order() -> None:
    one = order_utilities(prior(1), relate(), torch.zeros(1).double())
    assert one.log_likelihood == 0.0
    assert one.utilities.tolist() == [0.0]
    assert one.root.shape == (1, 0)


def test_answers_are_differences_of_the_utilities_however_far_the_start() -> None:
    comparisons = ORDERS["cycles"]
    for noise in (1e-1, 1e-3):
        found = ordered(prior(6), comparisons, noise)
        far = order_utilities(prior(6), comparisons, 10.0 * in_order(ORDERS["chain"], 6), noise)
        for mode in (found, far):
            torch.testing.assert_close(
                mode.gaps, comparisons.forest.differences(mode.utilities), rtol=0, atol=1e-6
            )
        torch.testing.assert_close(far.log_likelihood, found.log_likelihood, **NATS)


def test_a_step_that_leads_too_far_is_shortened() -> None:
    contradiction = Comparisons.judged(torch.tensor([1, 2]), torch.tensor([2, 1]))
    for size in (1.0, 30.0, 1000.0):
        start = torch.tensor([0.0, size, -size]).double()
        found = order_utilities(prior(3), contradiction, start, 1e-3)
        torch.testing.assert_close(found.gaps, torch.zeros(1).double(), rtol=0, atol=5e-6)


def test_answers_that_cancel_leave_no_difference() -> None:
    both_ways = Comparisons.judged(torch.tensor([0, 1, 2, 3]), torch.tensor([1, 0, 3, 2]))
    found = order_utilities(prior(4), both_ways, torch.zeros(4).double(), 0.1)
    torch.testing.assert_close(found.gaps, torch.zeros(2).double(), rtol=0, atol=1e-9)
    assert found.gradient().isfinite().all()
    assert found.by_log_noise.isfinite()


@EACH
def test_the_step_that_is_left_is_accounted_for(comparisons: Comparisons) -> None:
    start = in_order(comparisons, 6, scale=1.0)
    exact = order_utilities(prior(6), comparisons, start)
    loose = order_utilities(prior(6), comparisons, start, tolerance=1e-4)
    assert abs(float(loose.log_likelihood - exact.log_likelihood)) < 2e-4


@EACH
@pytest.mark.parametrize("steps", [1, 2])
def test_too_few_steps_are_told_and_survived(
    comparisons: Comparisons, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likelihood, "_MAX_ITERATIONS", steps)
    start = in_order(comparisons, 6, scale=5.0)
    with pytest.warns(NumericalWarning, match=f"not found in {steps} steps"):
        reached = order_utilities(prior(6), comparisons, start)
    for value in (reached.utilities, reached.log_likelihood, reached.gradient()):
        assert value.isfinite().all()
