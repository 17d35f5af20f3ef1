"""What happens to every kind of feedback and every state of a trial, beside Ax's own strategy.

Prints a Markdown table: ``OMP_NUM_THREADS=1 python docs/examples/feedback_coverage.py``. Every cell
is one run of 6 trials of a Sobol design and 8 suggestions on two parameters, seed 0.
"""

import logging
import math
import sys
import warnings
from collections.abc import Callable

from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from strategies import METHODS, Configure

from botorch_popbo.ax import report_ranking

NUM_INITIAL = 6
NUM_SUGGESTIONS = 8

Point = dict[str, float]
Report = Callable[[Client, int, Point], None]


def loss(p: Point) -> float:
    """A sphere."""
    return (p["x0"] - 0.3) ** 2 + (p["x1"] - 0.6) ** 2


def cost(p: Point) -> float:
    """Falls where the loss rises."""
    return 2.0 - p["x0"] - p["x1"]


def number(client: Client, index: int, p: Point) -> None:
    """One number a trial."""
    client.complete_trial(index, {"loss": loss(p)})


def standard_error(client: Client, index: int, p: Point) -> None:
    """A standard error with every number."""
    client.complete_trial(index, {"loss": (loss(p), 0.05)})


def partial_standard_errors(client: Client, index: int, p: Point) -> None:
    """A standard error with every second number."""
    client.complete_trial(index, {"loss": (loss(p), 0.05) if index % 2 else loss(p)})


def tracking(client: Client, index: int, p: Point) -> None:
    """Metrics that nothing depends on, one constant and one seen once."""
    data = {"loss": loss(p), "constant": 1.0}
    client.complete_trial(index, data | ({"once": 2.0} if index == 3 else {}))


def two_metrics(client: Client, index: int, p: Point) -> None:
    """A loss and a cost."""
    client.complete_trial(index, {"loss": loss(p), "cost": cost(p)})


def three_metrics(client: Client, index: int, p: Point) -> None:
    """A loss, a cost and a weight."""
    client.complete_trial(index, {"loss": loss(p), "cost": cost(p), "weight": p["x0"]})


def ranking(client: Client, index: int, p: Point) -> None:
    """The order of all trials so far."""
    trials = [t for t in client._experiment.trials.values() if t.arm is not None]
    report_ranking(client, [t.index for t in sorted(trials, key=lambda t: loss(t.arm.parameters))])


def every_third(state: Report) -> Report:
    """Every third suggestion ends in another way than with a number."""

    def report(client: Client, index: int, p: Point) -> None:
        if index >= NUM_INITIAL and index % 3 == 0:
            state(client, index, p)
        else:
            number(client, index, p)

    return report


def failed(client: Client, index: int, p: Point) -> None:
    """The trial fails."""
    client.mark_trial_failed(index)


def abandoned(client: Client, index: int, p: Point) -> None:
    """The trial is given up."""
    client.mark_trial_abandoned(index)


def abandoned_with_data(client: Client, index: int, p: Point) -> None:
    """The trial is given up after a first report."""
    client.attach_data(index, {"loss": loss(p)})
    client.mark_trial_abandoned(index)


def nan(client: Client, index: int, p: Point) -> None:
    """The number is NaN."""
    client.complete_trial(index, {"loss": math.nan})


def infinite(client: Client, index: int, p: Point) -> None:
    """The number is infinitely bad."""
    client.complete_trial(index, {"loss": math.inf})


def early_stopped(client: Client, index: int, p: Point) -> None:
    """The trial is stopped after two reports."""
    for progression in range(2):
        client.attach_data(index, {"loss": loss(p) + 2.0 - progression}, progression=progression)
    client.mark_trial_early_stopped(index)


def running(client: Client, index: int, p: Point) -> None:
    """The trial goes on running."""


def running_with_data(client: Client, index: int, p: Point) -> None:
    """The trial goes on running after a first report."""
    client.attach_data(index, {"loss": loss(p)})


ROWS: dict[str, tuple[str, list[str], Report]] = {
    "minimized metric": ("-loss", [], number),
    "standard errors": ("-loss", [], standard_error),
    "standard errors of some trials": ("-loss", [], partial_standard_errors),
    "tracking metrics": ("-loss", [], tracking),
    "weighted sum": ("-loss - 0.1 * cost", [], two_metrics),
    "outcome constraint": ("-loss", ["cost <= 1.0"], two_metrics),
    "two objectives": ("-loss, -cost", [], two_metrics),
    "two objectives with thresholds": ("-loss, -cost", ["loss <= 0.5", "cost <= 1.5"], two_metrics),
    "three objectives": ("-loss, -cost, -weight", [], three_metrics),
    "ranking only": ("-preference", [], ranking),
    "failed": ("-loss", [], every_third(failed)),
    "NaN": ("-loss", [], every_third(nan)),
    "infinitely bad": ("-loss", [], every_third(infinite)),
    "abandoned": ("-loss", [], every_third(abandoned)),
    "abandoned with data": ("-loss", [], every_third(abandoned_with_data)),
    "early stopped": ("-loss", [], every_third(early_stopped)),
    "running without data": ("-loss", [], every_third(running)),
    "running with data": ("-loss", [], every_third(running_with_data)),
}


def outcome(configure: Configure, row: tuple[str, list[str], Report]) -> str:
    """Run one cell of the table and say what happened."""
    objective, constraints, report = row
    client = Client(random_seed=0)
    client.configure_experiment(
        [RangeParameterConfig(f"x{i}", bounds=(0.0, 1.0), parameter_type="float") for i in range(2)]
    )
    client.configure_optimization(objective=objective, outcome_constraints=constraints)
    configure(client, NUM_INITIAL, 0)
    points: list[tuple[float, ...]] = []
    try:
        for _ in range(NUM_INITIAL + NUM_SUGGESTIONS):
            for index, parameters in client.get_next_trials(max_trials=1).items():
                point = {name: float(value) for name, value in parameters.items()}
                points.append(tuple(point.values()))
                report(client, index, point)
    except Exception as error:
        return f"{type(error).__name__} after {max(len(points) - NUM_INITIAL, 0)} suggestions"
    keys = [t.generator_runs[0]._generator_key for t in client._experiment.trials.values()]
    fallbacks = sum("Sobol" in key for key in keys[NUM_INITIAL:])
    words = [f"{fallbacks} fallbacks to Sobol"] if fallbacks else []
    if repeated := len(points) - len(set(points)):
        words.append(f"{repeated} points repeated")
    return ", ".join(words) or "works"


def main() -> None:
    """Print the table."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    print(f"| feedback | {' | '.join(METHODS)} |\n| --- | --- | --- | --- |")
    for name, row in ROWS.items():
        cells = [outcome(configure, row) for configure in METHODS.values()]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
