"""Ask and tell without a framework."""

import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Self

import torch
from botorch.exceptions import InputDataError, UnsupportedError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._evaluation import Direction, Parameters, row_of
from botorch_popbo._plain import Value, as_float
from botorch_popbo._reproducible import one_thread
from botorch_popbo._saved import save, saved
from botorch_popbo.candidates import Candidates
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.models.outcome_model import OutcomeModel
from botorch_popbo.search.outlook import Outlook, outlook, why
from botorch_popbo.search.suggest import Search
from botorch_popbo.search.trials import Trial, Trials
from botorch_popbo.settings import Settings, read_settings
from botorch_popbo.space import Space, at_least, is_number
from botorch_popbo.trials import read_csv, read_error, read_mapping, read_point, read_value

if TYPE_CHECKING:
    import pandas as pd

#: The least and the largest value of an outcome that are allowed; ``None`` where there is no limit.
Limits = tuple[float | None, float | None]

#: Candidates as dictionaries, or the path of a CSV file of them.
Listed = Sequence[Mapping[str, Value]] | str | os.PathLike[str]

#: By the name of each objective mean and standard deviation.
Expected = dict[str, tuple[float, float]]

_FORMAT = 1
_SIGNS: dict[Direction, float] = {"minimize": -1.0, "maximize": 1.0}
_SAVED = "objectives", "constraints", "n_initial", "seed"


@dataclass(frozen=True)
class Observation:
    """An experiment that has ended.

    Attributes:
        parameters: What was tried.
        outcomes: What came out, by name; empty if it failed.
        standard_error: That of the outcomes; ``None`` if unknown.
    """

    parameters: Parameters
    outcomes: Mapping[str, float]
    standard_error: float | None = None


class Optimizer:
    """Ask what to try next, and report what came out, in any order.

    The same seed, space and outcomes give the same points as :func:`~botorch_popbo.minimize`, as
    long as they are asked for and reported one by one. The global random state is left as it was.

    Args:
        space: What each parameter may be, by its name; see :data:`~botorch_popbo.space.Notation`.
            Or candidates, of which no other point is suggested and each once: a list of
            dictionaries, a data frame or the path of a CSV file; see
            :class:`~botorch_popbo.candidates.Candidates`.
        objectives: "minimize" or "maximize", or one of them for each objective by its name. The
            one without a name is called "value".
        constraints: The least and the largest value of outcomes that are allowed, by name, ``None``
            where there is no limit. An objective may have limits, too.
        n_initial: Successes before the model takes over from a quasi-random design, or from
            candidates in random order; by default that of the settings, ten and four.
        seed: Seed of the design and the search.
        settings: What the model assumes, and how to search.

    Attributes:
        space: The space.
        observations: What was reported, in this order.
        pending: Points that were asked for and not yet reported. Remove one that is given up.

    Raises:
        ImportError: If a CSV file is given and pandas is not installed.
        InputDataError: If an argument is not valid.
        OSError: If a file cannot be read.

    Example:
        >>> optimizer = Optimizer({"heat": (20, 90), "solvent": ["water", "DMF"]}, "maximize")
        >>> for point in optimizer.ask(4):
        >>>     optimizer.tell(point, experiment(**point))  # None if it failed
        >>> optimizer.best
    """

    def __init__(
        self,
        space: "Mapping[str, Value] | Space | Listed | pd.DataFrame",
        objectives: Direction | Mapping[str, Direction] = "minimize",
        *,
        constraints: Mapping[str, Limits] | None = None,
        n_initial: int | None = None,
        seed: int = 0,
        settings: Settings | None = None,
    ) -> None:
        if isinstance(space, str | os.PathLike):
            space = read_csv(space)
        self.space = Space.read(space) if isinstance(space, Mapping | Space) else Candidates(space)
        named = objectives if isinstance(objectives, Mapping) else {"value": objectives}
        self.objectives: dict[str, Direction] = dict(named)
        if not named or not all(way in [*_SIGNS] for way in named.values()):
            ways = '"minimize" or "maximize", or a dictionary of these by name'
            raise InputDataError(f"Objectives are {ways}, not {objectives!r}.")
        self.constraints: dict[str, Limits] = read_mapping("constraints", constraints)
        for name in self.outcomes:
            if name in self.space.parameters:
                raise InputDataError(f"{name} is a parameter; give the outcome another name.")
        for name, pair in self.constraints.items():
            is_pair = isinstance(pair, Sequence) and len(pair) == 2
            limits: list[Value] = [x for x in pair if x is not None] if is_pair else [None]
            if not all(map(is_number, limits)) or limits != sorted(limits):
                raise InputDataError(f"{name}: limits are (least, largest) or None, not {pair!r}.")
        self._limits = [
            (name, sign, limit)
            for name, limits in self.constraints.items()
            for sign, limit in zip((1.0, -1.0), limits, strict=True)
            if limit is not None
        ]
        settings = read_settings(settings)
        has_list, length = self.space.candidates is not None, settings.search
        by_default = length.num_initial_listed if has_list else length.num_initial
        self.n_initial = by_default if n_initial is None else n_initial
        self.seed = at_least(0, seed=seed)
        self._search = Search(self.seed, settings, at_least(1, n_initial=self.n_initial))
        self.observations: list[Observation] = []
        self.pending: list[Parameters] = []
        self._ended: list[Trial] = []
        self._tried: dict[tuple[float, ...], Parameters] = {}

    def __repr__(self) -> str:
        counts = f"{len(self.observations)} observations, {len(self.pending)} pending"
        return f"<{type(self).__name__} of {', '.join(self.space.parameters)}: {counts}>"

    @property
    def outcomes(self) -> list[str]:
        """The names of all outcomes: the objectives, then the constraints on other outcomes."""
        return [*(self.objectives | self.constraints)]

    @property
    def trials(self) -> Trials:
        """What is known of points."""
        pending = [self.space.encode(point) for point in self.pending]
        shape = len(self.space.parameters), len(self.objectives), len(self._limits)
        return Trials.gather(self._ended, pending, shape)

    def ask(self, n: int = 1, fixed: Mapping[str, Value] | None = None) -> list[Parameters]:
        """The next points, which are pending until they are reported.

        Args:
            n: How many, chosen one by one, each as if those before had turned out as expected.
            fixed: Values that some parameters are to have, by name.

        Returns:
            The points; fewer if no more are left, or none.

        Raises:
            InputDataError: If ``n`` is not a whole number of at least 1, or if nothing of the space
                has the fixed values.

        Warns:
            InputDataWarning: If fewer points are left than are asked for.
        """
        fixed = read_mapping("fixed", fixed)
        known = self.space.parameters
        if unknown := [name for name in fixed if name not in known]:
            raise InputDataError(f"{unknown[0]!r} is not a parameter; these are {[*known]}.")
        try:
            places = {n: known[n].place(read_value(v, known[n])) for n, v in fixed.items()}
            if not all(self.space.is_active(name, fixed) for name in fixed):
                raise ValueError("one has no meaning beside the others")
        except KeyError as parent:
            raise InputDataError(f"Fix {parent}, too: what is fixed depends on it.") from None
        except (TypeError, ValueError) as error:
            raise InputDataError(f"{fixed} is not in the space: {error}.") from None
        part, trials = self.space.at_places(places), self.trials
        for _ in range(at_least(1, n=n)):
            index = len(self.observations) + len(trials.pending)
            x = self._search.suggest(part, trials, index).unsqueeze(0)
            if bool(is_row_of(x, trials.known_X)):
                break  # all are known
            trials = replace(trials, pending=torch.cat([trials.pending, x]))
        asked = [*map(self._parameters, trials.pending[len(self.pending) :])]
        if len(asked) < n:
            text = f"Asked for {n}, but {len(asked)} are left: all others are known or pending."
            warnings.warn(text, InputDataWarning, stacklevel=2)
        self.pending += asked
        return [*map(dict, asked)]

    def tell(
        self, point: Mapping[str, Value], value: Value, *, standard_error: float | None = None
    ) -> None:
        """Add what came out at a point, which need not have been asked for.

        Args:
            point: The value of each parameter. One outside of a range, or of no candidate, teaches
                the model and is not recommended.
            value: A number; a dictionary of numbers by name if there are several outcomes, of which
                those that are not objectives may be missing; ``None``, NaN or an infinitely bad
                value if the experiment failed.
            standard_error: That of the numbers; 0 if there is no noise, ``None`` if unknown.

        Raises:
            InputDataError: If a value is not one of its parameter, or an outcome is not a number or
                infinitely good.
        """
        parameters = read_point(point, self.space)
        outcomes = self._outcomes(value)
        error = read_error(standard_error)
        x = self.space.encode(parameters)
        ways = self.objectives.items()
        scores = [_SIGNS[way] * outcomes[name] if outcomes else -math.inf for name, way in ways]
        self._ended.append(Trial(x, scores, self.slack(outcomes), error**2))
        self.observations.append(Observation(parameters, outcomes, standard_error))
        self._tried[tuple(x.tolist())] = parameters
        same = (i for i, p in enumerate(self.pending) if self.space.encode(p).equal(x))
        if (place := next(same, None)) is not None:
            del self.pending[place]

    def slack(self, outcomes: Mapping[str, float]) -> list[float]:
        """How far each outcome is within its limit; negative if outside, NaN if unknown."""
        return [s * (outcomes.get(name, math.nan) - limit) for name, s, limit in self._limits]

    def _outcomes(self, value: Value) -> dict[str, float]:
        """The outcomes by name, as far as they are known; none of a failure."""
        several = isinstance(value, Mapping)
        if not several and value is not None and len(self.outcomes) > 1:
            raise InputDataError(f"Report {self.outcomes} by name, or None; got {value!r}.")
        given = value if several else dict.fromkeys(self.outcomes[:1], value)
        if isinstance(value, tuple) or "standard_error" in given.keys() - {*self.outcomes}:
            raise InputDataError(f"Pass a standard error as standard_error=, not in {value!r}.")
        if several and (missing := self.objectives.keys() - given.keys()):
            raise InputDataError(f"{missing} is missing. Pass None if the experiment failed.")
        if unknown := given.keys() - {*self.outcomes}:
            raise InputDataError(f"The outcomes are {self.outcomes}, not {unknown}.")
        numbers: dict[str, float] = {}
        for name in self.outcomes:
            x = given.get(name)
            number = math.nan if x is None else as_float(x)
            way = self.objectives.get(name)
            if number is None or (way and _SIGNS[way] * number == math.inf):
                raise InputDataError(f"{name} must be a number, or None for a failure, not {x!r}.")
            if math.isfinite(number):
                numbers[name] = number
        return numbers if self.objectives.keys() <= numbers.keys() else {}

    @property
    def best(self) -> Parameters:
        """The point to use, of the best outcome that the model believes; no outlier.

        It was tried.

        Raises:
            RuntimeError: If no point of the space has succeeded.
            UnsupportedError: If there are several objectives.

        Warns:
            InputDataWarning: As :attr:`front` does.
        """
        if len(self.objectives) > 1:
            raise UnsupportedError("With several objectives, use front.")
        return self.front[0]

    @property
    @one_thread()
    def front(self) -> list[Parameters]:
        """The points that are expected to be the best trade-offs between the objectives.

        Raises:
            RuntimeError: If no point of the space has succeeded.

        Warns:
            InputDataWarning: If none is expected to satisfy the constraints, which are then
                ignored.
        """
        trials = self.trials
        has_succeeded = ~trials.objectives.isneginf().any(-1)
        if not bool(self.space.contains(trials.X[has_succeeded]).any()):
            raise RuntimeError("No point of the space has succeeded yet, so there is no best one.")
        if len(trials.X.unique(dim=0)) == 1:
            return [self._parameters(trials.X[0])]
        models = self._search.models(self.space, trials)
        known = models.objectives[0].known_X
        X = known[self.space.contains(known) & ~models.objectives[0].has_failed]
        found = models.recommended(X)
        if not len(found):
            text = "No tried point is expected to satisfy the constraints, so they are ignored."
            warnings.warn(text, InputDataWarning, stacklevel=3)
            found = replace(models, slacks=()).recommended(X)
        return [*map(self._parameters, found)]

    def _parameters(self, x: Tensor) -> Parameters:
        """A point as it was reported, or as it is suggested."""
        return dict(self._tried.get(tuple(x.tolist())) or self.space.decode(x))

    @one_thread()
    @torch.no_grad()
    def predict(self, points: Sequence[Mapping[str, Value]]) -> list[Expected]:
        """What is to be expected of points, from the law of the rank and what was observed.

        Args:
            points: Dictionaries of values.

        Returns:
            For each point, by the name of each objective, mean and standard deviation.

        Raises:
            InputDataError: If fewer than two points were reported, or if one lacks a parameter or
                has a value that its parameter cannot take. Numbers outside of a range are allowed.
        """
        X = torch.stack([self.space.encode(read_point(point, self.space)) for point in points])
        trials = self.trials
        if len(trials.X.unique(dim=0)) < 2:
            raise InputDataError("Report the results of two distinct points first.")
        models = self._search.models(self.space, trials).objectives
        expected: list[Expected] = [{} for _ in points]
        for (name, way), model in zip(self.objectives.items(), models, strict=True):
            law = OutcomeModel(model, _SIGNS[way]).posterior(X)
            mean, variance = law.mean, law.variance  # type: ignore[attr-defined]  # it is normal
            for found, m, v in zip(expected, mean.tolist(), variance.tolist(), strict=True):
                found[name] = m[0], v[0] ** 0.5
        return expected

    def explain(self, point: Mapping[str, Value]) -> str:
        """Why a point is suggested, in words; for what to expect see :meth:`predict`."""
        x = self.space.encode(read_point(point, self.space))
        return why(self._search, self.space, self.trials, x)

    def outlook(self, margin: float | None = None) -> Outlook:
        """Whether anything better is left to be found.

        Args:
            margin: By how much to be better; see :func:`~botorch_popbo.search.outlook.outlook`.
        """
        return outlook(self._search, self.space, self.trials, margin)

    def to_frame(self) -> "pd.DataFrame":
        """A row for each observation, then for each pending point, which has no outcome yet.

        It is like a result's, with a ``status`` that is "completed", "failed" or "running", and may
        be the ``start`` of :func:`~botorch_popbo.minimize`, of which an outcome is the ``value``.

        Raises:
            ImportError: If pandas is not installed.
        """
        import pandas as pd

        none, rows = dict.fromkeys(self.outcomes), []
        for o in self.observations:
            status = "completed" if o.outcomes else "failed"
            ours = {"standard_error": o.standard_error, "status": status}
            rows.append(row_of({**o.parameters, **none, **o.outcomes}, ours))
        rows += [row_of(point, {"status": "running"}) for point in self.pending]
        return pd.DataFrame(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all but the settings to a JSON file, whole or not at all.

        Raises:
            OSError: If it cannot be written.
        """
        content = {
            "format": _FORMAT,
            "space": self.space.to_json(),
            **{name: getattr(self, name) for name in _SAVED},
            "observations": [asdict(observation) for observation in self.observations],
            "pending": self.pending,
        }
        save(path, content)

    @classmethod
    def load(cls, path: str | os.PathLike[str], settings: Settings | None = None) -> Self:
        """Go on where a saved optimizer was: the next point is the same.

        Args:
            path: A file that :meth:`save` wrote.
            settings: Those of the saved one, which the file does not hold.

        Raises:
            OSError: If the file cannot be read.
            InputDataError: If it holds something else.
        """
        with saved(path, cls.__name__, _FORMAT) as content:
            options = {name: content[name] for name in _SAVED}
            optimizer = cls(content["space"], settings=settings, **options)
            for o in content["observations"]:
                value, error = o["outcomes"] or None, o["standard_error"]
                optimizer.tell(o["parameters"], value, standard_error=error)
            optimizer.pending = [read_point(point, optimizer.space) for point in content["pending"]]
        return optimizer
