"""Methods on problems, trial by trial."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS, Method
from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.own.files import find, is_reference
from botorch_popbo.benchmarks.problems import PATTERNS, PROBLEMS, Problem, expand
from botorch_popbo.benchmarks.run.campaign import Campaign, Limited
from botorch_popbo.benchmarks.run.keys import JOBS, LIMIT, Key
from botorch_popbo.benchmarks.settings import DEFAULT_METHODS, Setting, TrialRecord

if TYPE_CHECKING:
    from botorch_popbo.benchmarks.report.summary import Summary


@dataclass(frozen=True, kw_only=True)
class Optimization(Campaign[Setting, TrialRecord]):
    """A comparison of methods on problems.

    Recorded trials are reported to a fresh optimizer with their observations, so that the method
    sees what it saw in the process that recorded them.

    Attributes:
        initial: The size of the initial design by problem name, in trials, in the order in which
            the problems are reported.
        trials: The number of evaluations after the initial design.
        own: Sources of problems and methods that a user brought along, by name.
    """

    initial: Mapping[str, int]
    trials: int
    own: Mapping[str, Any] = field(default_factory=dict)

    keys: ClassVar = {
        "problems": Key(str, ()),
        "table": Key(str, ""),
        "objective": Key(str, ""),
        "columns": Key(str, ()),
        "maximize": Key(bool, False),
        "methods": Key(str, DEFAULT_METHODS),
        "trials": Key(int, 20, lambda _: 3, least=1),
        "seeds": Key(int, 3, lambda _: 1, least=1),
        "initial": Key(int, least=2),
        "jobs": JOBS,
        "limit": LIMIT,
    }
    record: ClassVar = TrialRecord

    @classmethod
    def settled(cls, values: dict[str, Any]) -> dict[str, Any]:
        """See the base class."""
        of_table = values["objective"] or values["columns"] or values["maximize"]
        if bool(values["table"]) != bool(values["objective"]) or (of_table and not values["table"]):
            raise UsageError("--table FILE and --objective COLUMN belong together; give both")
        problems = [name for one in values["problems"] for name in expand(one)]
        values["problems"] = _asked("problem", problems, PROBLEMS, PATTERNS)
        values["methods"] = _asked("method", values["methods"], METHODS)
        if not values["problems"] and not values["table"]:
            them = "Name problems, a --campaign or a --table"
            raise UsageError(f"{them}; `popbo list` shows them.")
        if values["table"]:
            values["table"] = str(Path(values["table"]).absolute())
        return values

    @classmethod
    def planned(cls, *, data: Path | None, **values: Any) -> Self:
        """See the base class."""
        size = values.pop("initial")
        sources: dict[str, Any] = {}
        problems = _found(values.pop("problems"), Problem, PROBLEMS, sources)
        methods = _found(values.pop("methods"), Method, METHODS, sources)
        of_table = [values.pop(key) for key in ("objective", "columns", "maximize")]
        if path := values.pop("table"):
            from botorch_popbo.benchmarks.own.table import TableSource

            table = TableSource.find(Path(path), *of_table)
            name = table.name(_names(PROBLEMS, sources))
            sources[name] = table
            problems.append(name)
        campaign = cls(initial={}, data=data, own=sources, methods=tuple(methods), **values)
        found = {name: campaign.problem(name) for name in problems}
        initial = {name: size or problem.num_initial for name, problem in found.items()}
        return replace(campaign, initial=initial)

    def problem(self, name: str) -> Problem:
        """Load a problem by its name in the records; raises UsageError if a table is missing."""
        return self.own[name].load() if name in self.own else PROBLEMS[name].load(self.data)

    def method(self, name: str) -> Method:
        """Load a method by its name in the records."""
        return self.own[name].load() if name in self.own else METHODS[name]

    def notes(self) -> Iterator[str]:
        """See the base class."""
        if self.trials <= max(self.initial.values()):
            yield "half or more of the evaluations are the shared initial points: raise --trials"
        stems = [path.stem for path in self.output.glob("records/*.jsonl")]
        for name, source in self.own.items():
            if hasattr(source, "describe"):  # a table, of which much is inferred
                yield from source.describe()
            base, _, digest = name.rpartition("@")
            other = re.compile(rf"(^|--){re.escape(base)}@(?!{digest})")
            if any(map(other.search, stems)):
                yield f"{base} is from a changed or another file: starting over without old records"

    def cells(self) -> Iterator[Setting]:
        """Yield the replications, the seeds of one comparison together.

        Replications of a slow method then start together instead of one being left for the end,
        when nothing runs beside it.
        """
        settings = product(self.initial.items(), self.methods, range(self.seeds))
        for (problem, initial), method, seed in settings:
            yield Setting(problem, method, initial, seed)

    def num_records(self, cell: Setting) -> int:
        """The number of trials of a complete replication, the initial design included."""
        return cell.initial + self.trials

    def evaluate(
        self, cell: Setting, records: list[TrialRecord], limited: Limited
    ) -> Iterator[TrialRecord]:
        """See the base class."""
        from botorch_popbo.benchmarks.experiments.loop import Loop

        problem = self.problem(cell.problem).for_seed(cell.seed)
        loop = Loop(problem, cell, self.method(cell.method), records, limited)
        yield from map(loop.step, count(len(records)))

    def complete(self, problem: str, method: str) -> dict[int, list[TrialRecord]]:
        """The trials of the complete replications, as many as are asked for, by seed."""
        found = {}
        for seed in range(self.seeds):
            cell = Setting(problem, method, self.initial[problem], seed)
            records, length = self.records(cell), self.num_records(cell)
            if len(records) >= length:
                found[seed] = records[:length]
        return found

    def summaries(self) -> "list[Summary]":
        """What the records say of every problem, in order.

        Raises:
            UsageError: If a problem's table is missing.
            RecordError: If recorded trials are damaged.
        """
        from botorch_popbo.benchmarks.report.summary import Summary, curve

        summaries = []
        for name, initial in self.initial.items():
            problem, curves, without = self.problem(name), [], []
            for method in self.methods:
                if found := self.complete(name, method):
                    curves.append(curve(problem, initial, self.method(method), found))
                else:
                    without.append(self.method(method).name)
            counts = initial, self.trials, self.seeds
            summaries.append(Summary(problem, *counts, tuple(curves), tuple(without)))
        return summaries

    def report(self) -> None:
        """See the base class."""
        # Workers need no plots.
        from botorch_popbo.benchmarks.report.optimization import write_report

        write_report(self.summaries(), self.output)


def _asked(
    what: str, names: Iterable[str], registry: Collection[str], patterns: Iterable[str] = ()
) -> tuple[str, ...]:
    """Each name once, where it is in a file with its whole path; UsageError if it is unknown."""
    names = dict.fromkeys(names)
    for name in names:
        if name.endswith(".py"):
            raise UsageError(f"write {name}:NAME, where NAME is a function in the file")
        if not is_reference(name) and name not in registry:
            if what == "method" and name in PROBLEMS:
                raise UsageError(f"{name} is a problem: name problems before --methods")
            listed = f", see popbo list {what}s, and path/to/my.py:name"
            raise unknown(what, name, [*registry, *patterns], listed)
    return tuple(str(Path(name).absolute()) if is_reference(name) else name for name in names)


def _found(
    names: Iterable[str], kind: type[Any], registry: Iterable[str], sources: dict[str, Any]
) -> list[str]:
    """Names as they are in the records; where those in files are found is added to ``sources``."""
    found = []
    for name in names:
        if is_reference(name):
            name, source = find(name, kind, _names(registry, sources))
            sources[name] = source
        found.append(name)
    return found


def _names(registry: Iterable[str], sources: Iterable[str]) -> set[str]:
    return {*registry, *(name.rpartition("@")[0] for name in sources)}
