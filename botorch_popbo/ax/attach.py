"""Past trials of the same function, from a CSV file, as a warm start."""

import os
from typing import Any

import pandas as pd
from ax.api.client import Client
from ax.exceptions.core import UserInputError

from botorch_popbo.ax.sources import check_columns


def attach_trials(client: Client, table: str | os.PathLike[str] | pd.DataFrame) -> list[int]:
    """Attach a row of a table as a trial each; the strategy goes on from there.

    Args:
        client: A client with a search space and an optimization.
        table: A CSV file or a data frame, with a column for each parameter and for each metric of
            the optimization. Other columns have no effect. Where a metric is empty, the trial
            failed.

    Returns:
        The indices of the trials.

    Raises:
        UserInputError: If a column is missing, or a parameter has no value; nothing is attached.
        OSError: If the file cannot be read.
    """
    rows = table if isinstance(table, pd.DataFrame) else pd.read_csv(table)
    experiment = client._experiment
    config = experiment.optimization_config
    if config is None:
        raise UserInputError("Call client.configure_optimization first.")
    parameters, metrics = experiment.search_space.parameters, sorted(config.metric_names)
    check_columns(rows, [*parameters, *metrics])
    for name in parameters:
        if rows[name].isna().any():
            raise UserInputError(f"Row {int(rows[name].isna().argmax())} has no {name!r}.")
    indices = []
    for row in rows.to_dict("records"):
        point: Any = {name: one.cast(row[name]) for name, one in parameters.items()}
        indices.append(index := client.attach_trial(point))
        if any(pd.isna(row[name]) for name in metrics):
            client.mark_trial_failed(index, failed_reason="no outcome in the table")
        else:
            client.complete_trial(index, {name: float(row[name]) for name in metrics})
    return indices
