"""What is installed, what was found, and the command that adds what is missing."""

import importlib.metadata
import platform
import re
from argparse import Namespace
from pathlib import Path

from botorch_popbo.benchmarks.data.nasbench201 import FILE
from botorch_popbo.benchmarks.data.sources import FCNET, KERNELS, MLP

_PACKAGE = "botorch-popbo"
_OF_DEVELOPERS = {"dev", "docs", "notebooks", "test"}
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<wanted>[^;]*)(;.*extra == \"(?P<extra>[\w-]+)\")?")


def doctor(options: Namespace) -> int:
    """Print what is found; the exit status is 1 if a package is missing that is always needed."""
    needed = [*filter(None, map(_REQUIREMENT.match, importlib.metadata.requires(_PACKAGE) or []))]
    core = [r for r in needed if not r["extra"]]
    print(f"{_PACKAGE} {_installed(_PACKAGE)}, Python {platform.python_version()}")
    for r in core:
        found = _installed(r["name"]) or f"missing: pip install '{r['name']}{r['wanted'].strip()}'"
        print(f"  {r['name']} {found} (wanted: {r['wanted'].strip()})")
    print("extras:")
    extras = importlib.metadata.metadata(_PACKAGE).get_all("Provides-Extra") or []
    for extra in [one for one in extras if one not in _OF_DEVELOPERS]:
        names = dict.fromkeys(r["name"] for r in needed if r["extra"] == extra)
        missing = ", ".join(name for name in names if _installed(name) is None)
        add = f"missing {missing}: in the clone, pip install '.[{extra}]'"
        print(f"  {extra}: {add if missing else 'complete'}")
    _print_tables(options.data)
    print("to check for conflicting versions, run python -m pip check")
    return 0 if all(_installed(r["name"]) for r in core) else 1


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _print_tables(data: Path | None) -> None:
    print("tables:")
    if data is None:
        print("  no folder: pass --data DIR or set POPBO_DATA")
        return
    for name in (FILE, *(table.file for table in (FCNET, MLP, *KERNELS.values()))):
        print(f"  {data / name}: {'found' if (data / name).is_file() else 'missing'}")
