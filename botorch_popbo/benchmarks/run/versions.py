"""With what a trial was made."""

import subprocess
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import botorch_popbo
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.version import __version__

_ALWAYS = ("botorch", "ax-platform", "torch", "scikit-learn")
_PATIENCE = 10.0  # seconds

#: The key of the commit among the versions.
COMMIT = "commit"


def versions(method: Method, problem: Problem) -> dict[str, str]:
    """Version by package name of this package, what it is built on and the libraries of the two.

    Of a development checkout, the commit is there under "commit".
    """
    found = {"botorch-popbo": __version__, **{name: version(name) for name in _ALWAYS}}
    for library in filter(None, (method.library, problem.library)):
        with suppress(PackageNotFoundError):  # it is in an environment of its own
            found[library] = version(library)
    found[COMMIT] = commit(Path(botorch_popbo.__file__).parent)
    return {name: text for name, text in found.items() if text}


@cache
def commit(folder: Path) -> str:
    """The commit of a folder of source code, with a plus if it was changed; nothing without git."""
    git = ("git", "--no-optional-locks", "-C", str(folder))
    # An installed package may lie in another project's work tree.
    is_kept = bool(_output(*git, "ls-files"))
    head = _output(*git, "rev-parse", "HEAD") if is_kept else ""
    is_dirty = bool(head and _output(*git, "status", "--porcelain", "."))
    return f"{head}+" if is_dirty else head


def _output(*command: str) -> str:
    """What a command prints, or nothing if it fails."""
    try:
        return subprocess.check_output(
            command, stderr=subprocess.DEVNULL, text=True, timeout=_PATIENCE
        ).strip()
    except (OSError, subprocess.SubprocessError):
        return ""
