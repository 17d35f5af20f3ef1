"""Relations written by hand, for tests of orders."""

import itertools
from collections.abc import Iterable

import torch
from torch import Tensor

from botorch_popbo.likelihoods.order import Relations

Pair = tuple[int, int]


def relate(
    strict: Iterable[Pair] = (),
    tied: Iterable[Pair] = (),
    answers: Iterable[tuple[int, int, float]] = (),
) -> Relations:
    """Pairs of a better and a worse record, and how often a judge said so."""
    certain = [(*pair, False, 0.0) for pair in strict] + [(*pair, True, 0.0) for pair in tied]
    rows = certain + [(better, worse, False, number) for better, worse, number in answers]
    better, worse, is_tied, number = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Relations(
        torch.tensor(better, dtype=torch.long),
        torch.tensor(worse, dtype=torch.long),
        torch.tensor(is_tied, dtype=torch.bool),
        torch.tensor(number, dtype=torch.double),
    )


def chain(best_first: Iterable[int]) -> Relations:
    """A complete ranking without ties."""
    return relate(itertools.pairwise(best_first))


def pairs(relations: Relations, which: Tensor | None = None) -> set[Pair]:
    """Those of a kind, or all of them, as pairs of a better and a worse record."""
    kept = torch.ones_like(relations.is_tied) if which is None else which
    return set(zip(relations.better[kept].tolist(), relations.worse[kept].tolist(), strict=True))


def counted(relations: Relations) -> dict[Pair, float]:
    """How often each answer was given."""
    keys = zip(relations.better.tolist(), relations.worse.tolist(), strict=True)
    found = dict(zip(keys, relations.answers.tolist(), strict=True))
    assert len(found) == len(relations)
    return found


def components(relations: Relations, num_records: int) -> list[set[int]]:
    """Records that relations connect.

    Raises:
        AssertionError: If there is a cycle.
    """
    parts = [{record} for record in range(num_records)]
    for pair in zip(relations.better.tolist(), relations.worse.tolist(), strict=True):
        one, other = (next(part for part in parts if record in part) for record in pair)
        assert one is not other, "a cycle"
        parts = [part for part in parts if part is not one and part is not other] + [one | other]
    return parts
