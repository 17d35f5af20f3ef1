"""The command line of ``popbo``.

Options are None unless given: a campaign file may say the same, and the experiment has defaults
and knows which values are valid.
"""

import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, NoReturn

from botorch_popbo.benchmarks.data.options import add_data_options
from botorch_popbo.benchmarks.errors import UsageError

_EXAMPLES = """\
examples:
  popbo compare
  popbo compare --problems branin hartmann6 --methods popbo random
  popbo compare --campaign paper-functions --smoke
  popbo data fcnet fcnet_tabular_benchmarks.tar.gz --output tables
  popbo doctor"""
_COMPARE = """\
Run methods side by side and report how they did. Every finished trial is kept in the output
folder: an interrupted run goes on when it is started again, and more trials or seeds add to
what is there. A method that fails, takes too long or leaves the search space loses its
replication and nothing else; the exit status is then 1."""
_COMPARE_EXAMPLES = """\
examples:
  popbo compare --problems branin-outliers --methods popbo botorch-gp --trials 40 --seeds 5
  popbo compare --campaign paper-nasbench201 --data tables --output nas
  popbo compare --campaign mine.toml --backend ray --jobs 64"""
_REPORT = """\
Report the trials in the output folder and run nothing. Give the options that popbo compare
was given."""
_REPORT_EXAMPLES = """\
examples:
  popbo report --campaign paper-nasbench201 --data tables --output nas"""
_PREFER = """\
Ask a person which of two things is better, until q is typed. Every answer is saved, and the same
command goes on. A space is a TOML file: a table for each column, with one of the keys range,
integers, ordered and choices."""
_PREFER_EXAMPLES = """\
examples:
  popbo prefer --space coffee.toml --state answers.json
  popbo prefer --state answers.json"""
_LIST = "Print the names of problems, methods and campaigns."
_LIST_EXAMPLES = """\
examples:
  popbo list | grep outliers"""
_DOCTOR = """\
Say which packages, devices and tables were found, and the command that adds what is missing.
The exit status is 1 if a package is missing that is always needed."""
_DOCTOR_EXAMPLES = """\
examples:
  popbo doctor --data tables"""


class _Parser(ArgumentParser):
    """A parser that raises UsageError instead of writing its usage and leaving."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": RawDescriptionHelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def make_parser() -> ArgumentParser:
    """Make the parser of the command line; it raises UsageError."""
    parser = _Parser(
        prog="popbo", description="Rank-based Bayesian optimization.", epilog=_EXAMPLES
    )
    parser.add_argument("--list", action="store_true", help="the same as the command list")
    commands = parser.add_subparsers(
        dest="command", metavar="{compare,report,prefer,data,list,doctor}"
    )
    compared = "run methods side by side and report how they did"
    made = {
        name: commands.add_parser(name, help=text, description=description, epilog=examples)
        for name, text, description, examples in (
            ("compare", compared, _COMPARE, _COMPARE_EXAMPLES),
            ("report", "report what popbo compare has run", _REPORT, _REPORT_EXAMPLES),
            ("prefer", "ask a person which of two is better", _PREFER, _PREFER_EXAMPLES),
            ("data", "convert and check files of tables", None, None),
            ("list", "print the names of problems, methods and campaigns", _LIST, _LIST_EXAMPLES),
            ("doctor", "say what is installed", _DOCTOR, _DOCTOR_EXAMPLES),
        )
    }
    for name in ("compare", "report"):
        _add_selection(made[name])
    _add_execution(made["compare"])
    _add_interview(made["prefer"])
    add_data_options(made["data"])
    _add_data_folder(made["doctor"])
    return parser


def _add_selection(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--campaign",
        metavar="FILE_OR_NAME",
        help="a .toml file with the keys problems, methods, trials, seeds, initial, jobs, limit "
        "and experiment, which may have others; or a name printed by popbo list; the options "
        "below take precedence",
    )
    add("--smoke", action="store_true", help="try the campaign with 3 trials and 1 seed")
    add("--problems", nargs="+", help="default: sklearn-digits hartmann6")
    add("--methods", nargs="+", help="default: popbo-logei gp-logei")
    add("--trials", type=int, help="evaluations after the initial design (default: 20)")
    add("--initial", type=int, help="initial points (default: 12, on rosenbrock6 30)")
    seeds = "replications of each method on each problem (default: 3)"
    add("--seeds", type=int, help=seeds)
    folder = "folder of records, numbers and plots (default: %(default)s)"
    add("--output", type=Path, default=Path("popbo-results"), help=folder)
    _add_data_folder(parser)


def _add_interview(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--space", type=Path, metavar="FILE", help="the columns; needed to begin")
    add("--state", type=Path, metavar="FILE", required=True, help="the answers, a JSON file")
    add("--items", type=int, default=2, help="things shown at a time (default: %(default)s)")
    add("--seed", type=int, default=0, help="seed of the questions (default: %(default)s)")


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
