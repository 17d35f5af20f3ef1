"""The console script ``popbo``."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from io import TextIOWrapper

from botorch_popbo.benchmarks.cli._parser import make_parser
from botorch_popbo.benchmarks.errors import RecordError, UsageError
from botorch_popbo.benchmarks.run._quiet import quiet

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
    parsed = make_parser().parse_args(arguments)
    try:
        status = _run(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing is left to write when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except UsageError as error:
        return _complain(error, _MISUSE)
    except (RecordError, OSError) as error:
        return _complain(error, _FAILED)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("botorch_popbo"):
            raise
        extra = "data" if error.name == "h5py" else "benchmark"
        hint = f"pip install 'botorch-popbo[{extra}]'"
        return _complain(f"the module {error.name} is missing: {hint}", _MISUSE)
    except KeyboardInterrupt:
        return _complain("interrupted; give the same command again to go on", _INTERRUPTED)


def _run(parsed: Namespace) -> int:
    """Run a command; its libraries are loaded only now, as it takes seconds or they may lack."""
    if parsed.command == "data":
        from botorch_popbo.benchmarks.data.command import data

        return data(parsed)
    if parsed.command == "prefer":
        from botorch_popbo.benchmarks.cli._prefer import prefer

        return prefer(parsed)
    if parsed.command == "doctor":
        from botorch_popbo.benchmarks.cli._doctor import doctor

        return doctor(parsed.data)
    with quiet():
        from botorch_popbo.benchmarks.cli import _commands

        commands = {
            "compare": _commands.compare,
            "report": _commands.report,
            "list": _commands.show_names,
        }
        return commands[parsed.command](parsed)


def _complain(message: object, status: int) -> int:
    print(f"popbo: error: {message}", file=sys.stderr)
    return status
