"""Methods that choose among listed candidates: tables of laboratories, and pools of tuning runs."""

import csv
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch
from botorch.models import SingleTaskGP
from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
from torch import Tensor

from botorch_popbo._reproducible import derive_seed, seeded
from botorch_popbo.benchmarks.data.table import find_file, read_arrays
from botorch_popbo.benchmarks.experiments.measured import Measured
from botorch_popbo.benchmarks.methods.gaussian_processes import (
    expected_improvement,
    fit,
    normal_scores,
)
from botorch_popbo.benchmarks.methods.optuna_samplers import distributions_of, sampler_of
from botorch_popbo.benchmarks.report.text import estimate_of
from botorch_popbo.benchmarks.run.campaign import Limited
from botorch_popbo.benchmarks.run.keys import Key, names, replicated
from botorch_popbo.benchmarks.settings import Cell
from botorch_popbo.candidates import Candidates
from botorch_popbo.optimizer import Optimizer

#: By the name of a table whether its result is to be maximized; rows before the first one; and how
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
#: Of HPO-B (Pineda-Arango et al., 2021), by search space and data set, without those that fifty
#: random candidates solve: their median regret is below .005 of the range.
POOLS = (
    *("4796_23", "4796_3918", "4796_9906", "5527_10101", "5527_31", "5636_10101", "5636_146064"),
    *("5636_31", "5859_125923", "5859_37", "5859_9977", "5889_3918", "5891_3899", "5906_3889"),
    *("5906_3918", "5906_9971", "5965_10101", "5965_3903", "5965_9889", "5965_9946", "5970_34536"),
    *("5970_37", "5971_43", "5971_9970", "6766_3903", "6767_31", "6794_9914", "7607_3896"),
    *("7607_3913", "7609_145853", "7609_145878", "7609_3903"),
)
#: What goes wrong, and how often. Runs fail at ``random``; or those of the candidates with the
#: ``worst`` means do, or of the candidates ``near`` the best one; or results are ``outliers``, off
#: by ten times the range of the means, either way.
FAILING: Mapping[str, tuple[str, float]] = {
    "nothing": ("nothing", 0.0),
    "random": ("random", 0.3),
    "random-20": ("random", 0.2),
    "random-50": ("random", 0.5),
    "worst": ("worst", 0.2),
    "near-20": ("near", 0.2),
    "near-50": ("near", 0.5),
    "outliers": ("outliers", 0.1),
    "outliers-30": ("outliers", 0.3),
}
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
        """Read a table of the folder ``lab``, or a pool; raises UsageError if it is not there."""
        if name in POOLS:
            pool = read_arrays(find_file(data, "hpob.npz"), [name])[name].astype(float)
            points, values = map(tuple, pool[:, :-1].tolist()), pool[:, -1:].tolist()
            return cls([*points], values, pool[:, -1])
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

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The candidates by name."""
        return [{f"x{i}": cell for i, cell in enumerate(point)} for point in self.points]

    @cached_property
    def space(self) -> Candidates:
        """They, as a space."""
        return Candidates(self.rows)

    @cached_property
    def X(self) -> Tensor:  # noqa: N802
        """They, as its points, ``n x d``."""
        return torch.stack([*map(self.space.encode, self.rows)])

    def encoded(self) -> Tensor:
        """They, as ``n x d`` numbers in the unit cube, names as one-hot columns."""
        return self.space.input_transform()(self.X)

    def lost(self, way: str, share: float) -> "np.typing.NDArray[np.bool_]":
        """Which candidates fail whenever they are tried; see :data:`FAILING`."""
        if way == "near":
            X = self.encoded()
            distance = (X - X[int(self.means.argmax())]).norm(dim=-1).numpy()
            return distance < np.quantile(distance, share)
        return self.means < (np.quantile(self.means, share) if way == "worst" else -np.inf)


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


class Random:
    """Candidates in random order."""

    num_initial = 4  # before a model, where there is one

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
    def learned(self) -> list[float]:
        """The outcomes, of a failure the worst one; none as long as they say too little."""
        values = [value for _, value in self.told if value is not None]
        if len(self.told) < self.num_initial or len({*values}) < 2:
            return []
        return [min(values) if value is None else value for _, value in self.told]

    @property
    def luckiest(self) -> int:
        """The candidate of the best outcome."""
        return max(self.told, key=lambda one: -np.inf if one[1] is None else one[1])[0]

    @property
    def best(self) -> int:
        """The candidate to use."""
        return self.luckiest


class Promising(Random):
    """The largest gains by a model, after some random candidates; a failure is the worst result."""

    def __init__(self, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed)
        self.encoded = lab.encoded()

    def ask(self, number: int) -> list[int]:
        """See the base class; a batch has the best few."""
        if not (y := self.learned) or not self.left:
            return super().ask(number)
        gains = self.gains(
            self.encoded[[index for index, _ in self.told]], torch.tensor(y).double()
        )
        asked = [self.left[place] for place in np.argsort(-gains, kind="stable")[:number]]
        self.left = [index for index in self.left if index not in asked]
        return asked

    @abstractmethod
    def gains(self, X: Tensor, y: Tensor) -> "np.typing.NDArray[np.float64]":
        """Those of the candidates that are left, after ``n x d`` points and ``n`` outcomes."""


class Forest(Promising):
    """Expected improvement by the trees of a forest."""

    num_initial = 8

    def gains(self, X: Tensor, y: Tensor) -> "np.typing.NDArray[np.float64]":
        """See the base class."""
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(100, random_state=int(self.chance.integers(2**31)))
        forest.fit(X.numpy(), y.numpy())
        left = self.encoded[self.left].numpy()
        votes = np.stack([tree.predict(left) for tree in forest.estimators_])
        gain: np.typing.NDArray[np.float64] = np.maximum(votes - y.max().item(), 0.0).mean(0)
        return gain + 1e-6 * votes.std(0)


class Gaussian(Promising):
    """Log expected improvement by one of BoTorch's models, after some random candidates."""

    def __init__(
        self, model: Callable[[Tensor, Tensor], SingleTaskGP], lab: Lab, seed: int, initial: int = 4
    ) -> None:
        super().__init__(lab, seed)
        self.model, self.num_initial = model, initial

    def gains(self, X: Tensor, y: Tensor) -> "np.typing.NDArray[np.float64]":
        """See the base class."""
        acquisition, _ = expected_improvement(fit(self.model(X, y.unsqueeze(-1))), X)
        with torch.no_grad():
            return acquisition(self.encoded[self.left].unsqueeze(-2)).numpy()


class Nearest(Random):
    """One of Optuna's samplers: what is free and nearest to its suggestion, after its startup."""

    def __init__(self, sampler: str, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed)
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.space, self.unit = lab.space, lab.space.to_unit(lab.X)
        self.distributions = distributions_of(self.space)
        loaded = sampler_of(sampler)(seed=seed)
        self.study = optuna.create_study(direction="maximize", sampler=loaded)

    def ask(self, number: int) -> list[int]:
        """See the base class."""
        from optuna.trial import TrialState

        asked = []
        for _ in range(min(number, len(self.left))):
            trial = self.study.ask(self.distributions)
            self.study.tell(trial, state=TrialState.FAIL)  # what is tried is another point
            x = self.space.to_unit(self.space.encode(trial.params))
            away = (self.unit[self.left] - x).abs()
            away = away.where(~self.space.is_categorical, (away > 0.0).double())
            asked.append(self.left.pop(int(away.square().sum(-1).argmin())))
        return asked

    def tell(self, index: int, value: float | None) -> None:
        """See the base class."""
        from optuna.trial import TrialState, create_trial

        super().tell(index, value)
        row = self.space.row(self.lab.rows[index])
        params = {name: row[name] for name in self.distributions}
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        self.study.add_trial(
            create_trial(params=params, distributions=self.distributions, value=value, state=state)
        )


class Default(Random):
    """The default, as :class:`~botorch_popbo.Optimizer` has it."""

    def __init__(self, lab: Lab, seed: int, n_initial: int | None = None) -> None:
        super().__init__(lab, seed)
        self.optimizer = Optimizer(lab.rows, "maximize", n_initial=n_initial, seed=seed)
        self.index = {point: i for i, point in enumerate(lab.points)}

    def ask(self, number: int) -> list[int]:
        """See the base class."""
        return [*map(self._place, self.optimizer.ask(number))]

    def tell(self, index: int, value: float | None) -> None:
        """See the base class."""
        super().tell(index, value)
        self.optimizer.tell(self.lab.rows[index], value)

    @property
    def best(self) -> int:
        """See the base class; by the model."""
        return self._place(self.optimizer.best)

    def _place(self, point: Mapping[str, Any]) -> int:
        return self.index[tuple("" if cell is None else cell for cell in point.values())]


class Baybe(Random):
    """BayBE as it is by default, names as one-hot columns; a failure is the worst result so far."""

    def __init__(self, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed)
        from baybe import Campaign
        from baybe.parameters import CategoricalParameter, NumericalDiscreteParameter
        from baybe.searchspace import SearchSpace
        from baybe.targets import NumericalTarget

        self.table, self.seed = pd.DataFrame(lab.rows), seed
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
        seed = derive_seed(self.seed, len(self.told))
        with seeded(seed), warnings.catch_warnings(action="ignore"):
            return [*self.campaign.recommend(number).index]

    def tell(self, index: int, value: float | None) -> None:
        """See the base class."""
        super().tell(index, value)
        worst = min((v for _, v in self.told if v is not None), default=0.0)
        row = self.table.iloc[[index]].assign(y=[worst if value is None else value])
        self.campaign.add_measurements(row)


class Bofire(Random):
    """BoFire's ``SoboStrategy`` as it is by default, after four random candidates.

    It searches whole spaces, so its acquisition function is evaluated at each candidate that is
    left. A failure is the worst result so far.
    """

    def __init__(self, lab: Lab, seed: int) -> None:
        super().__init__(lab, seed)
        from bofire.data_models.domain.api import Domain
        from bofire.data_models.features import api
        from bofire.strategies.api import SoboStrategy

        self.table, self.seed, inputs = pd.DataFrame(lab.rows), seed, []
        for name in self.table:
            values = sorted({*self.table[name]})
            if len(values) == 1:
                continue
            if isinstance(values[0], float):
                inputs.append(api.DiscreteInput(key=name, values=values))
            else:
                inputs.append(api.CategoricalInput(key=name, categories=values))
        with seeded(seed):
            domain = Domain.from_lists(inputs, [api.ContinuousOutput(key="y")])
            self.strategy = SoboStrategy.make(domain, seed=seed)

    def ask(self, number: int) -> list[int]:
        """See the base class; each of a batch has those before it as pending."""
        if not (y := self.learned):
            return super().ask(number)
        asked: list[int] = []
        seed = derive_seed(self.seed, len(self.told))
        with seeded(seed), warnings.catch_warnings(action="ignore"):
            tried = self.table.iloc[[index for index, _ in self.told]]
            self.strategy.tell(tried.assign(y=y), replace=True)
            self.strategy.reset_candidates()
            for _ in range(min(number, len(self.left))):
                gains = self.strategy.calc_acquisition(self.table.iloc[self.left])
                asked.append(self.left.pop(int(gains.argmax())))
                self.strategy.add_candidates(self.table.iloc[asked[-1:]])
        return asked


METHODS: Mapping[str, Callable[[Lab, int], Random]] = {
    "popbo": Default,
    "popbo-ten": partial(Default, n_initial=10),  # as elsewhere
    "baybe": Baybe,
    "bofire": Bofire,
    "forest": Forest,
    "gp": partial(Gaussian, SingleTaskGP),
    "gp-copula": partial(Gaussian, lambda X, Y: SingleTaskGP(X, normal_scores(Y))),
    # Relevance pursuit (Ament et al., 2024), whose prior of outliers takes a fifth of the outcomes.
    "gp-robust": partial(Gaussian, RobustRelevancePursuitSingleTaskGP, initial=5),
    "optuna-gp": partial(Nearest, "GPSampler"),
    "optuna-tpe": partial(Nearest, "TPESampler"),
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
        "problems": Key(str, POOLS, known=[*TABLES, *POOLS]),
        "failing": names(FAILING),
        "batches": Key(int, (1, 8), least=1),
        "trials": Key(int, 40, lambda _: 12, least=1),
        **replicated(METHODS),
    }
    cell: ClassVar = Series
    axes: ClassVar = "problems", "failing", "batches", "trials", "methods"
    note: ClassVar = (
        "percent of the candidates whose mean is better than that of the best one tried, after so "
        "many experiments, of the recommended and of the luckiest; experiments to the best percent"
        "; the regret of the best one tried, as a share of the range; failed runs"
    )
    reported: ClassVar = (12, 16, 24, 32, 40)

    def measure(self, cell: Series, limited: Limited) -> dict[str, float]:
        """See the base class."""
        lab, start = Lab.read(self.data, cell.table), perf_counter()
        method = METHODS[cell.method](lab, cell.seed)
        chance = np.random.default_rng([cell.seed, 1])
        results = [cycle([v[i] for i in chance.permutation(len(v))]) for v in lab.results]
        way, share = FAILING[cell.failing]
        lost = lab.lost(way, share)
        place = np.array([100.0 * np.mean(lab.means[~lost] > mean) for mean in lab.means])
        top, width = lab.means[~lost].max(), lab.means.max() - lab.means.min()
        tried: list[int] = []
        ended: list[int] = []  # without a failure
        numbers, regrets = {}, {}
        while len(tried) < cell.trials:
            with limited():
                asked = method.ask(min(cell.batch, cell.trials - len(tried)))
            if not asked:
                break
            for index in asked:
                value = next(results[index])
                fails = lost[index] or (way == "random" and chance.random() < share)
                is_off = way == "outliers" and chance.random() < share
                value += 10.0 * width * chance.choice([-1.0, 1.0]) if is_off else 0.0
                method.tell(index, None if fails else value)
                tried.append(index)
                ended += [] if fails else [index]
                numbers[str(len(tried))] = float(min(place[ended], default=100.0))
                if len(tried) in (20, 50, 100):
                    found = max(lab.means[ended], default=lab.means.min())
                    regrets[f"regret {len(tried)}"] = float((top - found) / width)
        reached = [int(n) for n, share in numbers.items() if share <= 1.0]
        with limited():
            recommended = method.best
        return {
            **numbers,
            **regrets,
            "recommended": float(place[recommended]),
            "luckiest": float(place[method.luckiest]),
            "to the best percent": float(min(reached, default=cell.trials + 1)),
            "failed": float(len(tried) - len(ended)),
            "seconds": (perf_counter() - start) / cell.trials,
        }

    def text(self, results: pd.DataFrame, shown: list[str]) -> str:
        """The table, and how the first method did beside each of the others."""
        return f"{super().text(results, shown)}\n\n{compared(results, self.methods)}"


def compared(results: pd.DataFrame, methods: Iterable[str]) -> str:
    """How often the regret of the first method is better, level and worse than of another one.

    And the lead, which is the first less the last, with its standard error over families: tables,
    or the search spaces of pools; and the ratio of mean regrets.
    """
    first, *others = methods
    rows = []
    for (failing, batch), part in results.groupby(["failing", "batch"], sort=False):
        for name in [name for name in part if name.startswith("regret ")]:
            both = part.set_index(["table", "seed", "method"])[name].unstack("method")
            for other in [other for other in others if {first, other} <= {*both}]:
                pair = both[[first, other]].dropna()
                ahead = np.sign(pair[other] - pair[first])
                tables = ahead.index.get_level_values("table")
                families = [t.split("_")[0] if t in POOLS else t for t in tables]
                signs = {"better": 1.0, "level": 0.0, "worse": -1.0}
                rows.append(
                    {"failing": failing, "batch": batch, "over": other, "after": name}
                    | {word: f"{(ahead == sign).mean():.0%}" for word, sign in signs.items()}
                    | {"lead": estimate_of(ahead.groupby(families).mean())}
                    | {"regrets": f"{pair[first].mean() / pair[other].mean():.2f}"}
                    | {"runs": len(pair)}
                )
    words = f"{first} beside others, by the regret of the best one tried"
    return f"{words}\n{pd.DataFrame(rows).to_string(index=False)}"
