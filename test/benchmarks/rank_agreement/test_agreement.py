import numpy as np
import pytest
from botorch_popbo.benchmarks.rank_agreement.agreement import agreement, ranking

SCORES = np.array([0.3, -2.0, 5.0, 0.1, 0.2])


def test_a_rank_is_the_number_of_better_points() -> None:
    assert ranking(SCORES).tolist() == [3, 0, 4, 1, 2]
    assert ranking(np.array([1.0, 0.0, 1.0])).tolist() == [1, 0, 1]


def test_what_is_not_a_number_has_no_rank() -> None:
    with pytest.raises(ValueError, match="not a number"):
        ranking(np.array([1.0, np.nan]))


def test_equal_rankings_agree_and_reversed_ones_do_not() -> None:
    truth = ranking(SCORES)
    assert agreement(ranking(np.exp(SCORES)), truth) == pytest.approx(1.0)
    assert agreement(ranking(-SCORES), truth) == pytest.approx(-1.0)


def test_one_pair_in_the_wrong_order_counts_twice() -> None:
    # Of ten pairs nine agree and one does not.
    swapped = np.array([0.3, -2.0, 5.0, 0.2, 0.1])
    assert agreement(ranking(swapped), ranking(SCORES)) == pytest.approx(0.8)


def test_a_constant_prediction_agrees_with_nothing() -> None:
    assert agreement(ranking(np.zeros(5)), ranking(SCORES)) == 0.0
