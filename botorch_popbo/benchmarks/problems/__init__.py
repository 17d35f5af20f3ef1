"""The registry of problems; :mod:`~botorch_popbo.benchmarks.problems.base` says what one is."""

from collections.abc import Iterator
from functools import partial

from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS, MLP
from botorch_popbo.benchmarks.later import later
from botorch_popbo.benchmarks.problems.base import Problem, ProblemEntry
from botorch_popbo.benchmarks.problems.coco_names import SUITES, CocoName, expand, parse
from botorch_popbo.benchmarks.problems.functions import exact_functions
from botorch_popbo.benchmarks.problems.tables import nasbench201, table
from botorch_popbo.benchmarks.problems.tuning import tuning
from botorch_popbo.benchmarks.problems.variants import variants


def _tables() -> Iterator[ProblemEntry]:
    for part in FCNET.parts:
        name = f"fcnet-{part.split('_')[0]}"
        text = f"table: two-layer network on {part}, 9 choices ({FCNET.file})"
        yield ProblemEntry(name, text, partial(table, name, FCNET, part, noisy=False))
        text, name = f"{name}, one of the four trainings at random", f"{name}-noisy"
        yield ProblemEntry(name, text, partial(table, name, FCNET, part))
    text = "table: cell of six operations on CIFAR-10 (nasbench201.npz)"
    yield ProblemEntry("nasbench201", text, nasbench201)
    for part in MLP.parts:
        name = f"mlp-{part.replace('_', '-')}"
        text = f"table: network on scikit-learn's {part}, one of 8 splits ({MLP.file})"
        yield ProblemEntry(name, text, partial(table, name, MLP, part))
    for title, file in KERNELS.items():
        for gpu in file.parts:
            name = f"{title}-{gpu.lower()}"
            text = f"table: sizes in a GPU kernel on {gpu}, one of 32 runs ({file.file})"
            yield ProblemEntry(name, text, partial(table, name, file, gpu))


class _Problems(dict[str, ProblemEntry]):
    """Those that are listed, and COCO's, of which there are too many."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and _is_single(parse(name)))

    def __missing__(self, name: str) -> ProblemEntry:
        found = parse(name)
        if found is None or not _is_single(found):
            raise KeyError(name)
        text = f"COCO: {SUITES[found.suite].description}"
        return ProblemEntry(name, text, lambda _: later("problems.coco:coco")(found))


def _is_single(name: CocoName | None) -> bool:
    return name is not None and name.function is not None


#: By name, in the order in which they are listed. COCO's names are not listed, but known.
PROBLEMS: dict[str, ProblemEntry] = _Problems(
    (entry.name, entry)
    for entry in (
        ProblemEntry(
            "sklearn-digits",
            "live: network on scikit-learn's digits, 6 mixed parameters, noisy",
            later("problems.digits:digits"),
        ),
        *exact_functions(),
        *variants(),
        *_tables(),
        *tuning(),
    )
)

#: How the names look that are not listed, with a line each.
PATTERNS: dict[str, str] = {
    f"{name}-fN-dD-iI": f"COCO: {suite.description}" for name, suite in SUITES.items()
}

__all__ = ["PATTERNS", "PROBLEMS", "Problem", "ProblemEntry", "expand"]
