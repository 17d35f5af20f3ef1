"""From results to curves and a table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from botorch_popbo.benchmarks.rank_agreement.results import Result
from botorch_popbo.benchmarks.rank_agreement.study import Study
from botorch_popbo.benchmarks.report import estimate


@dataclass(frozen=True)
class Curve:
    """A model's agreement with the true ranking under one kind of noise.

    Attributes:
        noise: The kind of noise.
        model: The model's name.
        mean: The mean of tau over the seeds, for each deviation; not a number without a result.
        error: Its standard error; not a number with fewer than two results.
        num_results: The number of results in all.
    """

    noise: str
    model: str
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    num_results: int


def make_curves(study: Study, results: Sequence[Result]) -> list[Curve]:
    """Average over the seeds.

    Args:
        study: The study.
        results: Its results.

    Returns:
        One curve for each model under each kind of noise.
    """
    return [
        _curve(study, results, noise, model) for noise in study.noises for model in study.models
    ]


def table(study: Study, curves: Sequence[Curve]) -> str:
    """Tabulate the agreement: a row for each noise, a column for each model.

    Args:
        study: The study.
        curves: Its curves.

    Returns:
        Lines of text.
    """
    rows = [["noise", "deviation", *study.models]]
    for noise in study.noises:
        shown = [curve for curve in curves if curve.noise == noise]
        for i, deviation in enumerate(study.deviations):
            cells = [estimate(curve.mean[i], curve.error[i]) for curve in shown]
            rows.append([noise, f"{deviation:g}", *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    wanted = len(study.deviations) * study.seeds
    missing = [
        f"missing: {wanted - curve.num_results} of {wanted} results of {curve.model}, {curve.noise}"
        for curve in curves
        if curve.num_results < wanted
    ]
    note = (
        f"Kendall's tau of predicted and true ranking, {study.design} design: mean ± standard "
        f"error, {study.seeds} seeds"
    )
    return "\n".join([*lines, note, *missing])


def _curve(study: Study, results: Sequence[Result], noise: str, model: str) -> Curve:
    chosen = [r for r in results if (r.setting.noise, r.setting.model) == (noise, model)]
    groups = [
        np.array([r.tau for r in chosen if r.setting.deviation == deviation])
        for deviation in study.deviations
    ]
    return Curve(
        noise=noise,
        model=model,
        mean=np.array([taus.mean() if taus.size else np.nan for taus in groups]),
        error=np.array([_standard_error(taus) for taus in groups]),
        num_results=len(chosen),
    )


def _standard_error(values: NDArray[np.float64]) -> float:
    if values.size < 2:
        return np.nan
    # Rounding of the mean would give equal values a deviation.
    return 0.0 if np.ptp(values) == 0 else float(values.std(ddof=1) / np.sqrt(values.size))
