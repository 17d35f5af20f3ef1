"""The command line of ``popbo``."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any, NoReturn

from botorch_popbo.benchmarks.cli._options import add_data_folder, add_execution, add_selection
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
    """A parser that raises instead of writing its usage and leaving."""

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
    commands = parser.add_subparsers(dest="command", metavar="{compare,report,data,list,doctor}")
    compare = commands.add_parser(
        "compare",
        help="run methods side by side and report how they did",
        description=_COMPARE,
        epilog=_COMPARE_EXAMPLES,
    )
    add_selection(compare)
    add_execution(compare)
    report = "report what popbo compare has run"
    add_selection(
        commands.add_parser("report", help=report, description=_REPORT, epilog=_REPORT_EXAMPLES)
    )
    add_data_options(commands.add_parser("data", help="convert and check files of tables"))
    names = "print the names of problems, methods and campaigns"
    commands.add_parser(
        "list", help=names, description=f"{names.capitalize()}.", epilog=_LIST_EXAMPLES
    )
    add_data_folder(
        commands.add_parser(
            "doctor", help="say what is installed", description=_DOCTOR, epilog=_DOCTOR_EXAMPLES
        )
    )
    return parser
