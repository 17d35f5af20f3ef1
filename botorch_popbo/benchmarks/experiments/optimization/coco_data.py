"""What was recorded, in COCO's own files: COCO observes every point once more."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from botorch_popbo.benchmarks.errors import RecordError, UsageError
from botorch_popbo.benchmarks.experiments.optimization.campaign import Optimization
from botorch_popbo.benchmarks.problems._coco import CocoProblem, library, open_function
from botorch_popbo.benchmarks.settings import TrialRecord


def write_coco_data(campaign: Optimization) -> list[Path]:
    """Write a folder for each suite and method: ``coco/SUITE/METHOD`` in the output folder.

    Only complete replications are written, with as many trials as the campaign has. What was there
    is replaced. COCO's files do not say what a method was told under noise: they count on the
    noise-free value, and beside it name a value with noise of COCO's own.

    Returns:
        The folders, those without a complete replication left out.

    Raises:
        UsageError: If no problem of the campaign is COCO's.
        RecordError: If COCO evaluates a point to another value than is recorded.
    """
    loaded = map(campaign.problem, campaign.initial)
    problems = [problem for problem in loaded if isinstance(problem, CocoProblem)]
    if not problems:
        raise UsageError("no problem is COCO's; name some, as in --problems bbob-d5")
    suites = dict.fromkeys(problem.coco_name.suite for problem in problems)
    found = [
        _write(campaign, method, [p for p in problems if p.coco_name.suite == suite])
        for suite in suites
        for method in campaign.methods
    ]
    return [folder for folder in found if folder is not None]


def _write(campaign: Optimization, method: str, problems: Sequence[CocoProblem]) -> Path | None:
    """Write what a method did on problems of one suite."""
    # COCO's options are a text in which a path may hold no blank.
    with TemporaryDirectory() as folder:
        options = f"outer_folder: {folder} result_folder: {method} algorithm_name: {method}"
        observer = library().Observer("bbob", options)
        for problem in problems:
            for seed, records in campaign.complete(problem.name, method).items():
                _replay(problem.for_seed(seed), records, observer)
        made = Path(folder, method)
        if not any(made.glob("*.info")):
            return None
        target = campaign.output / "coco" / problems[0].coco_name.suite / method
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, target)
    return target


def _replay(problem: CocoProblem, records: Sequence[TrialRecord], observer: Any) -> None:
    with open_function(problem.coco_name) as function:
        function.observe_with(observer)
        for record in records:
            score = problem.score(record.parameters)
            if score != record.score:
                raise RecordError(
                    f"{problem.name}, trial {record.trial}: {record.score} is recorded, and "
                    f"coco-experiment evaluates it to {score}; was it another version?"
                )
            problem.show(function, record.parameters)
