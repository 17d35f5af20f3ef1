"""What an order says of pairs of records: neighbours in a ranking, and answers that may err."""

import torch
from torch import Tensor

from botorch_popbo.data._rows import DistinctRows, distinct_rows
from botorch_popbo.data.order import Order
from botorch_popbo.likelihoods.comparisons import Comparisons


def answers_of(order: Order, judged: Tensor) -> Comparisons:
    """What lists say of pairs of records.

    A list of more than two is taken for answers about neighbours, and a best one for an answer
    against each of the others. A tie counts half for either side. Equal answers are counted. A
    known variance of an answer is that of its judge, in units of the others' common one.

    Args:
        order: The order.
        judged: Which tasks are known by answers, a mask.

    Returns:
        The answers; none if there is no such task.
    """
    level, leader = order.places.inverse, order.places.rows
    entry = torch.arange(len(level), device=level.device)
    is_judged = judged[order.task_index]
    _, is_best = ends_of_lists(order.list_index[leader])  # of its list, whose scores rise
    loses = is_judged & ~is_best[level]
    draws = is_judged & (entry != leader[level]) & ~order.is_censored
    # Against one of the next better level, as in a ranking: the list does not say more.
    winner, drawn = leader.roll(-1)[level][loses], leader[level][draws]
    better = order.ranked.inverse[torch.cat([winner, drawn, entry[draws]])]
    worse = order.ranked.inverse[torch.cat([entry[loses], entry[draws], drawn])]
    weight = torch.where(torch.arange(len(better), device=level.device) < len(winner), 1.0, 0.5)
    # How much more than others whoever was asked errs.
    errs = order.judge_noise[loses].double()
    noise = torch.cat([errs, errs.new_ones(len(better) - len(errs))])
    distinct = distinct_rows(better, worse, noise)
    counted = torch.zeros_like(distinct.rows, dtype=torch.double)
    counted = counted.index_add_(0, distinct.inverse, weight.double())
    kept = distinct.rows
    return Comparisons.judged(better[kept], worse[kept], counted, noise[kept])


def expected_answers(utility: Tensor, known: Tensor, number: int) -> Comparisons:
    """Answers that place new records where they are expected.

    Args:
        utility: Expected utilities of ``m`` records, then of the new ones.
        known: Which of the ``m`` are comparable, of shape ``m``.
        number: Number of new ones.

    Returns:
        For each new record the answers for the next better known one and against the next worse.
    """
    order = known.nonzero().squeeze(-1)
    order = order[utility[order].argsort(descending=True, stable=True)]
    new = torch.arange(len(utility) - number, len(utility), device=utility.device)
    above = torch.searchsorted(-utility[order], -utility[new])
    has_better, has_worse = above > 0, above < len(order)
    better = torch.cat([order[above[has_better] - 1], new[has_worse]])
    worse = torch.cat([new[has_better], order[above[has_worse]]])
    return Comparisons.judged(better, worse)


def neighbours(places: DistinctRows, group: Tensor, tie: Tensor) -> Comparisons:
    """Relate each entry of rankings to its neighbours.

    One entry of every level leads it, and the leaders form a chain. Of the others all that is known
    is that they lie between the leaders of the next better and the next worse level. Those at
    an open end hang on the next level: ties at the best may hide what is better still, and the
    worst, failed runs among them, are worse by any amount. Where outcomes say how far apart others
    are, those that tie are equals, but for the worst: else a plateau would look like a slope, or
    nearly as good as what is far better.

    Args:
        places: Levels of ``m`` entries, best first and those of one ranking together.
        group: Which ranking each entry is in, of shape ``m``.
        tie: How far apart equals are, of shape ``m``; zero where it is free.

    Returns:
        Certain comparisons; none in a ranking of one level.
    """
    leader, level, _ = places
    entry = torch.arange(len(level), device=level.device)
    opens, closes = ends_of_lists(group[leader])
    if len(leader) == len(level):  # nothing is tied
        follows = ~opens[1:]
        return Comparisons.strict(leader[:-1][follows], leader[1:][follows])
    above, below = leader.roll(1)[level], leader.roll(-1)[level]
    leads = entry == leader[level]
    best, worst, inner = opens & ~closes, closes & ~opens, ~(opens | closes)
    # One comparison for every gap: where the best hang on a leader, it does not hang on them.
    under = worst[level] | (leads & (inner & ~best.roll(1))[level])
    equal = ~closes[level] & ~leads & (tie > 0)
    over = best[level] & ~(leads & worst.roll(-1)[level]) & ~equal
    inside = inner[level] & ~leads & ~equal
    pairs = Comparisons.strict(
        torch.cat([above[under], entry[over]]), torch.cat([entry[under], below[over]])
    )
    pairs = pairs.join(Comparisons.equal(leader[level][equal], entry[equal], tie[equal]))
    return pairs.join(Comparisons.between(above[inside], entry[inside], below[inside]))


def ends_of_lists(group: Tensor) -> tuple[Tensor, Tensor]:
    """Which levels are the best and the worst of their lists.

    Args:
        group: Which list each level is in, of shape ``L``; those of one list follow each other.

    Returns:
        Two tensors of shape ``L``.
    """
    opens = torch.ones_like(group, dtype=torch.bool)
    opens[1:] = group[1:] != group[:-1]
    return opens, torch.cat([opens[1:], opens[:1]])
