"""The console script ``popbo``."""

import os
import sys
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
    """
    _forgive_encodings()
    try:
        status = _run(arguments)
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


def _run(arguments: Sequence[str] | None) -> int:
    parsed = make_parser().parse_args(arguments)
    if parsed.list:
        parsed.command = "list"
    if parsed.command is None:
        raise UsageError(
            "choose a command: compare, report, coco-data, prefer, data, list or doctor "
            "(see popbo --help)"
        )
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
        # Loading the libraries takes seconds, which a misspelt option need not wait for.
        from botorch_popbo.benchmarks.cli import _commands

        if parsed.command == "compare":
            return _commands.compare(parsed)
        if parsed.command == "report":
            return _commands.report(parsed)
        if parsed.command == "coco-data":
            return _commands.coco_data(parsed)
        return _commands.show_names()


def _forgive_encodings() -> None:
    """Let no letter that a terminal lacks, or that was mistyped, end a run."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):  # in a notebook it is something else
            stream.reconfigure(errors=errors)


def _complain(message: object, status: int) -> int:
    print(f"popbo: error: {message}", file=sys.stderr)
    return status
