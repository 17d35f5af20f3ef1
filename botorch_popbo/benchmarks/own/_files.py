"""Problems and methods that a user's Python file makes, by a name such as ``my.py:make``."""

import re
import sys
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from botorch_popbo.benchmarks.errors import UsageError, unknown
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.space import Space

_REFERENCE = re.compile(r"(?P<path>.+\.py):(?P<name>\w+)")
_NAME = re.compile(r"[\w.+-]+")
_DIGITS = 8  # of a checksum

T = TypeVar("T")


@dataclass(frozen=True)
class FileSource:
    """A name in a Python file whose content has a checksum."""

    path: Path
    name: str
    digest: str

    def load(self) -> Any:
        """Make it, also in another process.

        Raises:
            UsageError: If that fails, or the file has changed since it was found.
        """
        check_unchanged(self.path, self.digest)
        return _make(self)


@dataclass(frozen=True, kw_only=True)
class FunctionProblem(Problem):
    """A function of a user's that takes the parameters by name; None is a failure."""

    function: Callable[..., float] = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        return self.function(**parameters)


def is_reference(name: str) -> bool:
    """Whether a name is that of something in a file."""
    return _REFERENCE.fullmatch(name) is not None


def find(reference: str, kind: type[T], taken: Collection[str]) -> tuple[str, FileSource]:
    """Find a problem or a method, and name it.

    Args:
        reference: A file, a colon, and the name of an object of that kind in the file, of what
            makes one, or of a function of the parameters of the file's ``space``.
        kind: The class of what is wanted; it has a ``name``.
        taken: Names that others have.

    Returns:
        The name under which it is recorded, in which a checksum of the file tells what was made by
        another version of it; and where it is.

    Raises:
        UsageError: If there is no such file, name or object, or it has a name that others have.
    """
    match = _REFERENCE.fullmatch(reference)
    assert match is not None
    path = Path(match["path"]).absolute()
    source = FileSource(path, match["name"], digest_of(path))
    made = source.load()
    if not isinstance(made, kind):
        raise UsageError(f"{reference} is to make a {kind.__name__}, but got {made!r}")
    own_name: str = getattr(made, "name")  # noqa: B009, a kind has a name
    return record_name(own_name, source.digest, taken), source


def record_name(name: str, digest: str, taken: Collection[str]) -> str:
    """The name under which something of a user's is recorded."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"the name {name!r} has to be of letters, digits, dots, dashes and _")
    if name in taken:
        raise UsageError(f"there is another {name!r}; choose another name")
    return f"{name}@{digest}"


def digest_of(path: Path, *settings: object) -> str:
    """The beginning of a checksum of a file's content and of what is said of it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    said = repr(settings).encode() if settings else b""
    return sha256(content + said).hexdigest()[:_DIGITS]


def check_unchanged(path: Path, digest: str, *settings: object) -> None:
    """Raise UsageError if a file is not the one whose checksum was taken."""
    if digest_of(path, *settings) != digest:
        raise UsageError(f"{path} has changed while it was in use; start again")


@cache
def _make(source: FileSource) -> Any:
    module = _module(source.path, source.digest)
    if not hasattr(module, source.name):
        public = [n for n in vars(module) if not n.startswith("_")]
        raise unknown(f"name in {source.path}", source.name, public)
    found, space = getattr(module, source.name), getattr(module, "space", None)
    try:
        if (
            isinstance(space, Mapping)
            and callable(found)
            and space.keys() == {*signature(found).parameters}
        ):
            told = {
                key: getattr(module, key) for key in ("minimize", "noisy") if hasattr(module, key)
            }
            return FunctionProblem(
                name=source.name, space=Space.read(space), function=found, **told
            )
        return found() if callable(found) else found
    except (Exception, SystemExit) as error:
        place = _where(error, source.path)
        raise UsageError(f"{source.path}:{source.name} failed{place}") from error


@cache  # also where several names of a file are asked for
def _module(path: Path, digest: str) -> ModuleType:
    name = f"_popbo_{path.stem}_{digest}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # What a script may import from its folder, this file may, too.
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script may end with sys.exit(main())
        del sys.modules[name]
        raise UsageError(f"{path} cannot be loaded{_where(error, path)}") from error
    return module


def _where(error: BaseException, path: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if f.filename == str(path)]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    place = "" if line is None else f" in line {line}"
    return f"{place}: {type(error).__name__}: {error}"
