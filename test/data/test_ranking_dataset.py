import itertools
from typing import Any

import pytest
import torch
from botorch.exceptions import InputDataError, UnsupportedError
from botorch.models.pairwise_gp import PairwiseGP
from botorch.utils.containers import SliceContainer
from botorch.utils.datasets import RankingDataset
from helpers.ranking import INF, as_records, line, tensor
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from botorch_popbo import data
from botorch_popbo.data import from_ranking_dataset, to_ranking_dataset


def dataset(values: Tensor, indices: list[list[int]], ranks: list[list[int]]) -> RankingDataset:
    return RankingDataset(
        X=SliceContainer(
            values=values,
            indices=torch.tensor(indices),
            event_shape=torch.Size([len(indices[0]) * values.shape[-1]]),
        ),
        Y=torch.tensor(ranks),
        feature_names=[f"f{i}" for i in range(values.shape[-1])],
        outcome_names=["ranking"],
    )


#: Four of six items, and their places with ties: the numbers of items ahead.
RANKINGS = st.tuples(
    st.permutations(range(6)).map(lambda items: items[:4]),
    st.tuples(*[st.integers(0, 2)] * 4).map(lambda y: [sum(o < x for o in y) for x in y]),
)


@given(st.lists(RANKINGS, min_size=1, max_size=6))
def test_records_match_brute_force(rankings: list[tuple[list[int], list[int]]]) -> None:
    items, ranks = (list(column) for column in zip(*rankings, strict=True))
    order = from_ranking_dataset(dataset(line(6), items, ranks))
    expected = dict.fromkeys(sorted({i for listed in items for i in listed}), (0.0, 0.0))
    for listed, places in rankings:
        for one, other in itertools.permutations(range(4), 2):
            k, n = expected[listed[one]]
            lost = 0.5 if places[one] == places[other] else float(places[other] < places[one])
            expected[listed[one]] = k + lost, n + 1
    assert as_records(order) == [((float(i),), *expected[i]) for i in expected]
    assert (order.num_lists, order.num_tasks) == (len(rankings), 1)
    # Out and in again, nothing is lost.
    again = to_ranking_dataset(order)
    assert torch.equal(again.X, dataset(line(6), items, ranks).X)
    assert again.Y.tolist() == ranks
    assert as_records(from_ranking_dataset(again)) == as_records(order)


@pytest.mark.parametrize(
    ("order", "ranks"),
    [
        (data.from_ordering(line(5), [3, 0, 4]), [[1, 0, 2]]),
        (data.from_outcomes(line(4), tensor([2.0, -INF, 7.0, 1.0])), [[1, 3, 0, 2]]),
        (data.from_top_k(line(4), [2, 1], [0]), [[2, 1, 0]]),
        (
            data.from_comparisons(line(3), torch.tensor([[0, 1]]), torch.tensor([[1, 2], [0, 2]])),
            [[0, 1], [0, 0], [0, 0]],
        ),
    ],
)
def test_lists_survive_the_way_out_and_in(order: data.Order, ranks: list[list[int]]) -> None:
    written = to_ranking_dataset(order)
    assert written.Y.tolist() == ranks
    assert as_records(from_ranking_dataset(written)) == as_records(order)


def test_equal_rows_are_one_item_and_unused_ones_left_out(tkwargs: dict[str, Any]) -> None:
    values = torch.tensor([[1.0], [0.0], [-0.0], [9.0]], **tkwargs)
    order = from_ranking_dataset(dataset(values, [[0, 1], [2, 0]], [[0, 1], [1, 0]]))
    assert as_records(order) == [((0.0,), 2.0, 2.0), ((1.0,), 0.0, 2.0)]
    assert order.X.dtype == order.score.dtype == tkwargs["dtype"]
    assert order.X.device.type == tkwargs["device"].type


def test_preference_models_take_the_data_set_and_its_names() -> None:
    order = data.from_comparisons(line(3).expand(-1, 2), torch.tensor([[2, 1], [1, 0]]))
    default, named = to_ranking_dataset(order), to_ranking_dataset(order, ["lr", "wd"], "taste")
    assert (default.feature_names, default.outcome_names) == (["x0", "x1"], ["ranking"])
    assert (named.feature_names, named.outcome_names) == (["lr", "wd"], ["taste"])
    model = PairwiseGP(**PairwiseGP.construct_inputs(named))
    winners, losers = model.datapoints[model.comparisons][..., 0].T.tolist()
    assert sorted(zip(winners, losers, strict=True)) == [(1, 0), (2, 1)]


@pytest.mark.parametrize("listed", [[0, 0], [1, 2]])
def test_a_repeated_item_says_what_to_do(listed: list[int]) -> None:
    values = tensor([[3.0], [0.0], [-0.0]])
    with pytest.raises(InputDataError, match="holds an item, or an equal one, twice"):
        from_ranking_dataset(dataset(values, [[0, 1], listed], [[0, 1], [0, 1]]))


def test_lists_of_several_lengths_say_what_to_do() -> None:
    order = data.combine(
        data.from_ordering(line(4), [0, 1, 2]), data.from_ordering(line(4), [3, 1])
    )
    with pytest.raises(UnsupportedError, match=r"lists are of \[2, 3\] points.*of each length"):
        to_ranking_dataset(order)
