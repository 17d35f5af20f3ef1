"""Comparisons written by hand, for tests of orders."""

import itertools
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from botorch_popbo.likelihoods.comparisons import Comparisons

Pair = tuple[int, int]


def relate(
    strict: Iterable[Pair] = (),
    between: Iterable[tuple[int, int, int]] = (),
    answers: Iterable[tuple[int, int, float]] = (),
    equal: Iterable[Pair] = (),
) -> Comparisons:
    """Better and worse records, others between two, how often a judge said so, and equals."""
    better, worse = _columns(strict, 2)
    above, record, below = _columns(between, 3)
    winner, loser, number = _columns(answers, 3)
    certain = Comparisons.strict(better.long(), worse.long()).join(
        Comparisons.between(above.long(), record.long(), below.long())
    )
    judged = Comparisons.judged(winner.long(), loser.long(), number)
    one, other = _columns(equal, 2)
    tie = torch.full_like(one, 0.2)
    return certain.join(judged).join(Comparisons.equal(one.long(), other.long(), tie))


def _columns(rows: Iterable[tuple[float, ...]], number: int) -> Sequence[Tensor]:
    return torch.tensor(list(rows), dtype=torch.double).reshape(-1, number).unbind(-1)


def is_gap(comparisons: Comparisons) -> Tensor:
    """Certain comparisons that bound their records from one side only."""
    return (comparisons.answers == 0) & ~is_side(comparisons)


def is_side(comparisons: Comparisons) -> Tensor:
    """Comparisons that bound a record together with another one."""
    return comparisons.other_side != torch.arange(len(comparisons))


def chain(best_first: Iterable[int]) -> Comparisons:
    """A complete ranking without ties."""
    return relate(itertools.pairwise(best_first))


def pairs(comparisons: Comparisons, which: Tensor | None = None) -> set[Pair]:
    """Those of a kind, or all of them, as pairs of a better and a worse record."""
    kept = comparisons.better >= 0 if which is None else which
    return set(
        zip(comparisons.better[kept].tolist(), comparisons.worse[kept].tolist(), strict=True)
    )


def counted(comparisons: Comparisons) -> dict[Pair, float]:
    """How often each answer was given."""
    keys = zip(comparisons.better.tolist(), comparisons.worse.tolist(), strict=True)
    found = dict(zip(keys, comparisons.answers.tolist(), strict=True))
    assert len(found) == len(comparisons)
    return found


def components(comparisons: Comparisons, num_records: int) -> list[set[int]]:
    """Observations that comparisons connect, but for the lower sides of intervals.

    Raises:
        AssertionError: If there is a cycle.
    """
    parts = [{record} for record in range(num_records)]
    counts = torch.arange(len(comparisons)) <= comparisons.other_side
    for pair in pairs(comparisons, counts):
        one, other = (next(part for part in parts if record in part) for record in pair)
        assert one is not other, "a cycle"
        parts = [part for part in parts if part is not one and part is not other] + [one | other]
    return parts
