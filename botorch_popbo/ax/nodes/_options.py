"""What every node with a model can be told."""

from collections.abc import Sequence
from typing import Any, TypedDict, get_args

import pandas as pd
from ax.exceptions.core import UserInputError

from botorch_popbo.ax._checks import check_device, check_whole


class NodeOptions(TypedDict, total=False):
    """What every node with a model can be told.

    Attributes:
        max_parallelism: While so many trials run, the node suggests none and Ax raises
            ``MaxParallelismReachedException``; by default any number may run. How many are
            suggested at a time is up to ``get_next_trials(max_trials=...)``.
        deduplicate: Whether a point that was already tried is rejected, as it is by default.
        device: Where to compute, such as ``"cuda:0"``; by default on the CPU. Ax computes in
            float64 everywhere.
        num_restarts: Starting points of BoTorch's optimizer, by default as many as the space and
            the acquisition function need. Without effect where every point of a discrete space is
            looked at; Ax's Gaussian process refuses it there.
        raw_samples: Points that the starting points are chosen from, likewise.
        sources: Tables of earlier experiments over the same parameters, for the default preset: a
            row for each evaluation and a column for each parameter and metric, as
            ``client.summarize()`` returns them.
    """

    max_parallelism: int | None
    deduplicate: bool
    device: str | None
    num_restarts: int | None
    raw_samples: int | None
    sources: Sequence[pd.DataFrame]


def check_options(options: NodeOptions) -> None:
    """Refuse options that are unknown or out of range, by a ``UserInputError``."""
    unknown = sorted(set(options) - set(NodeOptions.__annotations__))
    if unknown:
        known = ", ".join(NodeOptions.__annotations__)
        raise UserInputError(f"Unknown options {', '.join(unknown)}; known: {known}.")
    check_whole(
        max_parallelism=options.get("max_parallelism"),
        num_restarts=options.get("num_restarts"),
        raw_samples=options.get("raw_samples"),
    )
    restarts, samples = options.get("num_restarts"), options.get("raw_samples")
    if restarts is not None and samples is not None and samples < restarts:
        raise UserInputError(
            f"raw_samples is at least num_restarts, whose points come from them; got {samples} and "
            f"{restarts}."
        )
    if not isinstance(options.get("deduplicate", True), bool):
        raise UserInputError(f"deduplicate is True or False; got {options['deduplicate']!r}.")
    check_device(options.get("device"))


def check_name(name: str, value: object, known: Any) -> None:
    """Refuse what is none of a literal type's names, by a ``UserInputError``."""
    if value not in get_args(known):
        raise UserInputError(f"Unknown {name} {value!r}; known: {', '.join(get_args(known))}.")
