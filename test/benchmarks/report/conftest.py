from dataclasses import replace
from typing import Any

import numpy as np

from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.report.summary import Curve, Summary
from botorch_popbo.benchmarks.settings import TrialRecord

from ..conftest import trial


def curve(method: str, *results: float, seconds: float = 1.0, **changed: Any) -> Curve:
    """One evaluation, after which the replications ended where it is said."""
    ends = np.array(results, dtype=float)
    fields: dict[str, Any] = {
        "seeds": tuple(range(len(ends))),
        "traces": np.stack([np.full(len(ends), 9.0), ends], axis=-1),
        "evaluated": np.stack([np.full(len(ends), 9.0), ends], axis=-1),
        "times": np.tile([0.0, seconds], (len(ends), 1)),
    }
    fields |= changed
    fields.setdefault("recommended", fields["traces"])
    return Curve(method, **fields)


def summary(
    *curves: Curve, problem: str = "branin", minimize: bool = True, **changed: Any
) -> Summary:
    found = PROBLEMS[problem].load(None)
    if not minimize:
        found = replace(found, minimize=False, optimal_value=None)
    fields: dict[str, Any] = {"initial": 12, "trials": 1, "seeds": 3, "curves": curves}
    return Summary(found, **(fields | changed))


def spread(mean: list[float], error: list[float]) -> np.ndarray[Any, Any]:
    """Three traces of a mean and a standard error."""
    return np.array(mean) + np.sqrt(3) * np.outer([-1, 0, 1], error)


Numbers = list[float | None]


def records(
    observed: Numbers, scores: Numbers | None = None, held: Numbers | None = None
) -> list[TrialRecord]:
    """Trials of points with noise-free scores, before which a model held others for the best."""
    nothing: Numbers = [None] * len(observed)
    return [
        trial(
            index,
            value,
            score,
            parameters={"x0": float(index), "x1": 1.0},
            incumbent_score=incumbent,
            optimizer_seconds=0.5 * index,
            generator="random" if index < 4 else "Other",
            versions={"torch": "2", "commit": str(index)},
        )
        for index, (value, score, incumbent) in enumerate(
            zip(observed, scores or observed, held or nothing, strict=True)
        )
    ]


CURVE = curve(
    "random",
    *(0.0, 0.0, 0.0),
    traces=spread([4.0, 2.0, 0.25], [1.0, 3.0, 0.125]),
    evaluated=spread([0.1875] * 3, [0.0625] * 3),
    times=np.tile([0.0, 1e-4, 2e-4], (3, 1)),
    versions=("torch 2",),
)
BETTER = replace(
    CURVE,
    method="popbo",
    traces=spread([1.0, 0.5, 0.0625], [1.0, 3.0, 0.125]),
    times=np.tile([0.0, 1.0, 2.5], (3, 1)),
)
SUMMARIES = [
    summary(CURVE, BETTER, problem=name, trials=2) for name in ("branin", "sklearn-digits")
]
