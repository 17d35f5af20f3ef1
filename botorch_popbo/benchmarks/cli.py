"""The console script ``popbo``."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from botorch_popbo.benchmarks.errors import RecordError, UsageError
from botorch_popbo.benchmarks.quiet import quiet

DEFAULT_PROBLEMS = ("sklearn-digits", "hartmann6")
DEFAULT_METHODS = ("popbo-logei", "gp-logei")
DEFAULT_TRIALS = 20
DEFAULT_SEEDS = 3

_MISUSE, _FAILED, _INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the console script.

    Args:
        arguments: The command line without the program's name; that of the process by default.

    Returns:
        The exit status: 0, 1 if something failed, 2 after a misuse, 130 after an interruption.
    """
    try:
        parsed = _parser().parse_args(arguments)
        if not parsed.list and parsed.command is None:
            raise UsageError("choose a command: compare or list (see popbo --help)")
        with quiet():
            # Loading the libraries takes seconds, which a misspelt option need not wait for.
            from botorch_popbo.benchmarks import commands

            if parsed.command == "compare":
                return commands.compare(parsed)
            return commands.show_names()
    except UsageError as error:
        return _complain(error, _MISUSE)
    except (RecordError, OSError) as error:
        return _complain(error, _FAILED)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("botorch_popbo"):
            raise
        hint = "pip install 'botorch-popbo[benchmark]'"
        return _complain(f"the module {error.name} is missing: {hint}", _MISUSE)
    except KeyboardInterrupt:
        return _complain("interrupted; the same command goes on from here", _INTERRUPTED)


def _complain(message: object, status: int) -> int:
    print(f"popbo: error: {message}", file=sys.stderr)
    return status


class _Parser(ArgumentParser):
    """A parser that raises instead of writing its usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def _parser() -> ArgumentParser:
    parser = _Parser(prog="popbo", description="Rank-based Bayesian optimization.")
    parser.add_argument("--list", action="store_true", help="the same as the command list")
    commands = parser.add_subparsers(dest="command", metavar="{compare,list}")
    commands.add_parser("list", help="print the names of problems and methods")
    _add_compare_options(
        commands.add_parser(
            "compare",
            help="run methods side by side and report how they did",
            description="Run methods side by side and report how they did. Every finished trial "
            "is kept in the output folder: an interrupted run goes on when it is started again, "
            "and more trials or seeds add to what is there.",
        )
    )
    return parser


def _add_compare_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    problems, methods = " ".join(DEFAULT_PROBLEMS), " ".join(DEFAULT_METHODS)
    add("--problems", nargs="+", default=DEFAULT_PROBLEMS, help=f"default: {problems}")
    add("--methods", nargs="+", default=DEFAULT_METHODS, help=f"default: {methods}")
    add(
        "--trials",
        type=_positive,
        default=DEFAULT_TRIALS,
        help="evaluations after the initial design (default: %(default)s)",
    )
    add("--initial", type=_several, help="initial points (default: 12, on rosenbrock6 30)")
    add(
        "--seeds",
        type=_positive,
        default=DEFAULT_SEEDS,
        help="replications of each method on each problem (default: %(default)s)",
    )
    add("--jobs", type=_positive, help="replications at a time (default: one a core)")
    add(
        "--output",
        type=Path,
        default=Path("popbo-results"),
        help="folder of records, numbers and plots (default: %(default)s)",
    )
    add(
        "--data",
        type=Path,
        default=os.environ.get("POPBO_DATA") or None,
        help="folder of table files (default: the environment variable POPBO_DATA)",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _several(text: str) -> int:
    number = _positive(text)
    if number < 2:
        raise ArgumentTypeError("a rank compares points, so at least 2 are needed")
    return number
