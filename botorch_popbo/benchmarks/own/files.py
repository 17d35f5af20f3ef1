"""Problems and methods that a user's Python file makes, by a name such as ``my.py:make``."""

import logging
import re
import sys
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from botorch_popbo._errors import UsageError
from botorch_popbo._evaluation import Evaluation, evaluate
from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters

_REFERENCE = re.compile(r"(?P<path>.+\.py):(?P<name>\w+)")
_NAME = re.compile(r"[\w.+-]+")
_DIGITS = 8  # of a checksum
_DIRECTIONS = "minimize", "maximize"
_FAILED: set[int] = set()  # identities of functions whose failure was logged

_logger = logging.getLogger(__name__)

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
    """A function of a user's, as ``minimize`` takes it: called with the parameters by name.

    What fails there fails here, and a mistake ends the replication. Of a pair, a value and its
    standard error, the value counts. Nothing is known of a function's noise but what it returns.
    """

    function: Callable[..., Any] = field(repr=False)

    def score(self, parameters: Parameters) -> float:
        """See the base class."""
        ended = evaluate(self.function, Evaluation(dict(parameters)))
        if ended.trace and id(self.function) not in _FAILED:  # to say why once is enough
            _FAILED.add(id(self.function))
            _logger.warning("the first evaluation of %s that failed:\n%s", self.name, ended.trace)
        if ended.is_mistake:
            raise RuntimeError(f"fix {self.name}: {ended.evaluation.reason}")
        return ended.evaluation.value


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
        UsageError: If there is no such file, name or object, or its name is taken.
    """
    match = _REFERENCE.fullmatch(reference)
    assert match is not None
    path = Path(match["path"]).absolute()
    source = FileSource(path, match["name"], digest_of(path))
    made = source.load()
    if not isinstance(made, kind):
        raise UsageError(f"{reference} must return a {kind.__name__}, but returned {made!r}")
    own_name: str = getattr(made, "name")  # noqa: B009, a kind has a name
    return record_name(own_name, source.digest, taken), source


def record_name(name: str, digest: str, taken: Collection[str]) -> str:
    """The name under which something of a user's is recorded."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"the name {name!r} may only have letters, digits, dots, dashes and _")
    if name in taken:
        raise UsageError(f"the name {name!r} is taken; choose another one")
    return f"{name}@{digest}"


def digest_of(path: Path, *settings: object) -> str:
    """The beginning of a checksum of a file's content and of what is said of it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    suffix = repr(settings).encode() if settings else b""
    return sha256(content + suffix).hexdigest()[:_DIGITS]


def check_unchanged(path: Path, digest: str, *settings: object) -> None:
    """Raise UsageError if a file is not the one whose checksum was taken."""
    if digest_of(path, *settings) != digest:
        raise UsageError(f"{path} has changed while it was in use; run it again")


@cache
def _make(source: FileSource) -> Any:
    module = _module(source.path, source.digest)
    try:
        if not hasattr(module, source.name):
            public = [name for name in vars(module) if not name.startswith("_")]
            raise unknown("function", source.name, public, owner=f"{source.path} has")
        found = getattr(module, source.name)
        if callable(found) and _takes_points(found, getattr(module, "space", ())):
            return _function_problem(source, module, found)
        return found() if callable(found) else found
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        place = _where(error, source.path)
        raise UsageError(f"{source.path}:{source.name} failed{place}") from error


def _takes_points(function: Callable[..., Any], space: Collection[str]) -> bool:
    """Whether a function is called with parameters, and not to make something."""
    arguments = signature(function).parameters.values()
    return any(p.default is p.empty or p.name in space for p in arguments)


def _function_problem(
    source: FileSource, module: ModuleType, function: Callable[..., Any]
) -> FunctionProblem:
    """A function with the ``space`` of its file, and perhaps a ``direction``."""
    direction = getattr(module, "direction", "minimize")
    if not hasattr(module, "space"):
        name = next(iter(signature(function).parameters))
        needed = f'the file needs a space such as space = {{"{name}": (0.0, 1.0)}}'
        raise UsageError(f"{source.path}: {source.name} takes {name}, so {needed}")
    if direction not in _DIRECTIONS:
        raise UsageError(f"{source.path}: direction must be in {_DIRECTIONS}, not {direction!r}")
    from botorch_popbo.space import Space  # it takes seconds

    space = Space.read(module.space)
    space.check_call(function)
    return FunctionProblem(
        name=source.name,
        space=space,
        minimize=direction == "minimize",
        noisy=bool(getattr(module, "noisy", False)),
        function=function,
    )


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
