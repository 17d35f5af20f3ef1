"""Names of COCO's problems: ``bbob-f15-d5-i2`` is instance 2 of function 15 in five dimensions.

Without an instance each seed has its own; without a function the name stands for all of a suite's.
The suites are described in Hansen et al. (2021), COCO: a platform for comparing continuous
optimizers in a black-box setting.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from botorch_popbo._errors import UsageError

_NAME = re.compile(r"(bbob(?:-[a-z]+)*)(?:-f(\d+))?-d(\d+)(?:-i(\d+))?")


@dataclass(frozen=True)
class Suite:
    """A suite of COCO.

    Attributes:
        description: One line for a list of problems.
        dimensions: Those in which COCO defines its functions.
        groups: COCO's groups of its functions, by their names.
    """

    description: str
    dimensions: tuple[int, ...]
    groups: Mapping[str, range]

    @property
    def functions(self) -> range:
        """The numbers of all functions."""
        first, *_, last = self.groups.values()
        return range(first.start, last.stop)

    def group(self, function: int) -> str:
        """The name of the group that a function belongs to."""
        return next(name for name, members in self.groups.items() if function in members)


_GROUPS = {
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multimodal": range(15, 20),
    "weak structure": range(20, 25),
}
_NOISY = {
    "moderate noise": range(101, 107),
    "severe noise": range(107, 122),
    "severe noise, multimodal": range(122, 131),
}
_OBJECTIVES = (
    *("sphere", "ellipsoid", "linear slope", "rotated ellipsoid", "discus", "bent cigar"),
    *("different powers", "Rastrigin", "rotated Rastrigin"),
)
_CONSTRAINED = {name: range(6 * i + 1, 6 * i + 7) for i, name in enumerate(_OBJECTIVES)}
_DIMENSIONS = (2, 3, 5, 10, 20, 40)

#: By COCO's name.
SUITES = {
    "bbob": Suite("functions 1-24, noise-free", _DIMENSIONS, _GROUPS),
    "bbob-noisy": Suite("functions 101-130, with noise", _DIMENSIONS, _NOISY),
    "bbob-mixint": Suite("functions 1-24, mixed integer", (5, 10, 20, 40, 80, 160), _GROUPS),
    "bbob-constrained": Suite(
        "functions 1-54, failing where infeasible", _DIMENSIONS, _CONSTRAINED
    ),
}


@dataclass(frozen=True)
class CocoName:
    """What a name says; None where it says nothing."""

    suite: str
    function: int | None
    dimension: int
    instance: int | None

    def __str__(self) -> str:
        parts = (("f", self.function), ("d", self.dimension), ("i", self.instance))
        return self.suite + "".join(f"-{key}{n}" for key, n in parts if n is not None)


def parse(name: str) -> CocoName | None:
    """Read a name; None if it is not one of COCO's, UsageError if COCO has no such problem."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    suite, *numbers = match.groups()
    function, dimension, instance = (None if n is None else int(n) for n in numbers)
    if suite not in SUITES:
        raise UsageError(f"{name}: there is no suite {suite!r}; known: {', '.join(SUITES)}")
    functions, dimensions = SUITES[suite].functions, SUITES[suite].dimensions
    if function is not None and function not in functions:
        raise UsageError(f"{name}: {suite} has functions {functions[0]} to {functions[-1]}")
    if dimension not in dimensions:
        raise UsageError(f"{name}: {suite} has dimensions {', '.join(map(str, dimensions))}")
    if instance == 0:
        raise UsageError(f"{name}: instances are counted from 1")
    assert dimension is not None
    return CocoName(suite, function, dimension, instance)


def expand(name: str) -> tuple[str, ...]:
    """The names of single problems that a name stands for, itself if it is not a group of COCO's.

    Raises:
        UsageError: If COCO has no such problem.
    """
    found = parse(name)
    if found is None or found.function is not None:
        return (name,)
    return tuple(str(replace(found, function=n)) for n in SUITES[found.suite].functions)
