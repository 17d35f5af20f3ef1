"""A parser that complains in one line and fits its help into narrow terminals."""

import textwrap
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from botorch_popbo.benchmarks.cli._texts import EXAMPLES_TITLE
from botorch_popbo.benchmarks.errors import UsageError, unknown


class Parser(ArgumentParser):
    """A parser that raises UsageError instead of writing its usage and leaving."""

    def __init__(self, **options: Any) -> None:
        # An abbreviation would be taken for what it begins: --seed 3 for three seeds.
        super().__init__(**{"formatter_class": _Formatter, "allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        """See the base class."""
        raise UsageError(f"{message} (see {self.prog} --help)")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> Namespace:
        """See the base class; an option that does not exist is compared with those that do."""
        parsed, rest = self.parse_known_args(args, namespace)
        parsers = _parsers(self, parsed.command) if parsed.command else [self]
        known = dict.fromkeys(option for parser in parsers for option in _options(parser))
        others = "" if parsed.command else "; those of a command go behind its name"
        for option in (word.partition("=")[0] for word in rest if word.startswith("--")):
            raise unknown("option", option, known, others)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return parsed

    def _check_value(self, action: Action, value: Any) -> None:
        if isinstance(action.choices, dict) and value not in action.choices:
            raise unknown("command", str(value), action.choices)
        super()._check_value(action, value)


def _parsers(parser: ArgumentParser, command: str | None = None) -> Iterator[ArgumentParser]:
    """The parser of a command, or those of all, each before the ones below it."""
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for one in [action.choices[command]] if command else action.choices.values():
                yield one
                yield from _parsers(one)


def _options(parser: ArgumentParser) -> Iterator[str]:
    """The long options of a parser, without those of its commands."""
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))


class _Formatter(RawDescriptionHelpFormatter):
    """Fills a description, and breaks long commands of examples where a shell goes on."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not text.startswith(EXAMPLES_TITLE):
            return textwrap.fill(" ".join(text.split()), width)
        return "\n".join(_command(line, width) for line in text.splitlines())


def _command(line: str, width: int) -> str:
    lines = textwrap.wrap(
        line, width - 2, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False
    )
    return " \\\n".join(["  " * line.startswith("  ") + lines[0].strip(), *lines[1:]])
