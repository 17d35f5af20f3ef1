"""Statements about pairs of records, written by hand."""

import itertools
from collections.abc import Iterable

import torch

from botorch_popbo.likelihoods.statements import Statements

Pair = tuple[int, int]


def relate(
    strict: Iterable[Pair] = (),
    equal: Iterable[Pair] = (),
    answers: Iterable[Pair] = (),
    drawn: Iterable[Pair] = (),
    errs: float = 1.0,
) -> Statements:
    """Better and worse records, equals, what judges said, and what they called a draw."""
    columns = [torch.tensor([*rows]).reshape(-1, 2).long().T for rows in (strict, equal)]
    certain = Statements.certain(*columns[0]).join(Statements.certain(*columns[1], is_tie=True))
    columns = [torch.tensor([*rows]).reshape(-1, 2).long().T for rows in (answers, drawn)]
    judged = Statements.answers(*columns[0], errs)
    return certain.join(judged).join(Statements.answers(*columns[1], errs, is_tie=True))


def chain(best_first: Iterable[int]) -> Statements:
    """A complete ranking without ties."""
    return relate(itertools.pairwise(best_first))


def pairs(statements: Statements) -> list[Pair]:
    """Better and worse record of each, in rising order."""
    return sorted(zip(statements.better.tolist(), statements.worse.tolist(), strict=True))
