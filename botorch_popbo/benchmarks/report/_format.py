"""Numbers as text."""

import math
from collections.abc import Sequence

import pandas as pd


def estimate(mean: float, error: float, form: str | None = None) -> str:
    """Format a mean with its standard error; of the two, what is not a number is left out.

    Without a format they have three and two digits.
    """
    spread = "" if math.isnan(mean + error) else f" ± {format(error, form or '.2g')}"
    return number(mean, form or ".3g") + spread


def estimate_of(values: "pd.Series[float]") -> str:
    """Format the mean of values with its standard error."""
    return estimate(values.mean(), values.sem())


def number(value: float, form: str) -> str:
    """Format a number, or a dash for what is not a number."""
    return "-" if math.isnan(value) else format(value, form)


def spread(
    results: pd.DataFrame, keys: Sequence[str], along: str, value: str, seeds: int
) -> pd.DataFrame:
    """Tabulate means of a value with their standard errors, and how many seeds have them all.

    There is a row for each combination of the keys, and a column for each value of ``along``.
    """
    cells = (
        results.groupby([*keys, along], sort=False)[value].apply(estimate_of).unstack(sort=False)
    )
    found = results.groupby([*keys, "seed"], sort=False)[along].nunique() == cells.shape[1]
    complete = found.groupby([*keys], sort=False).sum().astype(str)
    cells.insert(0, "seeds", complete + f"/{seeds}")
    return cells
