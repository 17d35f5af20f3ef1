"""What is installed, what was found, and the command that adds what is missing."""

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

import torch

from botorch_popbo.benchmarks.data._published import FILES

_PACKAGE = "botorch-popbo"
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<wanted>[^;]*)(;.*extra == \"(?P<extra>[\w-]+)\")?")


@dataclass(frozen=True)
class Requirement:
    """A package that is needed by an extra, or always if that is empty."""

    name: str
    wanted: str
    extra: str

    @property
    def installed(self) -> str | None:
        """The installed version, or None."""
        try:
            return version(self.name)
        except PackageNotFoundError:
            return None


def requirements() -> list[Requirement]:
    """What the installed package declares to need."""
    found = filter(None, map(_REQUIREMENT.match, requires(_PACKAGE) or []))
    return [Requirement(m["name"], m["wanted"].strip(), m["extra"] or "") for m in found]


def doctor(data: Path | None) -> int:
    """Print what is found; the exit status is 1 if a package is missing that is always needed."""
    lines, is_well = examine(data)
    print("\n".join(lines))
    return 0 if is_well else 1


def examine(data: Path | None) -> tuple[list[str], bool]:
    """Lines of text, and whether nothing that is always needed is missing."""
    needed = requirements()
    core = [requirement for requirement in needed if not requirement.extra]
    extras = metadata(_PACKAGE).get_all("Provides-Extra") or []
    sections = {
        f"{_PACKAGE} {version(_PACKAGE)}, Python {platform.python_version()}": map(_told, core),
        "devices:": _devices(),
        "extras:": (_extra(extra, [r for r in needed if r.extra == extra]) for extra in extras),
        "tables:": _tables(data),
        "elsewhere:": [_hebo()],
        "versions that contradict each other: python -m pip check": [],
    }
    lines = [
        line
        for title, found in sections.items()
        for line in (title, *(f"  {one}" for one in found))
    ]
    return lines, all(requirement.installed for requirement in core)


def _told(needed: Requirement) -> str:
    found = needed.installed or f"missing: pip install '{needed.name}{needed.wanted}'"
    return f"{needed.name} {found} (wanted: {needed.wanted})"


def _devices() -> Iterator[str]:
    yield f"CPU: {os.cpu_count()} cores, {torch.get_num_threads()} threads of torch"
    for index in range(torch.cuda.device_count()):
        yield f"cuda:{index}: {torch.cuda.get_device_name(index)}"
    if not torch.cuda.is_available():
        yield "no CUDA device: the option device= of the strategies needs one"


def _extra(extra: str, needed: list[Requirement]) -> str:
    # An extra repeats what the extras that it is made of need.
    missing = ", ".join(dict.fromkeys(r.name for r in needed if r.installed is None))
    add = f"missing {missing}: pip install '{_PACKAGE}[{extra}]'"
    return f"{extra}: {add if missing else 'complete'}"


def _tables(data: Path | None) -> Iterator[str]:
    if data is None:
        yield "no folder: pass --data DIR or set POPBO_DATA (popbo data makes the files)"
        return
    for name in FILES.values():
        found = "found" if (data / name).is_file() else "missing (popbo data makes it)"
        yield f"{data / name}: {found}"


def _hebo() -> str:
    python = os.environ.get("POPBO_PYTHON_HEBO")
    if not python:
        return "hebo: POPBO_PYTHON_HEBO is not set; it names the Python of an environment with HEBO"
    return f"hebo: {python}: {'found' if Path(python).is_file() else 'there is no such file'}"
