"""What the console script's commands do with campaigns; they return the exit status."""

import sys
import tomllib
from argparse import Namespace
from pathlib import Path

from botorch_popbo._errors import UsageError
from botorch_popbo.benchmarks.cli import campaigns
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PATTERNS, PROBLEMS


def show_names(options: Namespace) -> int:
    """Print the names of problems, methods or campaigns, or of all."""
    texts = campaigns.shipped_campaigns().items()
    found = {
        "problems": {name: entry.description for name, entry in PROBLEMS.items()} | PATTERNS,
        "methods": {name: method.description for name, method in METHODS.items()},
        "campaigns": {name: tomllib.loads(text)["description"] for name, text in texts},
    }
    for title in [options.what] if options.what else found:
        print(f"{title}:")
        width = max(map(len, found[title]))
        for name, description in found[title].items():
            print(f"  {name:<{width}} {description}")
    return 0


def compare(options: Namespace) -> int:
    """Run a campaign and report it; nothing is run if a name is unknown or a table missing."""
    asked = campaigns.settle(options)
    campaign = campaigns.plan(options, asked, options.data)
    from botorch_popbo.benchmarks.run.execution import run_campaign  # what is wrong is told first

    campaigns.remember(campaign.output, asked, options.data and options.data.absolute())
    failures = run_campaign(campaign)
    campaign.report()
    for line in dict.fromkeys(map(str, failures)):
        print(line, file=sys.stderr)
    return 1 if failures else 0


def report(options: Namespace) -> int:
    """Report what the records of a folder say, as far as the options do not say otherwise.

    Or report a run of ``minimize``, if its file is named.
    """
    if len(options.problems or ()) == 1 and options.problems[0].endswith(".json"):
        from botorch_popbo.benchmarks.own.run import report_run

        return report_run(Path(options.problems[0]))
    folder = options.output
    if not (folder / "records").is_dir():
        other = f"--output {' '.join(options.problems or ['FOLDER'])}"
        raise UsageError(f"there are no records in {folder}; run popbo compare or add {other}")
    earlier, data = campaigns.recall(folder)
    campaign = campaigns.plan(options, campaigns.settle(options, earlier), options.data or data)
    # An empty report must not take the place of another.
    if not any(campaign.is_complete(cell) for cell in campaign.cells()):
        held = sorted({path.stem.rpartition("--")[0] for path in folder.glob("records/*.jsonl")})
        asked = dict.fromkeys(f"{cell.method} on {cell.task}" for cell in campaign.cells())
        raise UsageError(
            f"{folder} has no complete run of {'; '.join(asked)}: resume it with popbo compare. "
            f"There are records of {', '.join(held)}"
        )
    campaign.report()
    return 0
