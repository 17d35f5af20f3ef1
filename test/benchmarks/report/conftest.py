from dataclasses import replace
from typing import Any

import numpy as np

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report.summary import Curve, Summary
from botorch_popbo.benchmarks.settings import TrialRecord

from ..conftest import trial


def curve(method: str, *results: float, seconds: float = 1.0, **changed: Any) -> Curve:
    """One evaluation, after which the replications ended where it is said."""
    traces = np.array([[9.0, end] for end in results])
    fields: dict[str, Any] = {
        "seeds": tuple(range(len(results))),
        **dict.fromkeys(("traces", "evaluated", "recommended"), traces),
        "times": np.tile([0.0, seconds], (len(results), 1)),
    }
    return Curve(method, **(fields | changed))


def summary(
    *curves: Curve, problem: str = "branin", minimize: bool = True, **changed: Any
) -> Summary:
    found = PROBLEMS[problem].load(None)
    if not minimize:
        found = replace(found, minimize=False, optimal_value=None)
    fields: dict[str, Any] = {"initial": 12, "trials": 1, "seeds": 3, "curves": curves}
    return Summary(found, **(fields | changed))


Numbers = list[float | None]


def records(
    observed: Numbers, scores: Numbers | None = None, held: Numbers | None = None
) -> list[TrialRecord]:
    """Trials of points with noise-free scores, before which a model held others for the best."""
    scores, held = scores or observed, held or [None] * len(observed)
    return [
        trial(
            index,
            value,
            scores[index],
            parameters={"x0": float(index), "x1": 1.0},
            incumbent_score=held[index],
            optimizer_seconds=0.5 * index,
            versions={"torch": "2", "commit": str(index)},
        )
        for index, value in enumerate(observed)
    ]
