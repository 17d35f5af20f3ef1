from dataclasses import replace

import torch
from helpers.comparisons import chain, relate
from helpers.gaussian import covariance, unit_points
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons
from botorch_popbo.likelihoods.order import order_utilities
from botorch_popbo.likelihoods.weights import weighted

INDEPENDENT = torch.eye(6).double()
STAR = relate([(k, 5) for k in range(5)])
FALLING = -torch.arange(6).double()


def prior(X: Tensor, noise: float = 0.0) -> Tensor:
    return covariance(X, torch.tensor([0.4, 0.7]).to(X), noise)


def likelihood(comparisons: Comparisons, matrix: Tensor) -> float:
    return float(order_utilities(matrix, comparisons, FALLING[: len(matrix)]).log_likelihood)


def test_a_ranking_and_answers_keep_their_weights() -> None:
    for comparisons in (chain(range(6)), relate(answers=[(k, 5, 1.0) for k in range(5)])):
        assert torch.equal(weighted(comparisons, prior(unit_points(6))).weight, comparisons.weight)


def test_what_hangs_apart_from_others_counts_for_one() -> None:
    tied = relate([(0, 1), (1, 2), (3, 1), (2, 4)])  # two at the best, one at the worst
    torch.testing.assert_close(
        weighted(tied, INDEPENDENT[:5, :5]).weight, torch.tensor([0.9, 1.0, 0.9, 1.0]).double()
    )  # given the second difference, the two have a correlation of one third


def test_witnesses_of_the_same_count_for_one_in_all() -> None:
    X = unit_points(4)[[0, 1, 2, 3, 3, 3]]
    one, three = chain(range(4)), relate([(0, 1), (1, 2), (2, 3), (2, 4), (2, 5)])
    matrix = prior(X) + 1e-8 * INDEPENDENT
    weight = weighted(three, matrix).weight
    expected = torch.tensor([1.0, 1.0, 1 / 3, 1 / 3, 1 / 3]).double()
    torch.testing.assert_close(weight, expected, rtol=1e-3, atol=0.0)
    # So the others change nothing.
    alone, together = likelihood(one, matrix[:4, :4]), likelihood(weighted(three, matrix), matrix)
    assert abs(alone - together) < 2e-2 < abs(alone - likelihood(three, matrix))


def test_both_sides_of_an_interval_have_the_weight_of_their_record() -> None:
    X = unit_points(4)[[0, 1, 2, 3, 3]]
    tied = relate([(0, 1), (1, 2)], between=[(0, 3, 2), (0, 4, 2)])
    found = weighted(tied, prior(X) + 1e-8 * INDEPENDENT[:5, :5])
    torch.testing.assert_close(found.weight, found.weight[found.other_side])
    torch.testing.assert_close(
        found.weight[2:], torch.full((4,), 0.5).double(), rtol=1e-3, atol=0.0
    )


def test_the_best_of_many_is_as_probable_as_it_is() -> None:
    # All are alike, so each is the worst with probability one in six.
    truth = -torch.tensor(6.0).log()
    assert abs(likelihood(weighted(STAR, INDEPENDENT), INDEPENDENT) - truth) < 0.2
    assert abs(likelihood(STAR, INDEPENDENT) - truth) > 1.0


def test_the_order_of_relations_does_not_matter() -> None:
    matrix, order = prior(unit_points(6), 1e-2), torch.tensor([3, 0, 4, 1, 2])
    shuffled = replace(STAR, better=STAR.better[order])
    torch.testing.assert_close(
        weighted(shuffled, matrix).weight, weighted(STAR, matrix).weight[order]
    )
