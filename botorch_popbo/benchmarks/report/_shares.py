"""How many evaluations went where little can be learned."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.benchmarks.settings import TrialRecord

_NEAR = 0.01  # of the range of every parameter


def shares(problem: Problem, records: Sequence[TrialRecord], initial: int) -> Mapping[str, float]:
    """Shares of a replication's suggestions.

    Args:
        problem: The problem.
        records: All trials.
        initial: How many of them are of the initial design.

    Returns:
        By name: of parameters at a bound; of suggestions with half of them there, and of those with
        an outcome worse than the median of all; with an outcome seen before, to the last digit; and
        nearer than a hundredth of every range to an earlier point.
    """
    space = problem.space
    X = torch.stack([space.encode(record.parameters) for record in records])
    unit = space.to_unit(X)
    at_bound = (space.bounds == X.unsqueeze(-2)).any(-2)[:, ~space.is_categorical]
    is_corner = at_bound.double().mean(-1) >= 0.5
    sign = 1.0 if problem.minimize else -1.0
    told = torch.tensor([np.inf if r.observed is None else sign * r.observed for r in records])
    repeated = [bool((told[:i] == told[i]).any()) for i in range(len(X))]
    near = [bool(((unit[:i] - unit[i]).abs() < _NEAR).all(-1).any()) for i in range(len(X))]
    found = {
        "parameters at bounds": at_bound.double().mean(-1),
        "corners": is_corner,
        "bad corners": is_corner & (told > told.median()),
        "repeated outcomes": torch.tensor(repeated),
        "near copies": torch.tensor(near),
    }
    return {name: float(values[initial:].double().mean()) for name, values in found.items()}
