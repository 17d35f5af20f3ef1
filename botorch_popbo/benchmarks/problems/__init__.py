"""The registry of problems; :mod:`~botorch_popbo.benchmarks.problems.base` says what one is."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from botorch_popbo.benchmarks.data import fcnet as fcnet_tables
from botorch_popbo.benchmarks.data import kernels, networks
from botorch_popbo.benchmarks.problems._coco import coco
from botorch_popbo.benchmarks.problems._coco_names import SUITES, CocoName, expand, parse
from botorch_popbo.benchmarks.problems._digits import digits
from botorch_popbo.benchmarks.problems._functions import FUNCTIONS, exact
from botorch_popbo.benchmarks.problems._tables import fcnet, kernel, nasbench201, network
from botorch_popbo.benchmarks.problems._variants import variants
from botorch_popbo.benchmarks.problems.base import Problem


@dataclass(frozen=True)
class ProblemEntry:
    """A problem that has not been loaded.

    Attributes:
        description: One line for a list of problems.
        load: Makes the problem, given the folder of table files or None. Raises UsageError if it
            needs a table and does not find it.
    """

    description: str
    load: Callable[[Path | None], Problem]


def _plain(description: str, make: Callable[[], Problem]) -> ProblemEntry:
    return ProblemEntry(description, lambda _: make())


def _fcnet_entries() -> Iterator[tuple[str, ProblemEntry]]:
    for data_set in fcnet_tables.DATA_SETS:
        name = f"fcnet-{data_set.split('_')[0]}"
        for full_name, is_noisy, description in (
            (name, False, f"table: two-layer network on {data_set}, 9 choices (fcnet_valid.npz)"),
            (f"{name}-noisy", True, f"{name}, one of the four trainings at random"),
        ):
            load = partial(fcnet, full_name, data_set, is_noisy)
            yield full_name, ProblemEntry(description, load)


def _noisy_tables() -> Iterator[tuple[str, ProblemEntry]]:
    for data_set in networks.DATA_SETS:
        name = f"mlp-{data_set.replace('_', '-')}"
        text = f"table: network on scikit-learn's {data_set}, one of 8 splits ({networks.FILE})"
        yield name, ProblemEntry(text, partial(network, name, data_set))
    for title, file in kernels.FILES.items():
        for gpu in kernels.GPUS:
            name = f"{title}-{gpu.lower()}"
            text = f"table: sizes in a GPU kernel on {gpu}, one of 32 runs ({file})"
            yield name, ProblemEntry(text, partial(kernel, name, title, gpu))


class _Problems(dict[str, ProblemEntry]):
    """Those that are listed, and COCO's, of which there are too many."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and _is_single(parse(name)))

    def __missing__(self, name: str) -> ProblemEntry:
        found = parse(name)
        if found is None or not _is_single(found):
            raise KeyError(name)
        return ProblemEntry(f"COCO: {SUITES[found.suite].description}", lambda _: coco(found))


def _is_single(name: CocoName | None) -> bool:
    return name is not None and name.function is not None


#: By name, in the order in which they are listed. COCO's names are not listed, but known.
PROBLEMS: dict[str, ProblemEntry] = _Problems(
    {
        "sklearn-digits": _plain(
            "live: network on scikit-learn's digits, 6 mixed parameters, noisy", digits
        ),
        **{
            name: _plain(f"function: {function.description}", partial(exact, name))
            for name, function in FUNCTIONS.items()
        },
        **{name: _plain(f"function: {text}", make) for name, text, make in variants()},
        **dict(_fcnet_entries()),
        "nasbench201": ProblemEntry(
            "table: cell of six operations on CIFAR-10 (nasbench201.npz)", nasbench201
        ),
        **dict(_noisy_tables()),
    }
)

#: How the names look that are not listed, with a line each.
PATTERNS: dict[str, str] = {
    f"{name}-fN-dD-iI": f"COCO: {suite.description}" for name, suite in SUITES.items()
}

__all__ = ["PATTERNS", "PROBLEMS", "Problem", "ProblemEntry", "expand"]
