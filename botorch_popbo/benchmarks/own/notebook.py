"""The command ``popbo next``: what to try next, by a table of what was tried."""

import json
import math
import re
import tomllib
import warnings
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import pandas as pd
from botorch.exceptions import InputDataError
from botorch.exceptions.warnings import InputDataWarning

from botorch_popbo._errors import UsageError, library
from botorch_popbo._evaluation import Direction
from botorch_popbo._plain import Value
from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.own.page import Report, in_words, write_page
from botorch_popbo.benchmarks.own.table import infer
from botorch_popbo.candidates import Candidates, Row, mixtures
from botorch_popbo.optimizer import Optimizer
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Space, at_least, is_number
from botorch_popbo.trials import find_separator, read_csv, read_point

_NUMBER = re.compile(r"[<>≤≥~]?\s*([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?)")
_FAILED = {"failed", "fail", "failure", "error", "fehlgeschlagen", "misslungen"}
_BETTER: dict[str, Direction] = {"larger is better": "maximize", "smaller is better": "minimize"}
_RESULT = ("result", "at_least", "at_most")
_KEYS = ("range", "step", "choices", "ordered", *_RESULT)
_SUM: dict[str, Any] = {"of": [], "is": 1, "step": 0.01}
_HEAD = """\
# How popbo next reads the columns of FILE. Correct what is wrong, and run it again.
# range = [20, 90] are numbers; step = 5 and range = [0.1, 10, "log"] are allowed, too.
# choices = ["water", "DMF"] is a choice.
# result = "larger is better" or "smaller is better"; at_least = 90 and at_most = 3 are limits.
# A column that is not here is ignored. To use it, write ["its name"] and such a line below.
# Above the first column there may be lines:
# candidates = "list.csv" limits suggestions to the rows of a file, and
# sum = {of = ["A", "B", "C"], is = 100, step = 5} makes columns sum to 100, in steps of 5.
experiments = 1
"""
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
# What names of results hold, first of those of which smaller ones are better, and what notes are.
_COST = re.compile("loss|cost|impurity|error|waste|degradation|kosten|verlust|verunreinigung", re.I)
_GAIN = re.compile(
    r"yield|yld|\bton\b|conversion|selectivity|purity|result|ausbeute|umsatz|ergebnis", re.I
)
_NOTE = re.compile(
    r"((id|nr|no|name|date|datum|run|exp|sample|versuch|#"
    r"|(experiment|note|remark|comment|bemerkung)\w*)[\W_]*)+",
    re.I,
)


@dataclass(frozen=True)
class Sheet:
    """A table as it lies on the disk.

    Attributes:
        path: The file.
        content: Its bytes.
        encoding: Theirs.
        texts: The cells by column; the index is the line.
        columns: The same in columns of numbers as numbers, NaN for a failure and the limit for one
            of detection; ``None`` for an empty cell.
    """

    path: Path
    content: bytes
    encoding: str
    texts: pd.DataFrame
    columns: dict[str, list[Value]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a CSV or XLSX file; a second line of units is left out.

        Raises:
            UsageError: If it is not a table, or has decimal points and commas.
        """
        content, encoding = path.read_bytes(), "utf-8"
        if path.suffix.lower() == ".xlsx":
            library("openpyxl", "an XLSX file", "lab")
            try:
                table = pd.read_excel(path, dtype=str, keep_default_na=False, engine="openpyxl")
            except (BadZipFile, KeyError, ValueError):
                raise UsageError(f"{path} is not a workbook. Save the table as XLSX.") from None
            table.index += 2
        elif b"\0" in content:
            raise UsageError(f"{path} is not a CSV file. Save the table as CSV in UTF-8.")
        else:
            try:
                content.decode()
            except UnicodeDecodeError:  # as spreadsheets write it in Western Europe
                encoding = "cp1252"
            try:
                table = read_csv(path, encoding, dtype=str, na_values=[""])
            except InputDataError as error:
                raise UsageError(str(error)) from None
        texts = table.rename(columns=lambda name: str(name).strip()).fillna("").map(str.strip)
        if len(twice := texts.columns[texts.columns.duplicated()]):
            raise UsageError(f"{path} has two columns {twice[0]!r}. Rename one of them.")
        texts = texts.loc[(texts != "").any(axis=1)]
        rest, first = texts.iloc[1:], texts.head(1)
        units = {c for n in texts if _is_numeric(rest[n]) for c in first[n] if c} - _FAILED
        if units and not any(map(_NUMBER.fullmatch, units)):
            texts = rest
        columns = {name: _values(texts[name]) for name in texts}
        sheet = cls(path, content, encoding, texts, columns)
        if {",", "."} <= {*sheet.decimals}:
            raise UsageError(f"{path} has decimal points and decimal commas. Use one of them.")
        commas = [number for number in sheet.numbers if "," in number]
        # Beside semicolons and tabs a comma is decimal.
        if commas and sheet.separator == "," and all(map(_THOUSANDS.fullmatch, commas)):
            either = commas[0].replace(",", ""), commas[0].replace(",", ".")
            raise UsageError(f"{path} has {commas[0]}. Write {' or '.join(either)}.")
        return sheet

    @property
    def is_xlsx(self) -> bool:
        """Whether it is a workbook, which nothing is written to."""
        return self.path.suffix.lower() == ".xlsx"

    @cached_property
    def separator(self) -> str:
        """What is between the values of a CSV file, and of a new one beside an XLSX file."""
        return "," if self.is_xlsx else find_separator(self.content.decode(self.encoding))

    @cached_property
    def numbers(self) -> list[str]:
        """The cells that are numbers."""
        return [cell for cell in self.texts.to_numpy().flatten() if _NUMBER.fullmatch(cell)]

    @property
    def decimals(self) -> str:
        """The decimal points and commas of all numbers."""
        return re.sub("[^.,]", "", "".join(self.numbers))

    def append(self, rows: Sequence[Mapping[str, str]], copy: Path | None) -> Path:
        """Write rows below all others, which stay as they are, byte for byte.

        Args:
            rows: Texts by the names of columns, with decimal points; cells of others are empty.
            copy: The file to write in place of this one.

        Returns:
            The file that was written; of an XLSX file a table of the new rows alone.

        Raises:
            UsageError: If the file has changed since it was read.
        """
        if "," in self.decimals:
            rows = [
                {n: t.replace(".", ",") if _NUMBER.fullmatch(t) else t for n, t in row.items()}
                for row in rows
            ]
        end = "\r\n" if b"\r\n" in self.content and not self.is_xlsx else "\n"
        before = self.content if self.content.endswith(b"\n") else self.content + end.encode()
        target, form = self.path, {"sep": self.separator, "index": False, "lineterminator": end}
        if self.is_xlsx:
            before, target = b"", self.path.with_name(f"{self.path.stem}-next.csv")
        text = pd.DataFrame(rows, columns=[*self.texts]).to_csv(header=self.is_xlsx, **form)
        if self.path.read_bytes() != self.content:
            raise UsageError(f"{self.path} has changed in the meantime. Run it again.")
        try:
            new = text.encode(self.encoding)
        except UnicodeEncodeError as e:
            raise UsageError(f"Save {self.path} in UTF-8 to hold {text[e.start]!r}.") from None
        with replacing(copy or target) as partial:
            partial.write_bytes(before + new)
        return copy or target


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether all cells but failures are numbers."""
    return all(map(_NUMBER.fullmatch, {c for c in cells if c.lower() not in _FAILED} - {""}))


def _values(cells: Sequence[str]) -> list[Value]:
    """Cells as numbers where all are, NaN standing for failures, or as texts; or ``None``."""
    if not _is_numeric(cells):
        return [cell or None for cell in cells]
    matches = [(cell, _NUMBER.fullmatch(cell)) for cell in cells]
    return [float(m[1].replace(",", ".")) if m else math.nan if c else None for c, m in matches]


def guess(sheet: Sheet) -> str:
    """What columns look like, as settings."""
    looks = {name: _look(name, sheet.texts[name], sheet.columns[name]) for name in sheet.texts}
    numeric = [name for name, look in looks.items() if look.startswith("range")]
    if not any(look.startswith("result") for look in looks.values()) and numeric:
        looks[numeric[-1]] = 'result = "larger is better"'
    head = _HEAD.replace("FILE", sheet.path.name)
    rows = pd.DataFrame({name: sheet.columns[name] for name in looks if looks[name][:5] == "range"})
    totals = rows.sum(axis=1).round(2).unique()
    if rows.shape[1] > 1 and len(totals) == 1 and (total := totals[0]) in (1, 100):
        above = (total - rows.min().sum()) / total  # which steps must make up
        steps = [total / n for n in (100, 1000, 10_000) if round(above * n, 6).is_integer()]
        step = next(iter(steps), total / 100)
        head += f"sum = {{of = {json.dumps([*rows])}, is = {total:g}, step = {step:g}}}\n"
    parts = [
        ("" if look[0] == "#" else f"[{json.dumps(name, ensure_ascii=False)}]\n") + f"{look}\n"
        for name, look in looks.items()
    ]
    return "\n".join([head, *parts])


def _look(name: str, texts: "pd.Series[str]", values: Sequence[Value]) -> str:
    """What a column looks like; a comment on one that is ignored."""
    cells = [value for value in values if value is not None]
    different = [*dict.fromkeys(cells)]
    has_limits = any(text[:1] in tuple("<>≤≥~") for text in texts) or math.nan in different
    if _COST.search(name) or _GAIN.search(name) or has_limits:
        return f'result = "{"smaller" if _COST.search(name) else "larger"} is better"'
    if reason := _why_ignored(name, texts, cells):
        return f"# {json.dumps(name, ensure_ascii=False)} is ignored: {reason}."
    if not values:  # so that there is something to correct
        return "range = [0.0, 1.0]  # invented: there are no rows yet"
    if isinstance(cells[0], str) or len(different) == 1:
        return f"choices = {json.dumps(different, ensure_ascii=False)}"
    is_whole = all(float(cell).is_integer() for cell in cells)  # as both ends then say
    words = [str(int(end) if is_whole else float(end)) for end in (min(cells), max(cells))]
    words += ['"log"'] * (infer(pd.Series(cells)) == "log")
    return f"range = [{', '.join(words)}]"


def _why_ignored(name: str, texts: "pd.Series[str]", cells: Sequence[Value]) -> str:
    """Why a column is no parameter; nothing for one that is."""
    number, is_text = len({*cells}), not any(isinstance(cell, float) for cell in cells)
    is_unique = is_text and number == len(cells)
    odd = [(line, text) for line, text in texts.items() if not _is_numeric([text])]
    if is_unique and 0 < 2 * len(odd) <= number:
        return f"{odd[0][1]!r} in line {odd[0][0]} is not a number"
    is_note = (
        _NOTE.fullmatch(name)
        or (number > 3 and cells in ([*range(number)], [*range(1, number + 1)]))
        or (is_unique and number < len(texts))  # few rows have a remark, and all have a choice
        or (is_text and number > 1 and infer(pd.Series(cells)) == "skip")
    )
    words = "it seems to number, name or date rows, or to hold remarks" if cells else "it is empty"
    return words if is_note else ""


def suggest_next(options: Namespace) -> int:
    """Say what to try next, below the table and on a page; at first, what columns are taken for."""
    if options.number is not None and options.number < 1:
        raise UsageError(f"--number must be at least 1, not {options.number}.")
    sheet = Sheet.read(options.file)
    file = options.file.with_name(f"{options.file.stem}.toml")
    if not file.exists():
        file.write_text(guess(sheet), encoding="utf-8")
        print(f"{guess(sheet)}\nThis was written to {file}. Correct it, and run this again.")
        return 0
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        number = at_least(1, experiments=settings.pop("experiments", 1))
        whole = settings.pop("sum", {})
        with warnings.catch_warnings(action="ignore", category=InputDataWarning):
            optimizer = _optimizer(sheet, settings, whole)
    except (ValueError, TypeError, KeyError, AttributeError, InputDataError) as error:
        raise UsageError(f"{file}: {error}") from None
    _learn(sheet, optimizer)
    texts = partial(_texts, optimizer=optimizer)
    asked = [(point, optimizer.explain(point)) for point in optimizer.ask(options.number or number)]
    report = Report(sheet.path.name, optimizer, asked, texts, whole.get("of", []))
    rows = [texts(point) for point, _ in asked]
    # First, as whoever reads the output may stop reading.
    written = sheet.append(rows, options.copy) if rows else None
    page = write_page(file.with_suffix(".html"), report)
    print(report.count)
    used = {*optimizer.space.names, *optimizer.outcomes}
    if ignored := ", ".join(name for name in sheet.texts if name not in used):
        print(f"ignored, as not in {file.name}: {ignored}")
    expected = report.expected([point for point, _ in asked]) if asked else []
    for row, (_, reason), found in zip(rows, asked, expected, strict=True):
        hope = f" Expected: {in_words(found)}." if found else ""
        print(f"try {in_words(row)}\n    {reason}{hope}")
    if report.front:
        print(f"best so far: {in_words(texts(report.front[0]))}")
    if written:
        print(f"written to {written}; fill in {', '.join(optimizer.outcomes)}, and run this again")
    else:
        print("nothing is left to try")
    print(page)
    return 0


def _optimizer(sheet: Sheet, settings: dict[str, Any], whole: Value) -> Optimizer:
    """A search by settings, before it has learned; perhaps of the parts of a whole.

    Raises:
        ValueError: If they are wrong; it may be an InputDataError.
    """
    listed = settings.pop("candidates", "")
    names = [*sheet.texts, "experiments", "candidates", "sum"]
    for name, one in settings.items():
        if name not in names:
            raise unknown("column or setting", name, names)
        if not isinstance(one, dict):
            raise ValueError(f"{name} is {one!r}, but needs lines such as range = [20, 90]")
        if others := one.keys() - {*_KEYS}:
            raise unknown("key", min(others), _KEYS, owner=f"{name} has")
    results = {n: one for n, one in settings.items() if one and one.keys() <= {*_RESULT}}
    ways = {n: one["result"] for n, one in results.items() if "result" in one}
    if wrong := [way for way in ways.values() if way not in [*_BETTER]]:
        raise ValueError(f"a result must be one of {[*_BETTER]}, not {wrong[0]!r}")
    goals = {n: _BETTER[way] for n, way in ways.items()}
    limits = {n: (one.get("at_least"), one.get("at_most")) for n, one in results.items()}
    limits = {n: both for n, both in limits.items() if both != (None, None)}
    # A single choice is written as a constant.
    space: Any = {n: one for n, one in settings.items() if n not in results}
    if not (space or listed) or not goals:
        raise ValueError(f"no column has a {'result' if space or listed else 'range or choices'}")
    space = {n: c if len(c := one.get("choices", "..")) == 1 else one for n, one in space.items()}
    if whole != {}:
        rows = _mixtures(space, whole)
        space = rows + pd.DataFrame(sheet.columns)[[*rows[0]]].dropna().to_dict("records")
    if listed:
        space = pd.DataFrame(Sheet.read(sheet.path.with_name(listed)).columns)
    number = SearchSettings().num_initial_listed  # experiments are few here
    return Optimizer(space, goals, constraints=limits, n_initial=number)


def _mixtures(space: dict[str, Any], whole: Value) -> list[dict[str, Value]]:
    """Recipes, each beside random values of other parameters."""
    given = whole if isinstance(whole, dict) else {}
    if others := given.keys() - _SUM.keys():
        raise unknown("key", min(others), _SUM, owner="sum has")
    of, total, step = {**_SUM, **given}.values()
    has_ranges = isinstance(of, list) and all([*space.get(name, "")] == ["range"] for name in of)
    if not (has_ranges and len(of) > 1 and is_number(total) and is_number(step)):
        form = '{of = ["A", "B"], is = 100, step = 5}, of columns with nothing but a range'
        raise ValueError(f"sum must be like {form}, not {whole}")
    parts = Space.read({name: space[name] for name in of}).parameters.items()
    rows = mixtures({name: (part.low, part.high) for name, part in parts}, total, step)
    beside = {name: one for name, one in space.items() if name not in of}
    constants = {name: one[0] for name, one in beside.items() if isinstance(one, list)}
    if len(constants) == len(beside):
        return [{**row, **constants} for row in rows]
    other = Space.read(beside)
    drawn = map(other.decode, other.draw(len(rows), 0))
    return [{**row, **point} for row, point in zip(rows, drawn, strict=True)]


def _described(sheet: Sheet, space: Space, shared: Sequence[str]) -> dict[tuple[Value, ...], Row]:
    """Candidates by the cells that the table has of them; none if it has all.

    Raises:
        UsageError: If it does not tell them apart.
    """
    others = space.names - {*shared}
    if not others or not isinstance(space, Candidates):
        return {}
    rows = space.rows.values()
    described = {tuple(row[name] for name in shared): row for row in rows}
    if len(described) < len(rows):
        add = ", ".join(sorted(others))
        raise UsageError(f"{sheet.path} does not say which candidate a row is. Add {add}.")
    return described


def _learn(sheet: Sheet, optimizer: Optimizer) -> None:
    """Tell all rows; raises UsageError with the line of one that does not fit."""
    columns, texts = sheet.columns.items(), sheet.texts[optimizer.outcomes].to_numpy()
    shared = [name for name in sheet.texts if name in optimizer.space.names]
    listed = _described(sheet, optimizer.space, shared)
    for place, line in enumerate(sheet.texts.index):
        row = {name: cells[place] for name, cells in columns if cells[place] is not None}
        results = zip(optimizer.outcomes, texts[place], strict=True)
        outcomes = {name: _values([text])[0] for name, text in results if text}
        point = {name: row[name] for name in shared if name in row}
        has_failed = any(value != value for value in outcomes.values())
        try:
            for name, value in outcomes.items():
                if isinstance(value, str):
                    raise InputDataError(f"{name} must be a number, failed or empty, not {value}.")
            if listed and (point or outcomes):
                point = listed.get(tuple(map(point.get, shared)), {})
                if not point:
                    raise InputDataError("this is none of the candidates. Add it to their list.")
            if has_failed or optimizer.objectives.keys() <= outcomes.keys():
                optimizer.tell(point, None if has_failed else outcomes)
            elif point:
                optimizer.pending.append(read_point(point, optimizer.space))
        except InputDataError as error:
            raise UsageError(f"{sheet.path}, line {line}: {error}") from None


def _texts(point: Mapping[str, Value], optimizer: Optimizer) -> dict[str, str]:
    """A point in words, numbers of a range with four digits."""
    texts = {}
    for name, value in point.items():
        text = f"{value:.10g}" if isinstance(value, float) else "" if value is None else str(value)
        p = optimizer.space.parameters.get(name)
        if p and p.step is None and optimizer.space.candidates is None:
            short = f"{value:.4g}"
            text = short if p.low <= float(short) <= p.high else repr(value)
        texts[name] = text
    return texts
