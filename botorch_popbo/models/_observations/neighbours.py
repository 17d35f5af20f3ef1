"""Rankings as pairs of neighbours, of which a forest has as many as it has gaps."""

import torch
from torch import Tensor

from botorch_popbo.data._rows import DistinctRows
from botorch_popbo.likelihoods.comparisons import Comparisons


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
