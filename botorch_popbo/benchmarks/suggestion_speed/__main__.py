"""The command line: prints the table, or measures one method in this process."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from botorch_popbo.benchmarks.suggestion_speed.comparison import LARGE_SIZES, compare
from botorch_popbo.benchmarks.suggestion_speed.measurement import measure
from botorch_popbo.benchmarks.suggestion_speed.table import table

SIZES = (25, 50, 100, 200, 500, 1000, 5000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or measure one method in this process.

    Args:
        arguments: Of the command line; by default those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m botorch_popbo.benchmarks.suggestion_speed",
        description="Time and memory of one suggestion.",
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of points")
    parser.add_argument("--large", action="store_true", help="the default preset up to a million")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="file for the measurements")
    parser.add_argument("--measure", nargs=2, metavar=("METHOD", "N"), help="just one, as JSON")
    options = parser.parse_args(arguments)
    if options.measure:
        method, size = options.measure
        print(json.dumps(asdict(measure(method, int(size), options.repeats))))
        return
    sizes = sorted({*options.sizes, *(LARGE_SIZES if options.large else ())})
    rows, notes = compare(sizes, options.repeats)
    print("\n".join([table(rows), *notes]))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
