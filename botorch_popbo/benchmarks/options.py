"""The command line of ``popbo``."""

import math
import os
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from pathlib import Path
from typing import NoReturn

from botorch_popbo.benchmarks.conversion.options import add_data_options
from botorch_popbo.benchmarks.errors import UsageError

DEFAULT_PROBLEMS = ("sklearn-digits", "hartmann6")
DEFAULT_METHODS = ("popbo-logei", "gp-logei")
DEFAULT_TRIALS = 20
DEFAULT_SEEDS = 3
DEFAULT_LIMIT = 600.0
SMOKE_TRIALS = 3
SMOKE_SEEDS = 1

_COMPARE = (
    "Run methods side by side and report how they did. Every finished trial is kept in the output "
    "folder: an interrupted run goes on when it is started again, and more trials or seeds add to "
    "what is there. A method that fails, takes too long or leaves the search space loses its "
    "replication and nothing else; the exit status is then 1."
)
_REPORT = (
    "Report the trials in the output folder and run nothing. Give the options that popbo compare "
    "was given."
)


_EXAMPLES = """\
examples:
  popbo compare --problems branin hartmann6 --methods popbo random
  popbo data fcnet fcnet_tabular_benchmarks.tar.gz --output tables"""


class _Parser(ArgumentParser):
    """A parser that raises instead of writing its usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def make_parser() -> ArgumentParser:
    """Make the parser of the command line.

    Options that a campaign file may set are None unless they are given.

    Returns:
        The parser; it raises UsageError.
    """
    parser = _Parser(
        prog="popbo",
        description="Rank-based Bayesian optimization.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help="the same as the command list")
    commands = parser.add_subparsers(dest="command", metavar="{compare,report,data,list}")
    commands.add_parser("list", help="print the names of problems, methods and campaigns")
    compare = commands.add_parser(
        "compare", help="run methods side by side and report how they did", description=_COMPARE
    )
    report = commands.add_parser(
        "report", help="report what popbo compare has run", description=_REPORT
    )
    for command in (compare, report):
        _add_selection(command)
    _add_execution(compare)
    add_data_options(commands.add_parser("data", help="convert and check files of tables"))
    return parser


def _add_selection(parser: ArgumentParser) -> None:
    add = parser.add_argument
    problems, methods = " ".join(DEFAULT_PROBLEMS), " ".join(DEFAULT_METHODS)
    add(
        "--campaign",
        metavar="FILE_OR_NAME",
        help="a .toml file with the keys problems, methods, trials, seeds, initial, jobs and "
        "limit, or a name printed by popbo list; the options below take precedence",
    )
    add(
        "--smoke",
        action="store_true",
        help=f"try the campaign with {SMOKE_TRIALS} trials and {SMOKE_SEEDS} seed",
    )
    add("--problems", nargs="+", help=f"default: {problems}")
    add("--methods", nargs="+", help=f"default: {methods}")
    trials = f"evaluations after the initial design (default: {DEFAULT_TRIALS})"
    add("--trials", type=_positive, help=trials)
    add("--initial", type=_several, help="initial points (default: 12, on rosenbrock6 30)")
    seeds = f"replications of each method on each problem (default: {DEFAULT_SEEDS})"
    add("--seeds", type=_positive, help=seeds)
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


def _add_execution(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--jobs", type=_positive, help="replications at a time (default: one a core)")
    add(
        "--limit",
        type=_seconds,
        metavar="SECONDS",
        help="time limit of one suggestion, after which its replication is given up; native code "
        f"is interrupted when it returns, or its process is ended (default: {DEFAULT_LIMIT:g})",
    )
    add(
        "--backend",
        choices=("local", "ray"),
        default="local",
        help="where replications run: processes of this machine, or the Ray cluster named by "
        "RAY_ADDRESS, without which one is started here (default: %(default)s)",
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


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value
