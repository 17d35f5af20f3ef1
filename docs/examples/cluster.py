"""Optimise a slow function on the workers of a Ray cluster, or on processes of this machine."""

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from ax.utils.common.logger import set_ax_logger_levels

from botorch_popbo.ax import best_point, load_client, popbo_generation_strategy
from botorch_popbo.ax.running import Objective, ProcessPool, Submit, ray_tasks, run_ask_tell

ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann(parameters: Mapping[str, Any]) -> dict[str, float]:
    """The Hartmann function in six dimensions; its minimum is -3.32."""
    x = np.array([parameters[f"x{i}"] for i in range(6)], dtype=float)
    return {"loss": float(-ALPHA @ np.exp(-(A * (x - P) ** 2).sum(axis=1)))}


def slow(seconds: float, spans: Path | None) -> Objective:
    """Let the function take some seconds; write when each evaluation began and ended."""

    def evaluate(parameters: Mapping[str, Any]) -> dict[str, float]:
        began = time.time()
        time.sleep(seconds)
        outcome = hartmann(parameters)
        if spans is not None:
            with spans.open("a") as file:
                file.write(json.dumps([began, time.time()]) + "\n")
        return outcome

    return evaluate


@contextmanager
def engine(name: str, function: Objective, workers: int) -> Iterator[Submit]:
    """Start the workers; end them on exit."""
    if name == "processes":
        with ProcessPool(function, workers) as pool:
            yield pool
    else:
        import ray

        # With a cluster that runs already: ray.init(address="auto").
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        try:
            yield ray_tasks(function, num_cpus=1)
        finally:
            ray.shutdown()


def new_client(initial: int, seed: int) -> Client:
    """An experiment that minimises the loss over the unit cube."""
    client = Client()
    client.configure_experiment(
        parameters=[
            RangeParameterConfig(name=f"x{i}", bounds=(0.0, 1.0), parameter_type="float")
            for i in range(6)
        ]
    )
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=initial, seed=seed))
    return client


def busy(spans: Path, workers: int) -> float:
    """The fraction of the workers' time, from the first begin to the last end, spent in trials."""
    began, ended = np.array([json.loads(line) for line in spans.read_text().splitlines()]).T
    return float((ended - began).sum() / (workers * (ended.max() - began.min())))


def main() -> None:
    """Run or resume the optimisation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=["ray", "processes"], default="ray")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--initial", type=int, default=12, help="trials of the Sobol design")
    parser.add_argument("--seconds", type=float, default=0.5, help="duration of a trial")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, help="JSON file to save to, and to resume from")
    parser.add_argument("--measure", action="store_true", help="tell how busy the workers were")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    set_ax_logger_levels(logging.ERROR)

    if args.save is not None and args.save.exists():
        client = load_client(args.save)
    else:
        client = new_client(args.initial, args.seed)
    with tempfile.TemporaryDirectory() as folder:
        spans = Path(folder, "spans.jsonl") if args.measure else None
        with engine(args.engine, slow(args.seconds, spans), args.workers) as submit:
            run_ask_tell(client, submit, args.trials, args.workers, save=args.save)
        if spans is not None:
            print(f"workers busy: {busy(spans, args.workers):.1%}")
    best = best_point(client)
    print(
        f"best: trial {best.trial_index}, loss {best.outcome['loss'][0]:.4f} at {best.parameters}"
    )


if __name__ == "__main__":
    main()
