"""The console script ``popbo``."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pkgutil import resolve_name

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.cli.parser import make_parser
from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.run.quiet import quiet
from botorch_popbo.benchmarks.run.records import RecordError

#: Where the function of each command is.
_COMMANDS = {
    "compare": "benchmarks.cli.commands:compare",
    "report": "benchmarks.cli.commands:report",
    "list": "benchmarks.cli.commands:show_names",
    "next": "benchmarks.own.notebook:suggest_next",
    "prefer": "judging.prefer:prefer",
    "doctor": "benchmarks.cli.doctor:doctor",
}

_MISUSE, _FAILED, _INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the console script on a command line without the program's name, by default its own.

    Returns:
        The exit status: 0, 1 if something failed, 2 after a misuse, 130 after an interruption.

    Raises:
        SystemExit: If the command line cannot be parsed.
    """
    # No letter that a terminal lacks, or that was mistyped, ends a run.
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):  # in a notebook it is something else
            stream.reconfigure(errors=errors)
    try:
        _check_command(sys.argv[1:] if arguments is None else arguments)
        parsed = make_parser().parse_args(arguments)
        with quiet():  # its libraries are loaded only now, as it takes seconds or they may lack
            command = resolve_name(f"botorch_popbo.{_COMMANDS[parsed.command]}")
            status: int = command(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing is left to write when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except UsageError as error:
        return _complain(error, _MISUSE)
    except RecordError as error:
        return _complain(error, _FAILED)
    except OSError as error:
        message = f"{error.strerror}: {error.filename}" if error.filename else error
        return _complain(message, _FAILED)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("botorch_popbo"):
            raise
        hint = "in the clone, pip install '.[benchmark]'"
        return _complain(f"the module {error.name} is missing: {hint}", _MISUSE)
    except KeyboardInterrupt:
        return _complain("interrupted; rerun the same command to resume", _INTERRUPTED)


def _check_command(arguments: Sequence[str]) -> None:
    """Raise UsageError if there is no such command; the parser would not say which is like it."""
    name = next(iter(arguments), "-")
    if not name.startswith("-") and name not in _COMMANDS:
        raise unknown("command", name, _COMMANDS)


def _complain(message: object, status: int) -> int:
    print(f"popbo: error: {message}", file=sys.stderr)
    return status
