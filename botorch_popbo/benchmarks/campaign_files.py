"""Campaigns as small TOML files, some of which come with the package."""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from botorch_popbo.benchmarks.errors import UsageError

_SUFFIX = ".toml"

OPTIMIZATION = "optimization"
RANK_AGREEMENT = "rank-agreement"
#: The experiments, and the keys that have a meaning in no other.
EXPERIMENTS: Mapping[str, tuple[str, ...]] = {
    OPTIMIZATION: ("problems", "trials", "initial", "limit"),
    RANK_AGREEMENT: ("design", "noise", "deviations"),
}


@dataclass(frozen=True, kw_only=True)
class CampaignFile:
    """What a campaign file says; None where it says nothing.

    Attributes:
        description: One line for a list of campaigns.
        problems: Names of problems.
        methods: Names of methods, or of models in the experiment on rank agreement.
        trials: The number of evaluations after the initial design.
        seeds: The number of replications of each method on each problem or kind of noise.
        initial: The size of the initial design, in trials.
        jobs: The number of replications that run at the same time.
        limit: The time limit, in seconds, of one suggestion.
        experiment: What is done; see ``EXPERIMENTS``.
        design: Where observations are.
        noise: Names of kinds of noise.
        deviations: Standard deviations of the noise, in the unit of the function.
    """

    description: str = ""
    problems: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    trials: int | None = None
    seeds: int | None = None
    initial: int | None = None
    jobs: int | None = None
    limit: float | None = None
    experiment: str = OPTIMIZATION
    design: str | None = None
    noise: tuple[str, ...] | None = None
    deviations: tuple[float, ...] | None = None


def load_campaign(file_or_name: str) -> CampaignFile:
    """Read a campaign.

    Args:
        file_or_name: The path of a file that ends in ``.toml``, or the name of a campaign that
            comes with the package.

    Returns:
        What it says.

    Raises:
        UsageError: If there is no such campaign, or it is not understood.
    """
    if file_or_name.endswith(_SUFFIX):
        try:
            return _parse(file_or_name, Path(file_or_name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the campaign {file_or_name}: {error}") from None
    shipped = shipped_campaigns()
    if file_or_name not in shipped:
        known = ", ".join(shipped)
        raise UsageError(
            f"there is no campaign {file_or_name!r}; known: {known}, and files ending in .toml"
        )
    return shipped[file_or_name]


def shipped_campaigns() -> dict[str, CampaignFile]:
    """The campaigns that come with the package, by name."""
    folder = files("botorch_popbo.benchmarks").joinpath("campaigns")
    found = {
        file.name.removesuffix(_SUFFIX): file
        for file in (folder.iterdir() if folder.is_dir() else ())
        if file.name.endswith(_SUFFIX)
    }
    return {
        name: _parse(found[name].name, found[name].read_text(encoding="utf-8"))
        for name in sorted(found)
    }


def _parse(path: str, text: str) -> CampaignFile:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    known = [field.name for field in fields(CampaignFile)]
    for key in content:
        if key not in known:
            raise UsageError(f"{path}: there is no key {key!r}; known: {', '.join(known)}")
    file = CampaignFile(**{key: _value(path, key, value) for key, value in content.items()})
    for experiment, keys in EXPERIMENTS.items():
        for key in keys:
            if experiment != file.experiment and key in content:
                raise UsageError(f"{path}: the experiment {file.experiment} has no key {key!r}")
    return file


def _value(path: str, key: str, value: Any) -> Any:
    is_valid, wanted = _KINDS[key]
    if not is_valid(value):
        raise UsageError(f"{path}: {key} is {wanted}, not {value!r}")
    return tuple(value) if isinstance(value, list) else value


def _is_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value)


def _is_count(least: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and value >= least


def _is_seconds(value: object) -> bool:
    return type(value) in (int, float) and value > 0  # type: ignore[operator]


def _is_deviations(value: object) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(type(x) in (int, float) and 0 <= x < math.inf for x in value)


_TEXT = (lambda value: isinstance(value, str), "a text")
_NAMES = (_is_names, "a list of names")
_COUNT = (_is_count(1), "a positive whole number")
_KINDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "description": _TEXT,
    "problems": _NAMES,
    "methods": _NAMES,
    "trials": _COUNT,
    "seeds": _COUNT,
    "initial": (_is_count(2), "a whole number of at least 2"),
    "jobs": _COUNT,
    "limit": (_is_seconds, "a positive number of seconds"),
    "experiment": (lambda value: value in list(EXPERIMENTS), f"one of {', '.join(EXPERIMENTS)}"),
    "design": _TEXT,
    "noise": _NAMES,
    "deviations": (_is_deviations, "a list of numbers of at least 0"),
}
