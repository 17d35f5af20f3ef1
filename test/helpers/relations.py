"""Relations written by hand, for tests of orders."""

import itertools
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from botorch_popbo.likelihoods.relations import Relations

Pair = tuple[int, int]


def relate(
    strict: Iterable[Pair] = (),
    between: Iterable[tuple[int, int, int]] = (),
    answers: Iterable[tuple[int, int, float]] = (),
) -> Relations:
    """Better and worse records, records between two others, and how often a judge said so."""
    better, worse = _columns(strict, 2)
    above, record, below = _columns(between, 3)
    winner, loser, number = _columns(answers, 3)
    certain = Relations.strict(better.long(), worse.long()).join(
        Relations.between(above.long(), record.long(), below.long())
    )
    return certain.join(Relations.judged(winner.long(), loser.long(), number))


def _columns(rows: Iterable[tuple[float, ...]], number: int) -> Sequence[Tensor]:
    return torch.tensor(list(rows), dtype=torch.double).reshape(-1, number).unbind(-1)


def is_gap(relations: Relations) -> Tensor:
    """Certain relations that bound their records from one side only."""
    return (relations.answers == 0) & ~is_side(relations)


def is_side(relations: Relations) -> Tensor:
    """Relations that bound a record together with another one."""
    return relations.other_side != torch.arange(len(relations))


def chain(best_first: Iterable[int]) -> Relations:
    """A complete ranking without ties."""
    return relate(itertools.pairwise(best_first))


def pairs(relations: Relations, which: Tensor | None = None) -> set[Pair]:
    """Those of a kind, or all of them, as pairs of a better and a worse record."""
    kept = relations.better >= 0 if which is None else which
    return set(zip(relations.better[kept].tolist(), relations.worse[kept].tolist(), strict=True))


def counted(relations: Relations) -> dict[Pair, float]:
    """How often each answer was given."""
    keys = zip(relations.better.tolist(), relations.worse.tolist(), strict=True)
    found = dict(zip(keys, relations.answers.tolist(), strict=True))
    assert len(found) == len(relations)
    return found


def components(relations: Relations, num_records: int) -> list[set[int]]:
    """Records that relations connect, but for the lower sides of intervals.

    Raises:
        AssertionError: If there is a cycle.
    """
    parts = [{record} for record in range(num_records)]
    counts = torch.arange(len(relations)) <= relations.other_side
    for pair in pairs(relations, counts):
        one, other = (next(part for part in parts if record in part) for record in pair)
        assert one is not other, "a cycle"
        parts = [part for part in parts if part is not one and part is not other] + [one | other]
    return parts
