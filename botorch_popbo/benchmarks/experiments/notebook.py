"""Tables of laboratories: one replicate an experiment, chosen among the candidates of the table."""

import csv
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch

from botorch_popbo._reproducible import derive_seed, seeded
from botorch_popbo.benchmarks.data.table import find_file
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, names, replicated
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.optimizer import Optimizer

#: By the name of a table whether its result is to be maximised; rows before the first one; and how
#: many columns at the left and the right are neither parameters nor the result.
TABLES: Mapping[str, tuple[bool, int, int, int]] = {
    # To develop with.
    "alkox": (True, 0, 0, 0),
    "photo_wf3": (False, 0, 0, 0),
    "reizman_suzuki_case_2": (True, 2, 1, 1),
    "reizman_suzuki_case_4": (True, 2, 1, 1),
    "suzuki_miyaura": (True, 1, 0, 0),
    # To judge by.
    "benzylation": (False, 0, 0, 0),
    "buchwald_hartwig": (True, 1, 0, 0),
    "fullerenes": (True, 0, 0, 0),
    "reizman_suzuki_case_1": (True, 2, 1, 1),
    "reizman_suzuki_case_3": (True, 2, 1, 1),
    "snar": (False, 0, 0, 0),
}
#: What fails: nothing, three of ten runs, or the fifth of the candidates with the worst means.
FAILING = ("nothing", "random", "worst")
Point = tuple[float | str, ...]


@dataclass(frozen=True)
class Lab:
    """Candidates and their results, larger being better.

    Attributes:
        points: The candidates.
        results: The replicates of each.
        means: Their means.
    """

    points: Sequence[Point]
    results: Sequence[Sequence[float]]
    means: "np.typing.NDArray[np.float64]"

    @classmethod
    def read(cls, data: Path | None, name: str) -> "Lab":
        """Read a table of the folder ``lab``; raises UsageError if it is not there."""
        is_maximized, skipped, left, right = TABLES[name]
        with find_file(data, f"lab/{name}.csv").open(encoding="utf-8") as file:
            rows = [*csv.reader(file)][skipped:]
        found: dict[Point, list[float]] = {}
        for row in rows:
            *parameters, value = map(_number, row[left:])
            point = tuple(parameters[: len(parameters) - right])
            found.setdefault(point, []).append(float(value) if is_maximized else -float(value))
        means = np.array([np.mean(values) for values in found.values()])
        return cls([*found], [*found.values()], means)

    def rows(self) -> list[dict[str, Any]]:
        """The candidates by name."""
        return [{f"x{i}": cell for i, cell in enumerate(point)} for point in self.points]


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


class Random:
    """Candidates in random order."""

    def __init__(self, lab: Lab, seed: int) -> None:
        self.lab, self.chance = lab, np.random.default_rng(seed)
        self.left = [*self.chance.permutation(len(lab.points))]
        self.told: list[tuple[int, float | None]] = []

    def ask(self, number: int) -> list[int]:
        """Indices of candidates."""
        asked, self.left = self.left[:number], self.left[number:]
        return asked

    def tell(self, index: int, value: float | None) -> None:
        """Learn what came out."""
        self.told.append((index, value))

    @property
    def best(self) -> int:
        """The candidate to use: the luckiest."""
        return max(self.told, key=lambda one: -np.inf if one[1] is None else one[1])[0]


class Forest(Random):
    """The largest expected improvement by the trees of a forest, after eight random candidates."""

    def ask(self, number: int) -> list[int]:
        """See the base class; a batch has the best few."""
        values = [value for _, value in self.told if value is not None]
        if len(self.told) < 8 or len({*values}) < 2:
            return super().ask(number)
        from sklearn.ensemble import RandomForestRegressor

        space = Optimizer(self.lab.rows()).space
        X = torch.stack([space.encode(row) for row in self.lab.rows()])
        encoded = space.input_transform()(X).numpy()
        y = [min(values) if value is None else value for _, value in self.told]
        forest = RandomForestRegressor(100, random_state=int(self.chance.integers(2**31)))
        forest.fit(encoded[[index for index, _ in self.told]], y)
        votes = np.stack([tree.predict(encoded[self.left]) for tree in forest.estimators_])
        gain = np.maximum(votes - max(values), 0.0).mean(0) + 1e-6 * votes.std(0)
        asked = [self.left[place] for place in np.argsort(-gain, kind="stable")[:number]]
        self.left = [index for index in self.left if index not in asked]
        return asked


class Default(Random):
    """The default, as :class:`~botorch_popbo.Optimizer` has it; perhaps with repeats."""

    def __init__(self, lab: Lab, seed: int, n_initial: int | None = None, **options: Any) -> None:
        super().__init__(lab, seed)
        rows = lab.rows()
        self.optimizer = Optimizer(rows, "maximize", n_initial=n_initial, seed=seed, **options)
        self.rows, self.index = rows, {point: i for i, point in enumerate(lab.points)}

    def ask(self, number: int) -> list[int]:
        """See the base class."""
        return [*map(self._place, self.optimizer.ask(number))]

    def tell(self, index: int, value: float | None) -> None:
        """See the base class."""
        super().tell(index, value)
        self.optimizer.tell(self.rows[index], value)

    @property
    def best(self) -> int:
        """See the base class; by the model."""
        return self._place(self.optimizer.best)

    def _place(self, point: Mapping[str, Any]) -> int:
        return self.index[tuple("" if cell is None else cell for cell in point.values())]


class Repeating(Default):
    """The default with another look where it is worth more."""

    def __init__(self, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed, repeats=True)


class Baybe(Random):
    """BayBE as it is by default, names as one-hot columns; a failure is the worst result so far."""

    def __init__(self, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed)
        from baybe import Campaign
        from baybe.parameters import CategoricalParameter, NumericalDiscreteParameter
        from baybe.searchspace import SearchSpace
        from baybe.targets import NumericalTarget

        self.table, self.seed = pd.DataFrame(lab.rows()), seed
        parameters = []
        for name in self.table:
            values = [*dict.fromkeys(self.table[name])]
            is_number = isinstance(values[0], float)
            kind = NumericalDiscreteParameter if is_number else CategoricalParameter
            parameters += [kind(name, sorted(values))] if len(values) > 1 else []
        space = SearchSpace.from_dataframe(self.table, parameters)
        self.campaign = Campaign(space, NumericalTarget("y").to_objective())

    def ask(self, number: int) -> list[int]:
        """See the base class."""
        with (
            seeded(derive_seed(self.seed, len(self.told))),
            warnings.catch_warnings(action="ignore"),
        ):
            return [*self.campaign.recommend(number).index]

    def tell(self, index: int, value: float | None) -> None:
        """See the base class."""
        super().tell(index, value)
        worst = min((v for _, v in self.told if v is not None), default=0.0)
        row = self.table.iloc[[index]].assign(y=[worst if value is None else value])
        self.campaign.add_measurements(row)


class Patient(Default):
    """The default after ten candidates in random order, as elsewhere."""

    def __init__(self, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed, n_initial=10)


METHODS: Mapping[str, type[Random]] = {
    "popbo": Default,
    "popbo-ten": Patient,
    "popbo-repeats": Repeating,
    "baybe": Baybe,
    "forest": Forest,
    "random": Random,
}


@dataclass(frozen=True)
class Series(Cell):
    """A method in a laboratory."""

    table: str
    failing: str
    batch: int
    trials: int
    method: str
    seed: int


@dataclass(frozen=True, kw_only=True)
class Notebook(Measured[Series]):
    """Methods that choose among the candidates of a table; for the settings see :class:`Series`."""

    problems: tuple[str, ...]
    failing: tuple[str, ...]
    batches: tuple[int, ...]
    trials: int

    keys: ClassVar = {
        "problems": names(TABLES),
        "failing": names(FAILING),
        "batches": Key(int, (1, 8), least=1),
        "trials": Key(int, 40, lambda _: 12, least=1),
        **replicated(METHODS),
    }
    cell: ClassVar = Series
    note: ClassVar = (
        "percent of the candidates whose mean is better than that of the best one tried, after so "
        "many experiments, of the recommended and of the luckiest; experiments to the best percent"
    )
    reported: ClassVar = (12, 16, 24, 32, 40)

    def axes(self) -> Iterable[Iterable[Any]]:
        """See the base class."""
        return self.problems, self.failing, self.batches, [self.trials], self.methods

    def measure(self, cell: Series, limited: Limited) -> dict[str, float]:
        """See the base class."""
        lab, start = Lab.read(self.data, cell.table), perf_counter()
        method = METHODS[cell.method](lab, cell.seed)
        chance = np.random.default_rng([cell.seed, 1])
        order = [chance.permutation(len(values)) for values in lab.results]
        worst = np.quantile(lab.means, 0.2) if cell.failing == "worst" else -np.inf
        place = np.array([100.0 * np.mean(lab.means > mean) for mean in lab.means])
        tried: list[int] = []
        numbers, looks = {}, dict.fromkeys(range(len(lab.points)), 0)
        while len(tried) < cell.trials:
            with limited():
                asked = method.ask(min(cell.batch, cell.trials - len(tried)))
            if not asked:
                break
            for index in asked:
                replicates = lab.results[index]
                value = replicates[order[index][looks[index] % len(replicates)]]
                looks[index] += 1
                fails = cell.failing == "random" and chance.random() < 0.3
                fails |= lab.means[index] < worst
                tried += [] if fails and cell.failing == "random" else [index]
                tried += [-1] if fails and cell.failing == "random" else []
                method.tell(index, None if fails else value)
                best = min((place[i] for i in tried if i >= 0), default=100.0)
                numbers[str(len(tried))] = float(best)
        reached = [int(n) for n, share in numbers.items() if share <= 1.0]
        with limited():
            recommended = method.best
        return {
            **numbers,
            "recommended": float(place[recommended]),
            "luckiest": float(place[Random.best.fget(method)]),  # type: ignore[attr-defined]
            "to the best percent": float(min(reached, default=cell.trials + 1)),
            "repeats": float(sum(looks.values()) - sum(look > 0 for look in looks.values())),
            "seconds": (perf_counter() - start) / cell.trials,
        }
