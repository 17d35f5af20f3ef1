"""What one suggestion costs, and what goes wrong, on every kind of search space.

Prints two Markdown tables. Times are CPU time, which with one thread is what an idle machine takes:
``OMP_NUM_THREADS=1 python docs/examples/space_costs.py``. Names of spaces may follow, to measure
only those.
"""

import logging
import math
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from strategies import Configure, ax_default, popbo, popbo_paper

from botorch_popbo.ax import gp_generation_strategy

NUM_INITIAL = 12
NUM_SUGGESTIONS = 8

Parameter = RangeParameterConfig | ChoiceParameterConfig
Parameterization = Mapping[str, Any]


def floats(num: int) -> list[Parameter]:
    """Parameters ``x0``, ``x1``, … of the unit interval."""
    return [
        RangeParameterConfig(name=f"x{i}", bounds=(0.0, 1.0), parameter_type="float")
        for i in range(num)
    ]


def ranged(name: str, low: float, high: float, kind: Any = "float", log: bool = False) -> Parameter:
    """A range of floats or integers."""
    scaling: Any = "log" if log else "linear"
    return RangeParameterConfig(name=name, bounds=(low, high), parameter_type=kind, scaling=scaling)


def choice(name: str, values: list[Any], is_ordered: bool = False) -> Parameter:
    """A choice among values of one type."""
    kind: Any = type(values[0]).__name__
    return ChoiceParameterConfig(
        name=name, values=values, parameter_type=kind, is_ordered=is_ordered
    )


def letters(num: int) -> list[Any]:
    """The first letters of the alphabet."""
    return list("abcdefgh"[:num])


@dataclass(frozen=True)
class Space:
    """Parameters and their linear constraints."""

    parameters: Sequence[Parameter]
    constraints: Sequence[str] = ()


SPACES: dict[str, Space] = {
    "continuous, 6 floats": Space(floats(6)),
    "log, 2 floats and an int": Space(
        [
            ranged("rate", 1e-6, 1.0, log=True),
            ranged("decay", 1e-8, 1e-2, log=True),
            ranged("width", 1, 1024, "int", log=True),
        ]
    ),
    "integer, 2 small ranges": Space([ranged("i", 1, 8, "int"), ranged("j", 1, 12, "int")]),
    "integer, 3 ranges of 10,000": Space([ranged(f"i{k}", 1, 10_000, "int") for k in range(3)]),
    "ordered choices, 3 x 6": Space(
        [choice(f"c{k}", [1, 2, 4, 8, 16, 32], is_ordered=True) for k in range(3)]
    ),
    "unordered choices, 3 x 5": Space([choice(f"c{k}", letters(5)) for k in range(3)]),
    "fixed, beside 2 floats": Space([*floats(2), choice("kind", ["a"]), choice("size", [8])]),
    "linear constraints, 4 floats": Space(
        floats(4), ["x0 + x1 <= 1", "x2 - x3 <= 0.2", "x0 + x1 + x2 + x3 >= 0.5"]
    ),
    "linear constraint, 2 floats and an int": Space(
        [*floats(2), ranged("n", 1, 8, "int")], ["x0 + 0.1 * n <= 0.8"]
    ),
    "categorical, 6 x 5 (15,625)": Space([choice(f"c{k}", letters(5)) for k in range(6)]),
    "table of 62,208": Space(
        [
            choice("rate", [5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1], is_ordered=True),
            choice("batch", [8, 16, 32, 64], is_ordered=True),
            choice("width1", [16, 32, 64, 128, 256, 512], is_ordered=True),
            choice("width2", [16, 32, 64, 128, 256, 512], is_ordered=True),
            choice("dropout1", [0.0, 0.3, 0.6], is_ordered=True),
            choice("dropout2", [0.0, 0.3, 0.6], is_ordered=True),
            choice("schedule", ["cosine", "const"]),
            choice("activation1", ["relu", "tanh"]),
            choice("activation2", ["relu", "tanh"]),
        ]
    ),
    "mixed, 2 floats and a bool": Space([*floats(2), choice("flag", [True, False])]),
    "mixed, all kinds": Space(
        [
            *floats(1),
            ranged("rate", 1e-4, 1.0, log=True),
            ranged("depth", 1, 8, "int"),
            ranged("width", 1, 512, "int", log=True),
            choice("kind", ["a", "b", "c"]),
            choice("size", [8, 32, 512], is_ordered=True),
            choice("flag", [True, False]),
        ]
    ),
    "one float": Space(floats(1)),
    "50 floats": Space(floats(50)),
    "exhausted, 16 points": Space([choice("u", letters(4)), choice("v", letters(4))]),
}


def position(parameter: Parameter, value: Any) -> float:
    """Where in the unit interval a value lies."""
    if isinstance(parameter, ChoiceParameterConfig):
        return parameter.values.index(value) / max(len(parameter.values) - 1, 1)
    low, high = parameter.bounds
    if parameter.scaling == "log":
        low, high, value = math.log(low), math.log(high), math.log(value)
    return float((value - low) / (high - low))


def loss(space: Space, point: Parameterization) -> float:
    """A separable objective with its minimum inside the space."""
    return sum((position(p, point[p.name]) - 0.37) ** 2 for p in space.parameters)


def gp_logei(client: Client, num_initial: int, seed: int) -> None:
    """Ax's Gaussian process with analytic expected improvement."""
    client.set_generation_strategy(gp_generation_strategy("logei", num_initial, seed))


# Each with the generator key of its own suggestions.
STRATEGIES: dict[str, tuple[Configure, str]] = {
    "popbo": (popbo, "popbo-logei"),
    "popbo, paper": (popbo_paper, "popbo-eri"),
    "GP LogEI": (gp_logei, "gp-logei"),
    "Ax default": (ax_default, "BoTorch"),
}


@dataclass
class Measurement:
    """One run: the CPU seconds of its suggestions and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    fallbacks: int = 0
    repeated: int = 0
    error: str = ""

    @property
    def median(self) -> float:
        """Median seconds of one suggestion; NaN if there was none."""
        return median(self.seconds) if self.seconds else math.nan

    def faults(self) -> str:
        """What went wrong, as a cell of the table."""
        counts = {"fallbacks": self.fallbacks, "repeated": self.repeated}
        words = [f"{number} {name}" for name, number in counts.items() if number]
        if self.error:
            words.append(f"{self.error} after {len(self.seconds)} suggestions")
        return "; ".join(words) or "none"


def measure(space: Space, configure: Configure, key: str) -> Measurement:
    """Run the design and the suggestions, and time the latter."""
    client = Client(random_seed=0)
    client.configure_experiment(space.parameters, parameter_constraints=space.constraints)
    client.configure_optimization(objective="-loss")
    configure(client, NUM_INITIAL, 0)
    result = Measurement()
    points: list[tuple[Any, ...]] = []
    for number in range(NUM_INITIAL + NUM_SUGGESTIONS):
        started = time.process_time()
        try:
            [(index, point)] = client.get_next_trials(max_trials=1).items()
        except Exception as error:
            result.error = type(error).__name__
            break
        seconds = time.process_time() - started
        client.complete_trial(index, raw_data={"loss": loss(space, point)})
        points.append(tuple(point.values()))
        if number >= NUM_INITIAL:
            result.seconds.append(seconds)
            [run] = client._experiment.trials[index].generator_runs
            result.fallbacks += run._generator_key != key
    result.repeated = len(points) - len(set(points))
    return result


def row(cells: Iterable[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def main(names: Sequence[str]) -> None:
    """Measure and print; without names, every space."""
    if unknown := set(names) - set(SPACES):
        sys.exit(f"no space is called {', '.join(sorted(unknown))}; known: {', '.join(SPACES)}")
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    measure(SPACES["one float"], popbo, "popbo-logei")  # so that imports are not timed
    results: dict[str, dict[str, Measurement]] = {}
    for name in names or SPACES:
        print(f"measuring {name}", file=sys.stderr)
        results[name] = {
            strategy: measure(SPACES[name], configure, key)
            for strategy, (configure, key) in STRATEGIES.items()
        }
    print(
        f"Median CPU seconds of one `client.get_next_trials(max_trials=1)` over {NUM_SUGGESTIONS} "
        f"suggestions after {NUM_INITIAL} initial trials.\n"
    )
    print(row(["space", *STRATEGIES, "popbo / GP LogEI", "popbo / Ax default"]))
    print(row(["---"] * (len(STRATEGIES) + 3)))
    for name, runs in results.items():
        times = {strategy: run.median for strategy, run in runs.items()}
        ratios = [times["popbo"] / times[other] for other in ("GP LogEI", "Ax default")]
        print(row([name, *(f"{t:.2f}" for t in times.values()), *(f"{r:.2f}" for r in ratios)]))
    print(
        "\nFallbacks (suggestions after the initial design whose generator key is not the "
        "strategy's), repeated points among all trials, and errors.\n"
    )
    print(row(["space", *STRATEGIES]))
    print(row(["---"] * (len(STRATEGIES) + 1)))
    for name, runs in results.items():
        print(row([name, *(run.faults() for run in runs.values())]))


if __name__ == "__main__":
    main(sys.argv[1:])
