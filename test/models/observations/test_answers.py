import torch
from helpers.comparisons import counted
from helpers.ranking import line

from botorch_popbo.data import Order
from botorch_popbo.models._observations.from_order import observations_of


def of_lists(*lists: dict[int, float], best_only: bool = False) -> Order:
    """Lists of one task: scores of some of five points, larger being better."""
    entries = [(i, item, score) for i, scores in enumerate(lists) for item, score in scores.items()]
    index, item, score = (torch.tensor(column) for column in zip(*entries, strict=True))
    score = score.double()
    best = (
        torch.zeros(len(lists)).double().scatter_reduce(0, index, score, "amax", include_self=False)
    )
    return Order(
        X=line(5),
        item=item,
        score=score,
        variance=torch.zeros_like(score),
        list_index=index,
        task_index=torch.zeros_like(item),
        is_censored=(score < best[index]) if best_only else torch.zeros_like(item).bool(),
        is_measured=torch.zeros_like(item).bool(),
    )


def answers(order: Order) -> dict[tuple[int, int], float]:
    """How often which point was said to be better than which."""
    records = observations_of(order)
    item, found = records.item.tolist(), counted(records.comparisons)
    return {(item[i], item[j]): number for (i, j), number in found.items()}


def test_a_tie_counts_half_for_either_side() -> None:
    found = answers(of_lists({0: 1.0, 1: 1.0}, {1: 1.0, 0: 1.0}, {0: 2.0, 1: 1.0}))
    assert found == {(0, 1): 2.0, (1, 0): 1.0}


def test_a_ranked_list_is_answers_about_neighbours() -> None:
    found = answers(of_lists({3: 4.0, 0: 3.0, 2: 1.0}, {0: 2.0, 3: 1.0}))
    assert found == {(3, 0): 1.0, (0, 2): 1.0, (0, 3): 1.0}


def test_a_best_one_is_an_answer_against_each_of_the_others() -> None:
    lists = {4: 1.0, 0: 0.0, 2: 0.0, 3: 0.0}, {0: 1.0, 4: 0.0}
    found = answers(of_lists(*lists, best_only=True))
    assert found == {(4, 0): 1.0, (4, 2): 1.0, (4, 3): 1.0, (0, 4): 1.0}
