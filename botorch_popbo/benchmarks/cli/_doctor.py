"""What is installed, what was found, and the command that adds what is missing."""

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

from botorch_popbo.benchmarks.tables import fcnet, nasbench201

_PACKAGE = "botorch-popbo"
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<wanted>[^;]*)(;.*extra == \"(?P<extra>[\w-]+)\")?")


@dataclass(frozen=True)
class Requirement:
    """A package that is needed.

    Attributes:
        name: Its name.
        wanted: The versions that will do, such as ``">=1.3"``.
        extra: The extra that needs it, or an empty string for what is always needed.
    """

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
    """What the installed package declares to need, in the order of its metadata."""
    found = (_REQUIREMENT.match(text) for text in requires(_PACKAGE) or [])
    return [
        Requirement(match["name"], match["wanted"].strip(), match["extra"] or "")
        for match in found
        if match
    ]


def doctor(data: Path | None) -> int:
    """Print what :func:`examine` finds.

    Args:
        data: The folder of table files, or None.

    Returns:
        The exit status: 1 if a package is missing that is always needed.
    """
    lines, is_well = examine(data)
    print("\n".join(lines))
    return 0 if is_well else 1


def examine(data: Path | None) -> tuple[list[str], bool]:
    """Look at the installation.

    Args:
        data: The folder of table files, or None.

    Returns:
        Lines of text, and whether nothing that is always needed is missing.
    """
    needed = requirements()
    core = [requirement for requirement in needed if not requirement.extra]
    lines = [f"{_PACKAGE} {version(_PACKAGE)}, Python {platform.python_version()}"]
    lines += [f"  {_told(requirement)}" for requirement in core]
    lines += ["devices:", *(f"  {line}" for line in _devices())]
    lines += ["extras:"]
    for extra in metadata(_PACKAGE).get_all("Provides-Extra") or []:
        lines.append(f"  {_extra(extra, [r for r in needed if r.extra == extra])}")
    lines += ["tables:", *(f"  {line}" for line in _tables(data))]
    lines += [
        "elsewhere:",
        f"  {_hebo()}",
        "versions that contradict each other: python -m pip check",
    ]
    return lines, all(requirement.installed for requirement in core)


def _told(requirement: Requirement) -> str:
    found = (
        requirement.installed or f"missing: pip install '{requirement.name}{requirement.wanted}'"
    )
    return f"{requirement.name} {found} (wanted: {requirement.wanted})"


def _devices() -> Iterator[str]:
    try:
        import torch
    except ImportError:
        yield "unknown: torch is missing"
        return
    yield f"CPU: {os.cpu_count()} cores, {torch.get_num_threads()} threads of torch"
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            yield f"cuda:{index}: {torch.cuda.get_device_name(index)}"
    else:
        yield "no CUDA device: the option device= of the strategies needs one"


def _extra(extra: str, needed: list[Requirement]) -> str:
    # An extra repeats what the extras that it is made of need.
    missing = dict.fromkeys(r.name for r in needed if r.installed is None)
    if not missing:
        return f"{extra}: complete"
    return f"{extra}: missing {', '.join(missing)}: pip install '{_PACKAGE}[{extra}]'"


def _tables(data: Path | None) -> Iterator[str]:
    if data is None:
        yield "no folder: pass --data DIR or set POPBO_DATA (popbo data makes the files)"
        return
    for name in (fcnet.FILE, nasbench201.FILE):
        found = "found" if (data / name).is_file() else "missing (popbo data makes it)"
        yield f"{data / name}: {found}"


def _hebo() -> str:
    python = os.environ.get("POPBO_PYTHON_HEBO")
    if not python:
        return "hebo: POPBO_PYTHON_HEBO is not set; it names the Python of an environment with HEBO"
    return f"hebo: {python}: {'found' if Path(python).is_file() else 'there is no such file'}"
