"""What the console script's commands do."""

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence

from botorch_popbo.benchmarks.against_paper import compare_with_paper, paper_table, write_paper
from botorch_popbo.benchmarks.campaign import run_campaign
from botorch_popbo.benchmarks.campaign_files import (
    RANK_AGREEMENT,
    load_campaign,
    shipped_campaigns,
)
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.failure import Failure, texts
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.page import write_page
from botorch_popbo.benchmarks.plan import plan
from botorch_popbo.benchmarks.png import write_png
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.rank_agreement import commands as rank_agreement
from botorch_popbo.benchmarks.rank_agreement.models import MODELS
from botorch_popbo.benchmarks.report import table, warnings
from botorch_popbo.benchmarks.results import write_results
from botorch_popbo.benchmarks.settings import Campaign
from botorch_popbo.benchmarks.summary import summarize


def show_names() -> int:
    """Print the names of problems, methods and campaigns.

    Returns:
        The exit status.
    """
    registries: Mapping[str, Mapping[str, str]] = {
        "problems": {name: entry.description for name, entry in PROBLEMS.items()},
        "methods": {name: method.description for name, method in METHODS.items()},
        f"methods of campaigns on {RANK_AGREEMENT}": {
            name: model.description for name, model in MODELS.items()
        },
        "campaigns": {name: file.description for name, file in shipped_campaigns().items()},
    }
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
        RecordError: If recorded trials are damaged.
        OSError: If the output folder cannot be written.
    """
    if _is_rank_agreement(options):
        return rank_agreement.compare(options)
    campaign, problems = plan(options)
    failures = run_campaign(campaign)
    _report(campaign, problems, failures)
    return 1 if failures else 0


def report(options: Namespace) -> int:
    """Report a campaign without running anything.

    Args:
        options: The parsed command line of ``popbo report``.

    Returns:
        The exit status.

    Raises:
        UsageError: If a name is unknown, a table is missing or there are no records.
        RecordError: If recorded trials are damaged.
        OSError: If the output folder cannot be written.
    """
    if _is_rank_agreement(options):
        return rank_agreement.report(options)
    campaign, problems = plan(options)
    if not (campaign.output / "records").is_dir():
        raise UsageError(f"there are no records in {campaign.output}; popbo compare makes them")
    _report(campaign, problems, [])
    return 0


def _is_rank_agreement(options: Namespace) -> bool:
    chosen = options.campaign
    return bool(chosen) and load_campaign(chosen).experiment == RANK_AGREEMENT


def _report(
    campaign: Campaign, problems: Mapping[str, Problem], failures: Sequence[Failure]
) -> None:
    summaries = summarize(campaign, problems)
    cells = compare_with_paper(summaries)
    print(table(summaries))
    if cells:
        print(f"\n{paper_table(cells)}")
    for line in [*warnings(summaries), *texts(failures)]:
        print(line, file=sys.stderr)
    picture, page = campaign.output / "report.png", campaign.output / "report.html"
    results = campaign.output / "results.csv"
    write_results(summaries, results)
    if cells:
        write_paper(cells, campaign.output / "paper.csv")
    write_png(summaries, picture)
    write_page(summaries, page)
    print(f"\nplots: {picture}, {page}\nnumbers: {results}")
