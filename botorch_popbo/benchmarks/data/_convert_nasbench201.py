"""From an export of the release of Dong & Yang (2020) to the arrays that are read."""

import csv
import math
import re
from pathlib import Path

import numpy as np

from botorch_popbo.benchmarks.data.nasbench201 import ACCURACY, NUM_EDGES
from botorch_popbo.benchmarks.data.table import Array, Arrays
from botorch_popbo.benchmarks.errors import UsageError

#: The operations in the release's order.
_OPERATIONS = ("none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3")
#: Node after node, each with an edge from every node before it.
_CELL = re.compile(r"\|(\w+)~0\|\+\|(\w+)~0\|(\w+)~1\|\+\|(\w+)~0\|(\w+)~1\|(\w+)~2\|")
_DATA_SETS = ("cifar10", "cifar100", "imagenet16")
_MEANS = [
    *(f"{data_set}_{part}_ep12" for data_set in _DATA_SETS for part in ("valid", "test")),
    *(f"{data_set}_valid_ep200" for data_set in _DATA_SETS),
]
_SEEDS = {
    f"{data_set}_valid_ep200_seeds": [f"{data_set}_valid_ep200_seed{i}" for i in range(3)]
    for data_set in _DATA_SETS
}
Columns = dict[str, list[str]]
_REQUIRED = ("index", "arch_str", ACCURACY)


def convert_nasbench201(source: Path) -> Arrays:
    """Read the arrays of the table file, rows by index, from a CSV file.

    Its columns are index, arch_str and accuracies in per cent:
    ``{cifar10,cifar100,imagenet16}_{valid,test}_ep12`` and ``*_valid_ep200``, and of each seed
    ``*_valid_ep200_seed{0,1,2}``, where cells may be empty. Only index, arch_str and
    cifar10_valid_ep12 are needed. Raises UsageError if it is missing, damaged or no such export.
    """
    columns = _read(source)
    texts, expected = columns["arch_str"], len(_OPERATIONS) ** NUM_EDGES
    arrays: Arrays = {
        "X_index": np.array([_cell(text, source) for text in texts], dtype=np.int8),
        "op_names": np.array(_OPERATIONS),
        "arch_str": np.array(texts),
    }
    if not len(set(texts)) == len(texts) == expected:
        raise UsageError(
            f"{source} is not the whole table: {len(set(texts))} different architectures in "
            f"{len(texts)} rows, expected {expected}"
        )
    for name in _MEANS:
        if name in columns:
            arrays[name] = _numbers(columns, name, source)
            if np.isnan(arrays[name]).any():
                raise UsageError(f"{source}: column {name!r} has empty cells")
    for name, parts in _SEEDS.items():
        if columns.keys() >= set(parts):
            arrays[name] = np.stack([_numbers(columns, part, source) for part in parts], axis=1)
    return arrays


def _read(source: Path) -> Columns:
    """The columns, rows in the order of their index."""
    if not source.is_file():
        raise UsageError(f"there is no file {source}")
    try:
        with source.open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file, strict=True)) or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{source} cannot be read as a CSV file: {error}") from None
    _check_header(header, source)
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise UsageError(f"{source}, row {number}: {len(row)} cells, expected {len(header)}")
    place = header.index("index")
    by_index = {row[place]: row for row in rows}
    wanted = [str(i) for i in range(len(rows))]
    if by_index.keys() != set(wanted):
        raise UsageError(f"{source}: column 'index' is not 0 to {len(rows) - 1}, each once")
    return {name: [by_index[i][j] for i in wanted] for j, name in enumerate(header)}


def _check_header(header: list[str], source: Path) -> None:
    missing = [name for name in _REQUIRED if name not in header]
    if missing:
        raise UsageError(f"{source} has no column {', '.join(missing)}")
    known = {*_REQUIRED, *_MEANS, *(part for parts in _SEEDS.values() for part in parts)}
    odd = [name for name in header if name not in known or header.count(name) > 1]
    if odd:
        raise UsageError(f"{source}: unknown or repeated column {', '.join(odd)}")
    for parts in _SEEDS.values():
        if 0 < len(set(parts) & set(header)) < len(parts):
            raise UsageError(f"{source} has not all of the columns {', '.join(parts)}")


def _cell(text: str, source: Path) -> list[int]:
    match = _CELL.fullmatch(text)
    if match is None or not set(match.groups()) <= set(_OPERATIONS):
        raise UsageError(f"{source}: {text!r} is not an architecture of NAS-Bench-201")
    return [_OPERATIONS.index(name) for name in match.groups()]


def _numbers(columns: Columns, name: str, source: Path) -> Array:
    """A column, NaN where a cell is empty."""
    try:
        numbers = [float(cell) if cell else None for cell in columns[name]]
    except ValueError as error:
        raise UsageError(f"{source}, column {name!r}: {error}") from None
    if not all(number is None or math.isfinite(number) for number in numbers):
        raise UsageError(f"{source}: column {name!r} holds values that are not finite")
    return np.array(numbers, dtype=np.float64)
