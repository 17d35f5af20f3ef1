"""The command ``popbo prefer``: judges answer in a terminal or on a page."""

import json
import shlex
import tomllib
import warnings
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory

from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning
from torch import Tensor

from botorch_popbo._errors import UsageError, library
from botorch_popbo._saved import difference
from botorch_popbo.judging._drawer import Drawer, Drawn
from botorch_popbo.judging._log import Log, shuffled
from botorch_popbo.judging._session import Session
from botorch_popbo.preference_search import PreferenceSearch
from botorch_popbo.space import Space

_HELP = """\
  2      the second is the best
  2 1    the second is the best, then the first, then those that are not named
  =      no difference
  n      next question, without an answer to this one
  u      undo the last answer
  best   show the best so far
  q      quit; rerun the command to resume"""
_WORDS = {"next": "n", "undo": "u", "quit": "q", "help": "?"}


def prefer(options: Namespace) -> int:
    """Ask until the judges leave; every answer is on disk before the next question."""
    if (options.judges or options.port) and not options.page:
        raise UsageError("--judges and --port are about a page; add --page")
    if options.page and options.judge:
        raise UsageError("a program does not need a page; leave out --page or --judge")
    space, show = read_file(options.file, options.limit)
    log = _begin(options, space)
    print(f"answers so far: {log.search.num_answers}, in {log.path}", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        drawer = stack.enter_context(closing(show(folder))) if show else None
        try:
            if options.page:
                server = library("botorch_popbo.judging._server", "a page", "judges")
                server.serve(options, log, folder, drawer)
            elif options.judge:
                ask_program(log, options.judge, folder, drawer)
            else:
                ask_in_terminal(log, drawer)
        except (EOFError, KeyboardInterrupt):
            print()
    if log.search.is_complete:
        print("everything has been compared")
    else:
        print(f"answers are saved in {log.path}; rerun the command to resume")
    for place, line in enumerate(log.best(), start=1):
        print(f"{place}. {line}")
    return 0


def read_file(path: Path, limit: float) -> tuple[Space, Callable[[Path], Drawer] | None]:
    """Read what is to be compared; raises UsageError.

    Args:
        path: A TOML file with a table for each parameter, and perhaps the function that shows them.
        limit: Seconds that it may take to show one.

    Returns:
        The space, and what makes, for a folder, what draws there.
    """
    try:  # some editors begin a file with a mark of the byte order
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        show = content.pop("show") if isinstance(content.get("show"), str) else None
        space = Space.read(content)
    except (OSError, ValueError, InputDataError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read the space {path}, a TOML file: {reason}") from None
    if show is None:
        return space, None
    where, _, name = show.rpartition(":")
    file = path.parent / where
    if not where or not name.isidentifier():
        raise UsageError(f'show is a file and a function, as in "draw.py:render", not {show!r}')
    if not file.is_file():
        raise UsageError(f"{file} does not exist")
    return space, partial(Drawer, file, name, limit=limit)


def _begin(options: Namespace, space: Space) -> Log:
    """New answers, or those of a file; raises UsageError if it is about something else."""
    asked = {"num_items": options.items, "seed": options.seed}
    given = {name: value for name, value in asked.items() if value is not None}
    path = options.state or options.file.with_name(f"{options.file.stem}-answers.json")
    path = path / "answers.json" if path.is_dir() else path
    try:
        search = PreferenceSearch.load(path) if path.exists() else PreferenceSearch(space, **given)
    except InputDataError as error:
        raise UsageError(str(error).removeprefix("num_")) from None
    if both := difference({"space": search.space.to_json()}, {"space": space.to_json()}):
        resume = f"{path} holds answers with {both}. Correct {options.file} to resume"
        raise UsageError(f"{resume}, or pass another --state to start again")
    for name, value in given.items():
        if (before := getattr(search, name)) != value:
            option = name.removeprefix("num_")
            raise UsageError(f"{path} was begun with --{option} {before}, not {value}")
    return Log(search, path)


def ask_program(log: Log, command: str, folder: Path, drawer: Drawer | None) -> None:
    """Ask a program until it ends: a line of JSON for each question, and one for its answer.

    Args:
        log: The answers.
        command: Begins the program, and is known as the judge.
        folder: Where files are drawn to.
        drawer: What draws, unless parameters are shown as they are.

    Raises:
        UsageError: If the program cannot begin, fails, or answers what is not an answer.
        KeyboardInterrupt: After Ctrl-C, which ends the program, too.
    """
    with ExitStack() as stack:
        stack.enter_context(suppress(BrokenPipeError))  # the program may end at any time
        session = stack.enter_context(closing(Session(log, drawer, [command])))
        try:  # in a group of its own, as Ctrl-C is for the command alone
            begun = Popen(shlex.split(command), stdin=PIPE, stdout=PIPE, text=True, process_group=0)
            program = stack.enter_context(begun)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot begin {command!r}: {error}") from None
        try:
            content = session.state(command)
            while content["items"]:
                print(json.dumps(content | {"folder": str(folder)}), file=program.stdin, flush=True)
                said = program.stdout.readline().strip() if program.stdout else ""
                if said in ("", "q"):
                    break
                before, content = content, session.answer(command, content["question"], said)
                if content == before:
                    raise UsageError(f"{command!r} printed {said!r}, which is not an answer")
                if log.search.num_answers % 10 == 0:
                    print(f"answers so far: {log.search.num_answers}", flush=True)
        except KeyboardInterrupt:
            program.kill()
            raise
    if program.returncode:
        raise UsageError(f"{command!r} ended with exit status {program.returncode}")


def ask_in_terminal(log: Log, drawer: Drawer | None) -> None:
    """Ask in words until the judge leaves.

    Raises:
        UsageError: If what is to be shown is not a text.
        EOFError: At the end of the input.
        KeyboardInterrupt: After Ctrl-C.
    """
    # After nothing but ties there is nothing to learn from yet.
    with warnings.catch_warnings(action="ignore", category=InputDataWarning):
        print("type ? to see the possible answers")
        number, items = -1, log.search.X
        while not log.search.is_complete:
            if number != log.search.num_answers:  # it has fewer after one was taken back
                number, items = log.search.num_answers, shuffled(log.search.question, log.search)
                _ask(log, items, drawer)
            typed = input(f"which is the best, 1 to {len(items)}, = or ?  ").strip().lower()
            typed = _WORDS.get(typed, typed)
            if typed == "q":
                return
            if typed == "?":
                print(_HELP)
            elif typed == "best":
                print("\n".join(log.best()) or "nothing has been compared yet")
            elif typed == "u":
                if log.undo() is None:
                    print("there is no answer to undo")
            elif not log.tell(items, typed):
                places = f"from 1 to {len(items)}"
                print(f"{typed!r} is not an answer: type the number of the best, {places}, or ?")


def _ask(log: Log, items: Tensor, drawer: Drawer | None) -> None:
    decode = log.search.space.decode
    drawn = [drawer.draw(decode(x)) if drawer else Drawn("text", log.text(x)) for x in items]
    if any(one.kind != "text" for one in drawn):  # of what failed the reason was said
        raise UsageError("a terminal shows nothing but texts; correct the function, or add --page")
    print(f"\nquestion {log.search.num_answers + 1}")
    for place, one in enumerate(drawn, start=1):
        print(f"  {place}: " + one.text.replace("\n", "\n     "))
