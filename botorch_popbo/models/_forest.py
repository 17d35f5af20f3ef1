"""Ranked lists as pairs of neighbours, of which a forest has as many as it has gaps."""

import torch
from torch import Tensor

from botorch_popbo.likelihoods.order import Relations


def neighbours(level: Tensor, group: Tensor, hangs_below: Tensor, hangs_above: Tensor) -> Relations:
    """Relate each entry of ranked lists to a neighbour.

    The levels of a list form a chain, and entries of one level are tied. Not so on levels whose
    entries are known from one side only: those that hang below are each worse than the level above,
    and those that hang above are each better than the level below, with no order among them.

    Args:
        level: Position of each of ``m`` entries among all levels, of which those of one list follow
            each other, best first; of shape ``m``.
        group: Which list each entry is in, of shape ``m``.
        hangs_below: For each of the ``L`` levels whether its entries hang below the one above.
        hangs_above: For each of the ``L`` levels whether its entries hang above the one below.

    Returns:
        Strict and tied relations, one less than entries for every list.
    """
    entry = torch.arange(len(level), device=level.device)
    num_levels = len(hangs_below)
    first = torch.full((num_levels,), len(level), device=level.device)
    first = first.scatter_reduce(0, level, entry, "amin")
    opens = _starts_list(group[first])
    closes = torch.cat([opens[1:], opens[:1]])
    below, above = hangs_below & ~opens, hangs_above & ~closes
    previous, following = first.roll(1), first.roll(-1)
    leads = entry == first[level]
    hangs_under = below[level]
    hangs_over = above[level] & ~hangs_under
    is_tied = ~(leads | hangs_under | hangs_over)
    follows = leads & ~(hangs_over | (opens | above.roll(1))[level])
    is_under = hangs_under | follows
    # One entry of a level is enough for all that hang below it to hang on.
    is_over = hangs_over & ~(leads & below.roll(-1)[level])
    better = torch.cat([previous[level][is_under], entry[is_over], first[level][is_tied]])
    worse = torch.cat([entry[is_under], following[level][is_over], entry[is_tied]])
    certain = torch.zeros(len(better), dtype=torch.double, device=level.device)
    tied = torch.arange(len(better), device=level.device) >= len(better) - int(is_tied.sum())
    return Relations(better, worse, tied, certain)


def open_ends(size: Tensor, list_of_level: Tensor) -> tuple[Tensor, Tensor]:
    """Which ends of complete rankings are open: of several worst or best all that is known is that.

    The worst ones, failed runs among them, are worse than the next level by any amount, and ties at
    the best may hide what is better still. A tie between them would be taken for a flat function.

    Args:
        size: Number of entries of each level, of shape ``L``.
        list_of_level: Which list each level is in, of shape ``L``.

    Returns:
        Which levels hang below and which hang above, of shape ``L``.
    """
    opens = _starts_list(list_of_level)
    closes = torch.cat([opens[1:], opens[:1]])
    return closes & ~opens & (size > 1), opens & ~closes & (size > 1)


def _starts_list(group: Tensor) -> Tensor:
    """Where another list begins than the one before."""
    starts = torch.ones_like(group, dtype=torch.bool)
    starts[1:] = group[1:] != group[:-1]
    return starts
