"""From a command line and a campaign file to a campaign."""

from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from joblib import cpu_count

from botorch_popbo.benchmarks import compare_options as defaults
from botorch_popbo.benchmarks.campaign_files import CampaignFile, load_campaign
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.problems import PROBLEMS, Problem
from botorch_popbo.benchmarks.settings import Campaign

_DEFAULTS: Mapping[str, Any] = {
    "problems": defaults.DEFAULT_PROBLEMS,
    "methods": defaults.DEFAULT_METHODS,
    "trials": defaults.DEFAULT_TRIALS,
    "seeds": defaults.DEFAULT_SEEDS,
    "limit": defaults.DEFAULT_LIMIT,
    "initial": None,
    "jobs": None,
}
_SMOKE = {"trials": defaults.SMOKE_TRIALS, "seeds": defaults.SMOKE_SEEDS}


def plan(options: Namespace) -> tuple[Campaign, dict[str, Problem]]:
    """Make a campaign and load its problems.

    Args:
        options: The parsed command line of ``popbo compare`` or ``popbo report``.

    Returns:
        The campaign and its problems by name.

    Raises:
        UsageError: If a name is unknown or a table is missing.
    """
    file = load_campaign(options.campaign) if options.campaign else CampaignFile()
    chosen = {name: _choose(name, options, file) for name in _DEFAULTS}
    names = _known(options, "problem", chosen["problems"], PROBLEMS)
    methods = _known(options, "method", chosen["methods"], METHODS)
    problems = {name: PROBLEMS[name].load(options.data) for name in names}
    if options.output.exists() and not options.output.is_dir():
        raise UsageError(f"--output {options.output} is not a folder")
    campaign = Campaign(
        initial={
            name: chosen["initial"] or problem.num_initial for name, problem in problems.items()
        },
        methods=methods,
        trials=chosen["trials"],
        seeds=chosen["seeds"],
        jobs=chosen["jobs"] or cpu_count(),
        # Workers on a cluster may have another working directory.
        output=options.output.absolute() if _is_ray(options) else options.output,
        data=options.data and options.data.absolute(),
        limit=chosen["limit"],
        backend="ray" if _is_ray(options) else "local",
    )
    return campaign, problems


def _is_ray(options: Namespace) -> bool:
    return getattr(options, "backend", None) == "ray"


def _choose(name: str, options: Namespace, file: CampaignFile) -> Any:
    smoke = _SMOKE.get(name) if options.smoke else None
    # ``popbo report`` has no options for what concerns only a run.
    given = (getattr(options, name, None), smoke, getattr(file, name), _DEFAULTS[name])
    return next((value for value in given if value is not None), None)


def _known(
    options: Namespace, kind: str, names: Sequence[str], registry: Collection[str]
) -> tuple[str, ...]:
    is_from_file = options.campaign and getattr(options, f"{kind}s") is None
    where = f"{options.campaign}: " if is_from_file else ""
    for name in names:
        if name not in registry:
            known = ", ".join(registry)
            raise UsageError(f"{where}there is no {kind} {name!r}; known: {known}")
    return tuple(dict.fromkeys(names))
