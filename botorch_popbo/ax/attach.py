"""Tables in CSV files."""

import csv
import os
from collections.abc import Sequence
from io import StringIO
from typing import Any

import pandas as pd

from botorch_popbo._csv_lines import split_lines


def read_table(path: str | os.PathLike[str], texts: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV file in which the text "None" is a choice, and lines may end with commas.

    Spaces about names and values have no effect, nor have lines without a value.

    Args:
        path: The file.
        texts: Columns of texts, which stay texts where they look like numbers.

    Returns:
        The table, with the numbers of lines for an index.

    Raises:
        ValueError: If it is no table, two columns have one name, or a line has more values.
        OSError: If the file cannot be read.
    """
    whole: dict[str, Any] = {"sep": "\x01", "quoting": csv.QUOTE_NONE, "skip_blank_lines": False}
    try:
        read = pd.read_csv(path, names=["line"], dtype=str, keep_default_na=False, **whole)
    except UnicodeDecodeError:
        raise ValueError("its letters are not in UTF-8; save it in that encoding") from None
    lines = split_lines(read["line"] + "\n")
    names, *rows = lines.values()
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise ValueError(f"it has the columns {', '.join(twice)} twice")
    text = StringIO()
    csv.writer(text).writerows([names, *(row[: len(names)] for row in rows)])
    text.seek(0)
    table = pd.read_csv(
        text,
        index_col=False,
        keep_default_na=False,
        na_values=["", "NA", "NaN", "nan"],
        dtype=dict.fromkeys(texts, str),
    )
    return table.set_axis([*lines][1:])
