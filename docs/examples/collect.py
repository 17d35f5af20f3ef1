"""Bring what a campaign has measured into a CSV file beside the results.

``python docs/examples/collect.py DIR docs/results/tuning.csv`` replaces, or adds, the rows of the
runs in a campaign's folder. What the file has as columns is kept of them: a number is the regret,
or else the score, of the best point among so many evaluations; ``commit`` is where the run came
from.
"""

import argparse
import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report.summary import best_evaluated
from botorch_popbo.benchmarks.settings import TrialRecord

KEYS = ["problem", "table", "failing", "batch", "method", "seed"]


@cache
def load(problem: str, data: Path | None) -> Problem:
    """A problem of the lab."""
    return PROBLEMS[problem].load(data)


def trials(lines: list[dict[str, Any]], data: Path | None) -> dict[str, Any]:
    """A run whose trials were recorded one by one."""
    problem = load(lines[0]["problem"], data)
    records = [
        TrialRecord(**{name: line[name] for name in TrialRecord.__annotations__}) for line in lines
    ]
    curve = best_evaluated(problem.for_seed(lines[0]["seed"]), records)
    row = {str(number): value for number, value in enumerate(curve, 1)}
    return row | {"commit": lines[0]["versions"]["commit"][:8]}


def run(path: Path, data: Path | None, commit: str) -> dict[str, Any]:
    """A row of what a file of records says."""
    lines = [json.loads(line) for line in path.open()]
    if "numbers" in lines[0]:  # which an experiment recorded at once
        return lines[0] | lines[0]["numbers"] | {"commit": commit}
    return lines[0] | trials(lines, data)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path, help="folder of table files")
    parser.add_argument("--commit", default="", help="of runs whose records do not say it")
    args = parser.parse_args()
    old = pd.read_csv(args.file, dtype={"commit": str})
    paths = sorted((args.folder / "records").glob("*.jsonl"))
    rows = [run(path, args.data, args.commit) for path in paths]
    new = pd.DataFrame(rows).reindex(columns=old.columns)
    keys = [name for name in KEYS if name in old]
    table = pd.concat([old, new]).drop_duplicates(keys, keep="last").sort_values(keys)
    table.to_csv(args.file, index=False, float_format="%.9g")


if __name__ == "__main__":
    main()
