"""The command line of ``popbo``.

Options are None unless given: a campaign file may say the same, and the experiment has defaults
and knows which values are valid.
"""

import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.settings import DEFAULT_METHODS
from botorch_popbo.version import __version__

_EXAMPLES = """\
examples:
  popbo compare --campaign first-look
  popbo compare my.py:train branin --methods popbo random
  popbo compare --table results.csv --objective loss
  popbo report --output popbo-results
  popbo report run.json
  popbo next lab.csv
  popbo prefer coffee.toml --page"""
_COMMANDS = {
    "compare": "run methods side by side and compare them; rerun to resume",
    "report": "show the last comparison, a chosen one, or the run of minimize() in a FILE.json",
    "next": "suggest the next experiments of a table and append them to it",
    "prefer": "ask people which of several things is better, in a terminal or on a page",
    "list": "print the names of problems, methods and campaigns",
    "doctor": "say what is installed and how to add the rest",
}
_LISTED = ("problems", "methods", "campaigns")


class _CommandParser(ArgumentParser):
    """Rejects what a command does not know itself, so that its own usage is printed."""

    def parse_known_args(self, *arguments: Any) -> tuple[Any, list[str]]:  # type: ignore[override]
        """See the base class."""
        found, others = super().parse_known_args(*arguments)
        if others:
            options = [name for action in self._actions for name in action.option_strings]
            self.error(str(unknown("argument", others[0], options)))
        return found, others


def make_parser() -> ArgumentParser:
    """Make the parser of the command line."""
    parser = ArgumentParser(
        prog="popbo",
        description="Rank-based Bayesian optimization.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"botorch-popbo {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    # An abbreviation would be taken for what it begins: --seed 3 for three seeds.
    made = {
        name: commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        for name, text in _COMMANDS.items()
    }
    _add_selection(made["compare"])
    _add_selection(made["report"], ", or only the FILE.json of minimize(path=...)")
    add = made["compare"].add_argument
    add("--jobs", type=int, help="replications at a time (default: one per core)")
    limit = "time limit of a suggestion; a slower one ends the replication (default: 600)"
    add("--limit", type=float, metavar="SECONDS", help=limit)
    _add_notebook(made["next"])
    _add_interview(made["prefer"])
    _add_data_folder(made["doctor"])
    what = "problems, methods or campaigns (default: all)"
    made["list"].add_argument("what", nargs="?", choices=_LISTED, metavar="WHAT", help=what)
    return parser


def _add_selection(parser: ArgumentParser, other: str = "") -> None:
    add = parser.add_argument
    add("--campaign", metavar="FILE_OR_NAME", help="a .toml file, or a name from popbo list")
    add("--smoke", action="store_true", help="run a small version of the campaign")
    names = "names from popbo list, or path/to/my.py:name"
    add("problems", nargs="*", metavar="PROBLEM", help=names + other)
    add("--methods", nargs="+", help=f"{names} (default: {' '.join(DEFAULT_METHODS)})")
    add("--table", metavar="FILE", help="a CSV file of past evaluations, as a problem")
    add("--objective", metavar="COLUMN", help="the column of the table to optimize")
    add("--maximize", action="store_true", default=None, help="the largest objective is best")
    kinds = "float, log, int, ordered, choice or skip"
    columns = f"change how a column is read: {kinds}; may be repeated"
    add("--column", dest="columns", action="append", metavar="NAME=KIND", help=columns)
    add("--trials", type=int, help="evaluations after the initial design (default: 20)")
    add("--initial", type=int, help="initial points (default: the problem's own, mostly 12)")
    add("--seeds", type=int, help="replications of each method on each problem (default: 3)")
    folder = "folder of records, numbers and plots (default: %(default)s)"
    add("--output", type=Path, default=Path("popbo-results"), help=folder)
    _add_data_folder(parser)


def _add_notebook(parser: ArgumentParser) -> None:
    add = parser.add_argument
    table = "a CSV or XLSX file; the first call describes its columns in a .toml beside it"
    add("file", type=Path, metavar="FILE", help=table)
    number = "number of suggestions (default: as the .toml says, else 1)"
    add("--number", "-n", type=int, metavar="N", help=number)
    copy = "write the table with the new rows to PATH and leave FILE as it is"
    add("--copy", type=Path, metavar="PATH", help=copy)


def _add_interview(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="a TOML file that says what to compare")
    state = "where to save the answers (default: beside FILE)"
    add("--state", type=Path, metavar="PATH", help=state)
    add("--items", type=int, help="things shown at a time (default: 2)")
    add("--seed", type=int, help="seed of the questions (default: 0)")
    add("--page", action="store_true", help="ask on a page in the browser, with pictures")
    add("--judges", nargs="+", metavar="NAME", help="give each judge an address of the page")
    program = "a program to ask in place of a person: it reads JSON and prints an answer"
    add("--judge", metavar="COMMAND", help=program)
    add("--host", default="127.0.0.1", help="address of the server (default: this machine only)")
    add("--port", type=int, help="port of the page (default: 8080, or a free one)")
    limit = "time limit for showing one thing (default: 60)"
    add("--limit", type=float, metavar="SECONDS", default=60.0, help=limit)


def _add_data_folder(parser: ArgumentParser) -> None:
    folder = "folder of table files (default: the environment variable POPBO_DATA)"
    default = os.environ.get("POPBO_DATA") or None
    parser.add_argument("--data", type=Path, default=default, help=folder)
