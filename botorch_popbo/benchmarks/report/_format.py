"""Numbers as text."""

import math

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
