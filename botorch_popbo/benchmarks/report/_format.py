"""Numbers as text."""

import math

import pandas as pd


def estimate(mean: float, error: float, form: str | None = None) -> str:
    """Format a mean with its standard error; a dash if there is none.

    Without a format they have three and two digits.
    """
    if math.isnan(mean):
        return "-"
    spread = "" if math.isnan(error) else f" ± {format(error, form or '.2g')}"
    return format(mean, form or ".3g") + spread


def estimate_of(values: "pd.Series[float]") -> str:
    """Format the mean of values with its standard error."""
    return estimate(values.mean(), values.sem())
