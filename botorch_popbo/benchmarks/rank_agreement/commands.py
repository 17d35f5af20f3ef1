"""What the console script's commands do with a study of rank agreement."""

from argparse import Namespace

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.rank_agreement.execution import run
from botorch_popbo.benchmarks.rank_agreement.page import write_page
from botorch_popbo.benchmarks.rank_agreement.picture import write_picture
from botorch_popbo.benchmarks.rank_agreement.plan import plan
from botorch_popbo.benchmarks.rank_agreement.results import read_results, select, write_csv
from botorch_popbo.benchmarks.rank_agreement.study import Study
from botorch_popbo.benchmarks.rank_agreement.summary import make_curves, table


def compare(options: Namespace) -> int:
    """Run a study and report it.

    Args:
        options: The parsed command line of ``popbo compare``.

    Returns:
        The exit status: 1 if a fit failed, else 0.

    Raises:
        UsageError: If a name is unknown, or an option has no meaning here.
        RecordError: If recorded results are damaged.
        OSError: If the output folder cannot be written.
    """
    study = plan(options)
    failed = run(study)
    _report(study)
    return 1 if failed else 0


def report(options: Namespace) -> int:
    """Report a study without running anything.

    Args:
        options: The parsed command line of ``popbo report``.

    Returns:
        The exit status.

    Raises:
        UsageError: If a name is unknown, an option has no meaning here or there are no records.
        RecordError: If recorded results are damaged.
        OSError: If the output folder cannot be written.
    """
    study = plan(options)
    if not study.records.exists():
        raise UsageError(f"there is no {study.records}; popbo compare makes it")
    _report(study)
    return 0


def _report(study: Study) -> None:
    results = select(study, read_results(study.records))
    curves = make_curves(study, results)
    text = table(study, curves)
    print(text)
    picture, page = study.output / "report.png", study.output / "report.html"
    numbers = study.output / "results.csv"
    write_csv(results, numbers)
    write_picture(study, curves, results, picture)
    write_page(text, picture, page)
    print(f"\nplots: {picture}, {page}\nnumbers: {numbers}")
