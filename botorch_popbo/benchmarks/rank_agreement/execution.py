"""Fit what has not been fitted, side by side."""

import sys

from filelock import FileLock
from joblib import Parallel, delayed
from tqdm.auto import tqdm  # type: ignore[import-untyped]

from botorch_popbo.benchmarks.progress import make_bar
from botorch_popbo.benchmarks.rank_agreement.results import Result, append_result, read_results
from botorch_popbo.benchmarks.rank_agreement.study import Setting, Study
from botorch_popbo.benchmarks.rank_agreement.worker import work


def run(study: Study) -> list[Setting]:
    """Fit every model that is not yet on disk.

    Each result is written as it comes, by this process alone. A progress bar and the failures, as
    they happen, go to the standard error.

    Args:
        study: The study.

    Returns:
        The fits that failed.

    Raises:
        RecordError: If the recorded results are damaged.
        OSError: If the output folder cannot be written.
    """
    path, failed = study.records, []
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes never work at the same results: the second waits and finds those of the first.
    with FileLock(path.with_suffix(".lock")):
        known = read_results(path, repair=True)
        settings = list(study.settings())
        missing = [setting for setting in settings if setting not in known]
        done = len(settings) - len(missing)
        parallel = Parallel(n_jobs=study.jobs, return_as="generator_unordered")
        outcomes = parallel(delayed(work)(setting) for setting in missing)
        bar = make_bar(outcomes, total=len(settings), initial=done, unit="fit")
        for setting, outcome in bar:
            if isinstance(outcome, Result):
                append_result(path, outcome)
            else:
                tqdm.write(f"failed: {setting}: {outcome}", file=sys.stderr)
                failed.append(setting)
    return failed
