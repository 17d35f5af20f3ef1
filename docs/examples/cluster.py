"""Optimize a slow function on the workers of a Ray cluster, or on processes of this machine."""

import argparse
import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any

from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from loky import get_reusable_executor

from botorch_popbo.ax import best_point, popbo_generation_strategy

Parameters = Mapping[str, Any]


def slow(parameters: Parameters) -> dict[str, float]:
    """A tilted valley that takes half a second."""
    time.sleep(0.5)
    x, y = parameters["x"], parameters["y"]
    return {"loss": 10 * (x - 0.3 + (y - 0.6) / 2) ** 2 + (y - 0.6) ** 2 + math.sin(7 * x) / 5}


def starter(engine: str, workers: int) -> Callable[[Parameters], Future[dict[str, float]]]:
    """What starts an evaluation."""
    if engine == "processes":
        executor = get_reusable_executor(workers)
        return lambda parameters: executor.submit(slow, parameters)
    import ray

    # With a cluster that runs already: ray.init(address="auto").
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    task = ray.remote(slow)
    return lambda parameters: task.remote(parameters).future()


def new_client(seed: int) -> Client:
    """An experiment that minimizes the loss over the unit square."""
    client = Client()
    client.configure_experiment(
        [
            RangeParameterConfig(name=name, bounds=(0.0, 1.0), parameter_type="float")
            for name in "xy"
        ]
    )
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(popbo_generation_strategy(num_initial_trials=6, seed=seed))
    return client


def tell(client: Client, index: int, future: Future[dict[str, float]]) -> None:
    """Complete a trial, or mark it as failed."""
    try:
        client.complete_trial(index, future.result())
    except Exception as error:
        client.mark_trial_failed(index, failed_reason=f"{type(error).__name__}: {error}")


def main() -> None:
    """Run or resume the optimization."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=["ray", "processes"], default="ray")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, help="JSON file to save to, and to resume from")
    args = parser.parse_args()

    resumes = args.save is not None and args.save.exists()
    client = Client.load_from_json_file(str(args.save)) if resumes else new_client(args.seed)
    start = starter(args.engine, args.workers)
    # What was running when the driver died is evaluated first.
    waiting = unfinished(client) if resumes else {}
    running: dict[Future[dict[str, float]], int] = {}
    number = len(client.summarize()) if resumes else 0
    while True:
        while len(running) < args.workers and (waiting or number < args.trials):
            if not waiting:
                waiting = dict(client.get_next_trials(max_trials=1))
                number += 1
            index, parameters = waiting.popitem()
            running[start(parameters)] = index
        if not running:
            break
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            tell(client, running.pop(future), future)
        if args.save is not None:
            partial = args.save.with_suffix(".partial")  # the file is whole at every moment
            client.save_to_json_file(str(partial))
            partial.replace(args.save)
    best = best_point(client)
    print(
        f"best: trial {best.trial_index}, loss {best.outcome['loss'][0]:.4f} at {best.parameters}"
    )


def unfinished(client: Client) -> dict[int, Parameters]:
    """The trials that are running, by their index."""
    table = client.summarize().set_index("trial_index")
    points: Any = table.loc[table["trial_status"] == "RUNNING", ["x", "y"]].to_dict("index")
    return dict(points)


if __name__ == "__main__":
    main()
