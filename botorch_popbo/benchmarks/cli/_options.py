"""The options of ``popbo compare`` and ``popbo report``."""

import math
import os
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

DEFAULT_PROBLEMS = ("sklearn-digits", "hartmann6")
DEFAULT_METHODS = ("popbo-logei", "gp-logei")
DEFAULT_TRIALS = 20
DEFAULT_SEEDS = 3
DEFAULT_LIMIT = 600.0
SMOKE_TRIALS = 3
SMOKE_SEEDS = 1


def add_selection(parser: ArgumentParser) -> None:
    """Add the options that say what is compared; None unless given, for a campaign file to set.

    Args:
        parser: The parser of a command, changed in place.
    """
    add = parser.add_argument
    problems, methods = " ".join(DEFAULT_PROBLEMS), " ".join(DEFAULT_METHODS)
    add(
        "--campaign",
        metavar="FILE_OR_NAME",
        help="a .toml file with the keys problems, methods, trials, seeds, initial, jobs, "
        "limit and experiment, or a name printed by popbo list; the options below take precedence",
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
    add_data_folder(parser)


def add_data_folder(parser: ArgumentParser) -> None:
    """Add the option that says where tables are.

    Args:
        parser: The parser of a command, changed in place.
    """
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("POPBO_DATA") or None,
        help="folder of table files (default: the environment variable POPBO_DATA)",
    )


def add_execution(parser: ArgumentParser) -> None:
    """Add the options that say how it is run.

    Args:
        parser: The parser of a command, changed in place.
    """
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
