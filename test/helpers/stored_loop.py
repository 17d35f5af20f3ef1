"""A service loop that keeps its experiment in a database and survives being killed.

Run as ``python stored_loop.py DATABASE LOG NUM_TRIALS``. It continues what the database holds.
Trials that were running when the loop was killed are evaluated again with their own parameters, and
so are completed ones without data: Ax stores a trial's status before its data.
"""

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig, StorageConfig
from ax.exceptions.core import ExperimentNotFoundError
from ax.storage.sqa_store.db import create_all_tables, get_engine, init_engine_and_session_factory

from botorch_popbo.ax import popbo_generation_strategy

NAME = "stored loop"


def evaluate(parameters: dict[str, Any]) -> float:
    decades = math.log10(parameters["rate"] / 1e-3)
    return decades**2 + (parameters["depth"] - 3) ** 2 / 9 + (parameters["kind"] != "b")


def load_or_start(storage: StorageConfig) -> Client:
    """The stored experiment, with what is missing if the loop was killed while it began."""
    try:
        client = Client.load_from_database(NAME, storage)
    except ExperimentNotFoundError:
        client = Client(storage)
        client.configure_experiment(
            [
                RangeParameterConfig("rate", (1e-6, 1.0), "float", scaling="log"),
                RangeParameterConfig("depth", (1, 8), "int"),
                ChoiceParameterConfig("kind", ["a", "b", "c"], "str", is_ordered=False),
            ],
            name=NAME,
        )
    if client._experiment.optimization_config is None:
        client.configure_optimization("-loss")
    if client._maybe_generation_strategy is None:
        client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=6))
    return client


def unfinished(client: Client) -> dict[int, dict[str, Any]]:
    """Trials that a killed loop left without a result, with their parameters."""
    with_data = set(client._experiment.lookup_data().df["trial_index"])
    return {
        index: trial.arm.parameters
        for index, trial in client._experiment.trials.items()
        if trial.status.is_running or (trial.status.is_completed and index not in with_data)
    }


def record(log: Path, event: str, **details: Any) -> None:
    """Append a line and wait until it is on the disk."""
    with log.open("a") as file:
        file.write(json.dumps({"event": event, **details}) + "\n")
        file.flush()
        os.fsync(file.fileno())


def main(database: str, log: Path, num_trials: int) -> None:
    url = f"sqlite:///{database}"
    init_engine_and_session_factory(url=url)
    create_all_tables(get_engine())
    record(log, "started")
    client = load_or_start(StorageConfig(url=url))
    record(log, "loaded")
    trials = client._experiment.trials
    batch = unfinished(client)
    if batch:
        record(log, "resumed", trials=list(batch))
    while batch or len(trials) < num_trials:
        batch = batch or client.get_next_trials(max_trials=1)
        for index, parameters in batch.items():
            record(log, "suggested", trial=index, parameters=parameters)
            loss = evaluate(parameters)
            report = (
                client.complete_trial if trials[index].status.is_running else client.attach_data
            )
            report(index, raw_data={"loss": loss})
            record(log, "completed", trial=index, parameters=parameters, loss=loss)
        batch = {}
    data = client._experiment.lookup_data().df
    finished = [
        {
            "trial": index,
            "status": trial.status.name,
            "parameters": trial.arm.parameters,
            "losses": data.loc[data["trial_index"] == index, "mean"].tolist(),
            "key": trial.generator_runs[0]._generator_key,
        }
        for index, trial in trials.items()
    ]
    record(log, "finished", trials=finished)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
