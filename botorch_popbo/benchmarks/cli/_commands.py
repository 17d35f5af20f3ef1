"""What the console script's commands do with campaigns."""

import sys
from argparse import Namespace

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.problems import PROBLEMS
from botorch_popbo.benchmarks.run._campaign_files import shipped_campaigns
from botorch_popbo.benchmarks.run._execution import run_campaign
from botorch_popbo.benchmarks.run._failure import texts
from botorch_popbo.benchmarks.run._plan import plan


def show_names() -> int:
    """Print the names of problems, methods and campaigns.

    Returns:
        The exit status.
    """
    registries = {"problems": {name: entry.description for name, entry in PROBLEMS.items()}}
    for name, experiment in EXPERIMENTS.items():
        title = "methods" if name == DEFAULT else f"methods of campaigns on {name}"
        methods = experiment.registry
        registries[title] = {key: method.description for key, method in methods.items()}
    shipped = shipped_campaigns().items()
    registries["campaigns"] = {name: file["description"] for name, file in shipped}
    for title, entries in registries.items():
        print(f"{title}:")
        width = max(map(len, entries), default=0)
        for name, description in entries.items():
            print(f"  {name:<{width}} {description}")
    return 0


def compare(options: Namespace) -> int:
    """Run a campaign and report it.

    Args:
        options: The parsed command line of ``popbo compare``.

    Returns:
        The exit status: 1 if a replication failed, else 0.

    Raises:
        UsageError: If a name is unknown or a table is missing; nothing has been run then.
        RecordError: If records are damaged.
        OSError: If the output folder cannot be written.
    """
    campaign = plan(options)
    failures = run_campaign(campaign)
    campaign.report()
    for line in texts(failures):
        print(line, file=sys.stderr)
    return 1 if failures else 0


def report(options: Namespace) -> int:
    """Report a campaign without running anything.

    Args:
        options: The parsed command line of ``popbo report``.

    Returns:
        The exit status.

    Raises:
        UsageError: If a name is unknown, a table is missing or there are no records.
        RecordError: If records are damaged.
        OSError: If the output folder cannot be written.
    """
    campaign = plan(options)
    if not (campaign.output / "records").is_dir():
        raise UsageError(f"there are no records in {campaign.output}; popbo compare makes them")
    campaign.report()
    return 0
