"""From results to averages and a table."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from botorch_popbo.benchmarks.report._text import aligned, estimate

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.experiments.rank_agreement._campaign import RankAgreement


def average(campaign: "RankAgreement", results: pd.DataFrame) -> pd.DataFrame:
    """The mean over the seeds, its standard error and the count, by noise, deviation and model.

    They are not a number without a result, the error also with one.
    """
    levels = {
        "noise": campaign.noise,
        "deviation": campaign.deviations,
        "model": campaign.methods,
    }
    groups = results.astype({"tau": float}).groupby(list(levels))["tau"]
    found = groups.agg(["mean", "sem", "count"])
    # Rounding of the mean would give equal values a deviation.
    found["sem"] = found["sem"].mask((groups.nunique() == 1) & (found["count"] > 1), 0.0)
    found = found.reindex(pd.MultiIndex.from_product(levels.values(), names=levels))
    return found.fillna({"count": 0})


def table(campaign: "RankAgreement", averages: pd.DataFrame) -> str:
    """Tabulate the agreement: a row for each size of noise, a column for each model."""
    rows = [("noise", "deviation", *campaign.methods)]
    for (noise, deviation), found in averages.groupby(["noise", "deviation"], sort=False):
        cells = (estimate(*pair) for pair in zip(found["mean"], found["sem"], strict=True))
        rows.append((noise, f"{deviation:g}", *cells))
    note = (
        f"Kendall's tau of predicted and true ranking, {campaign.design} design: mean ± standard "
        f"error, {campaign.seeds} seeds"
    )
    return "\n".join([*aligned(rows), note, *_missing(campaign, averages)])


def _missing(campaign: "RankAgreement", averages: pd.DataFrame) -> Iterator[str]:
    wanted = len(campaign.deviations) * campaign.seeds
    counts = averages["count"].groupby(["noise", "model"], sort=False).sum().astype(int)
    for (noise, model), number in counts.items():
        if number < wanted:
            yield f"missing: {wanted - number} of {wanted} results of {model}, {noise}"
