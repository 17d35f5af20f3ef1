"""What the console script's commands do."""

import sys
from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence

from joblib import cpu_count

from botorch_popbo.benchmarks.campaign import run_campaign
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.page import write_page
from botorch_popbo.benchmarks.png import write_png
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.report import table, warnings
from botorch_popbo.benchmarks.results import write_results
from botorch_popbo.benchmarks.settings import Campaign
from botorch_popbo.benchmarks.summary import summarize
from botorch_popbo.benchmarks.worker import Failure


def show_names() -> int:
    """Print the names of problems and methods.

    Returns:
        The exit status.
    """
    for title, registry in (("problems", PROBLEMS), ("methods", METHODS)):
        print(f"{title}:")
        width = max(map(len, registry))
        for name, entry in registry.items():
            print(f"  {name:<{width}} {entry.description}")
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
    names = _known("problem", options.problems, PROBLEMS)
    methods = _known("method", options.methods, METHODS)
    problems = {name: PROBLEMS[name].load(options.data) for name in names}
    if options.output.exists() and not options.output.is_dir():
        raise UsageError(f"--output {options.output} is not a folder")
    campaign = Campaign(
        initial={
            name: options.initial or problem.num_initial for name, problem in problems.items()
        },
        methods=methods,
        trials=options.trials,
        seeds=options.seeds,
        jobs=options.jobs or cpu_count(),
        output=options.output,
        data=options.data,
    )
    failures = run_campaign(campaign)
    _report(campaign, problems, failures)
    return 1 if failures else 0


def _known(kind: str, names: Sequence[str], registry: Collection[str]) -> tuple[str, ...]:
    for name in names:
        if name not in registry:
            raise UsageError(f"there is no {kind} {name!r}; known: {', '.join(registry)}")
    return tuple(dict.fromkeys(names))


def _report(
    campaign: Campaign, problems: Mapping[str, Problem], failures: Sequence[Failure]
) -> None:
    summaries = summarize(campaign, problems)
    print(table(summaries))
    for line in [*warnings(summaries), *map(str, failures)]:
        print(line, file=sys.stderr)
    picture, page = campaign.output / "report.png", campaign.output / "report.html"
    results = campaign.output / "results.csv"
    write_results(summaries, results)
    write_png(summaries, picture)
    write_page(summaries, page)
    print(f"\nplots: {picture}, {page}\nnumbers: {results}")
