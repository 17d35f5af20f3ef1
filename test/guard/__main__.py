"""The standing guard: short searches for every promise, compared with recorded ones.

``python test/guard compare [suite ...]`` searches with the first seed; what seems to be behind its
record is searched with the second, and then with the third. It prints every suite's lead over its
record in decades of regret, and names the suites that are behind and the problems whose regret is
threefold, both beyond chance; it ends with 1 if there are any. ``record --reason "..." [suite
...]`` writes ``records.json`` anew. ``--file`` takes another file: with ``PYTHONPATH`` at another
checkout it shows how that one compares.
"""

import argparse
import json
import logging
import os
import re
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # in the processes, too
sys.path.insert(0, str(Path(__file__).parents[1]))

from guard.comparison import Comparison, Record
from guard.suites import SUITES
from joblib import Parallel, delayed

FILE = Path(__file__).with_name("records.json")
SEEDS = "0", "1", "2"
Search = tuple[str, str, str]  # suite, problem, seed


def evaluate(suite: str, problem: str, seed: str) -> tuple[list[float] | str, float]:
    """Regrets after each budget, or why there are none; CPU seconds."""
    budgets, start = SUITES[suite].budgets, time.process_time()
    result: list[float] | str
    with warnings.catch_warnings(action="ignore"):
        logging.disable(logging.WARNING)
        try:
            curve = SUITES[suite].searches[problem](int(seed), budgets[-1])
            result = [float(f"{curve[budget - 1]:.3g}") for budget in budgets]
        except Exception as error:  # what a version cannot do is a result
            result = f"{type(error).__name__}: {error}"
        finally:
            logging.disable(logging.NOTSET)
    return result, time.process_time() - start


def run(searches: Sequence[Search], records: dict[str, Record], jobs: int) -> None:
    """Add what searches find to the records of their suites."""
    results = Parallel(n_jobs=jobs, return_as="generator")(delayed(evaluate)(*s) for s in searches)
    for (suite, problem, seed), (result, seconds) in zip(searches, results, strict=True):
        records[suite].add(problem, seed, result, seconds)


def read(file: Path) -> dict[str, Record]:
    """The records in a file, if there is one."""
    content = json.loads(file.read_text()) if file.exists() else {}
    return {suite: Record(**fields) for suite, fields in content.items()}


def record(suites: Sequence[str], file: Path, jobs: int, reason: str) -> None:
    """Record suites one after another, with all seeds."""
    for suite in suites:
        records = read(file)
        records[suite] = Record(list(SUITES[suite].budgets), reason=reason)
        problems = SUITES[suite].searches
        run([(suite, problem, seed) for problem in problems for seed in SEEDS], records, jobs)
        text = json.dumps({suite: asdict(records[suite]) for suite in sorted(records)}, indent=1)
        lines = re.sub(r"\[[^][]*\]", lambda numbers: " ".join(numbers[0].split()), text)
        file.write_text(lines + "\n")
        print(f"{suite}: {records[suite].cannot or f'{records[suite].seconds} s'}", flush=True)


def compare(suites: Sequence[str], file: Path, jobs: int) -> list[str]:
    """Compare suites with their records, by more seeds where one seems to be behind.

    Returns:
        The alarms.
    """
    recorded = read(file)
    found = {suite: Record(list(SUITES[suite].budgets)) for suite in suites}
    compared = {
        suite: Comparison(recorded.get(suite, Record([])), found[suite]) for suite in suites
    }
    searches = [(suite, problem) for suite in suites for problem in SUITES[suite].searches]
    for seed in SEEDS:
        run([(suite, problem, seed) for suite, problem in searches], found, jobs)
        searches = [(suite, problem) for suite, one in compared.items() for problem in one.suspects]
    for suite, comparison in compared.items():
        print(f"{suite}: {comparison}")
    print(f"{sum(one.seconds for one in found.values()):.0f} CPU seconds")
    return [f"{suite}: {alarm}" for suite, one in compared.items() for alarm in one.alarms]


def main() -> None:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("suites", nargs="*", metavar="suite", help=f"of {', '.join(SUITES)}")
    parser.add_argument("--reason", help="why suites are recorded anew")
    parser.add_argument("--file", type=Path, default=FILE, help="the records")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    suites = arguments.suites or list(SUITES)
    if unknown := set(suites) - SUITES.keys():
        parser.error(f"no suite is called {', '.join(sorted(unknown))}")
    if arguments.action == "compare":
        alarms = compare(suites, arguments.file, arguments.jobs)
        print("\n".join(alarms) or "Nothing is behind.")
        sys.exit(bool(alarms))
    if not arguments.reason:
        parser.error("suites are recorded anew for a --reason only")
    record(suites, arguments.file, arguments.jobs, arguments.reason)


if __name__ == "__main__":
    main()
