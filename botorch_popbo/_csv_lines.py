"""What is between the commas of a CSV file, as spreadsheets and people write it."""

import csv
import re
from collections.abc import Iterable

_END = "\x01"


def split_lines(lines: Iterable[str]) -> dict[int, list[str]]:
    """Split lines at commas that are not between quotation marks.

    Spaces about a value are left out, and so are lines without a value, which spreadsheets write
    below a table.

    Args:
        lines: The lines of the file, each with its end.

    Returns:
        The values of each line by its number, from 1; the first are the names of the columns.
        There may be fewer values than names, and further ones that are empty.

    Raises:
        ValueError: If there is no line, a quotation is not ended, other signs than commas are
            between the names, or a line has more values than there are names.
    """
    reader = csv.reader([*lines, _END], skipinitialspace=True)
    try:
        rows = [(reader.line_num, [value.strip() for value in row]) for row in reader]
    except csv.Error as error:
        raise ValueError(str(error)) from None
    if rows.pop()[1] != [_END]:
        raise ValueError("a quotation mark has no second one")
    told = {line: row for line, row in rows if any(row)}
    if not told:
        raise ValueError("it is empty")
    names = next(iter(told.values()))
    if len(names) == 1 and (sign := re.search(r"[;\t]", names[0])):
        raise ValueError(f"it has {sign[0]!r} between values; use commas, and points in numbers")
    for line, row in told.items():
        if any(row[len(names) :]):
            raise ValueError(
                f"line {line} has more values than the header has names; write decimals with "
                "points, and texts with commas in quotes"
            )
    return told
