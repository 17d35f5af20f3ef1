"""The command line of ``popbo``.

Options are None unless given: a campaign file may say the same, and the experiment has defaults
and knows which values are valid.
"""

import os
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

from botorch_popbo.benchmarks.cli import _texts as texts
from botorch_popbo.benchmarks.cli._help import Parser
from botorch_popbo.benchmarks.data.options import add_data_options
from botorch_popbo.benchmarks.settings import DEFAULT_METHODS, DEFAULT_PROBLEMS
from botorch_popbo.version import __version__


def make_parser() -> ArgumentParser:
    """Make the parser of the command line; it raises UsageError."""
    parser = Parser(
        prog="popbo", description="Rank-based Bayesian optimization.", epilog=texts.EXAMPLES
    )
    parser.add_argument("--list", action="store_true", help="the same as the command list")
    parser.add_argument("--version", action="version", version=f"botorch-popbo {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    compared = "run methods side by side and report how they did"
    made = {
        name: commands.add_parser(name, help=text, description=description, epilog=examples)
        for name, text, description, examples in (
            ("compare", compared, texts.COMPARE, texts.COMPARE_EXAMPLES),
            ("report", "report what popbo compare has run", texts.REPORT, texts.REPORT_EXAMPLES),
            ("coco-data", "write COCO's own files of results", texts.COCO, texts.COCO_EXAMPLES),
            ("prefer", "ask a person which of two is better", texts.PREFER, texts.PREFER_EXAMPLES),
            ("data", "convert and check files of tables", None, None),
            (
                "list",
                "print the names of problems, methods and campaigns",
                texts.LIST,
                texts.LIST_EXAMPLES,
            ),
            ("doctor", "say what is installed", texts.DOCTOR, texts.DOCTOR_EXAMPLES),
        )
    }
    for name in ("compare", "report", "coco-data"):
        _add_selection(made[name], is_run=name == "compare")
    _add_execution(made["compare"])
    _add_interview(made["prefer"])
    add_data_options(made["data"])
    _add_data_folder(made["doctor"])
    return parser


def _add_selection(parser: ArgumentParser, is_run: bool) -> None:
    add = parser.add_argument

    def help_of(text: str, default: str) -> str:
        return f"{text} (default: {default if is_run else 'as it was run'})"

    add(
        "--campaign",
        metavar="FILE_OR_NAME",
        help="a .toml file with the keys problems, methods, trials, seeds, initial, jobs, limit "
        "and experiment, which may have others; or a name printed by popbo list; the options "
        "below take precedence",
    )
    add("--smoke", action="store_true", help="try the campaign in a small version")
    names = "names from popbo list, or path/to/my.py:name"
    add("--problems", nargs="+", help=help_of(names, " ".join(DEFAULT_PROBLEMS)))
    add("--methods", nargs="+", help=help_of(names, " ".join(DEFAULT_METHODS)))
    _add_table(add)
    add("--trials", type=int, help=help_of("evaluations after the initial design", "20"))
    add("--initial", type=int, help=help_of("initial points", "the problem's own, mostly 12"))
    seeds = "replications of each method on each problem"
    add("--seeds", type=int, help=help_of(seeds, "3"))
    folder = "folder of records, numbers and plots (default: %(default)s)"
    add("--output", type=Path, default=Path("popbo-results"), help=folder)
    _add_data_folder(parser)


def _add_table(add: Callable[..., object]) -> None:
    add("--table", metavar="FILE", help="a CSV file of past evaluations, as a problem")
    add("--objective", metavar="COLUMN", help="the column of the table that is optimized")
    add("--maximize", action="store_true", default=None, help="its largest value is the best")
    add(
        "--column",
        dest="columns",
        action="append",
        metavar="NAME=KIND",
        help="what a column is, if not what it looks like: float, log, int, ordered, choice or "
        "skip; may be repeated",
    )


def _add_interview(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--space", type=Path, metavar="FILE", help="the columns; needed to begin")
    add("--state", type=Path, metavar="FILE", required=True, help="the answers, a JSON file")
    add("--items", type=int, help="things shown at a time (default: 2)")
    add("--seed", type=int, help="seed of the questions (default: 0)")


def _add_data_folder(parser: ArgumentParser) -> None:
    folder = "folder of table files (default: the environment variable POPBO_DATA)"
    default = os.environ.get("POPBO_DATA") or None
    parser.add_argument("--data", type=Path, default=default, help=folder)


def _add_execution(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--jobs", type=int, help="replications at a time (default: one a core)")
    add(
        "--limit",
        type=float,
        metavar="SECONDS",
        help="time limit of one suggestion, after which its replication is given up; native code "
        "is interrupted when it returns, or its process is ended (default: 600)",
    )
    add(
        "--backend",
        choices=("local", "ray"),
        default="local",
        help="where replications run: processes of this machine, or the Ray cluster named by "
        "RAY_ADDRESS, without which one is started here (default: %(default)s)",
    )
