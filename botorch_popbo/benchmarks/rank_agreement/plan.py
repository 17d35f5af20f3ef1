"""From a command line and a campaign file to a study."""

from argparse import Namespace

from joblib import cpu_count

from botorch_popbo.benchmarks.campaign_files import (
    EXPERIMENTS,
    OPTIMIZATION,
    RANK_AGREEMENT,
    load_campaign,
)
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.plan import choose, is_ray, known, output_folder
from botorch_popbo.benchmarks.rank_agreement.data import DESIGNS, NOISES
from botorch_popbo.benchmarks.rank_agreement.models import MODELS
from botorch_popbo.benchmarks.rank_agreement.study import Study

_DEVIATIONS = tuple(i / 20 for i in range(10))  # the paper's extent, from 0 to 0.45
_SEEDS = 20
_SMOKE_SEEDS = 2


def plan(options: Namespace) -> Study:
    """Make a study.

    Args:
        options: The parsed command line of ``popbo compare`` or ``popbo report``; its campaign is
            an experiment on rank agreement.

    Returns:
        The study.

    Raises:
        UsageError: If a name is unknown, or an option has no meaning here.
    """
    for name in EXPERIMENTS[OPTIMIZATION]:
        if getattr(options, name, None) is not None:
            raise UsageError(f"the experiment {RANK_AGREEMENT} has no --{name}; leave it out")
    if is_ray(options):
        raise UsageError(f"the experiment {RANK_AGREEMENT} has no --backend ray; leave it out")
    file = load_campaign(options.campaign)
    deviations = tuple(map(float, file.deviations or _DEVIATIONS))
    if options.smoke:
        deviations = (deviations[0], deviations[-1])
    (design,) = known(options, "design", [file.design or DESIGNS[0]], DESIGNS)
    return Study(
        models=known(options, "method", choose("methods", options, file, tuple(MODELS)), MODELS),
        design=design,
        noises=known(options, "noise", file.noise or tuple(NOISES), NOISES),
        deviations=tuple(dict.fromkeys(deviations)),
        seeds=choose("seeds", options, file, _SEEDS, _SMOKE_SEEDS),
        jobs=choose("jobs", options, file, cpu_count()),
        output=output_folder(options),
    )
