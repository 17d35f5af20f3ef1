"""From a command line and a campaign file to a campaign."""

from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
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
    chosen = {
        name: choose(name, options, file, default, _SMOKE.get(name))
        for name, default in _DEFAULTS.items()
    }
    names = known(options, "problem", chosen["problems"], PROBLEMS)
    methods = known(options, "method", chosen["methods"], METHODS)
    problems = {name: PROBLEMS[name].load(options.data) for name in names}
    output = output_folder(options)
    campaign = Campaign(
        initial={
            name: chosen["initial"] or problem.num_initial for name, problem in problems.items()
        },
        methods=methods,
        trials=chosen["trials"],
        seeds=chosen["seeds"],
        jobs=chosen["jobs"] or cpu_count(),
        # Workers on a cluster may have another working directory.
        output=output.absolute() if is_ray(options) else output,
        data=options.data and options.data.absolute(),
        limit=chosen["limit"],
        backend="ray" if is_ray(options) else "local",
    )
    return campaign, problems


def is_ray(options: Namespace) -> bool:
    """Whether the command line asks for a Ray cluster."""
    return getattr(options, "backend", None) == "ray"


def output_folder(options: Namespace) -> Path:
    """The folder named by ``--output``.

    Raises:
        UsageError: If it is a file.
    """
    output: Path = options.output
    if output.exists() and not output.is_dir():
        raise UsageError(f"--output {output} is not a folder")
    return output


def choose(
    name: str, options: Namespace, file: CampaignFile, default: Any, smoke: Any = None
) -> Any:
    """Settle one setting.

    Args:
        name: Its name, that of an option and of a key of campaign files.
        options: The parsed command line, which comes first.
        file: The campaign file.
        default: What holds if nobody says anything.
        smoke: With ``--smoke``, what comes before the file, or None.

    Returns:
        The value.
    """
    # ``popbo report`` has no options for what concerns only a run.
    given = (getattr(options, name, None), smoke if options.smoke else None, getattr(file, name))
    return next((value for value in given if value is not None), default)


def known(
    options: Namespace, kind: str, names: Sequence[str], registry: Collection[str]
) -> tuple[str, ...]:
    """Check names.

    Args:
        options: The parsed command line.
        kind: What the names are of, in the singular.
        names: The names.
        registry: Those that exist.

    Returns:
        The names, each once.

    Raises:
        UsageError: If a name does not exist.
    """
    is_from_file = options.campaign and getattr(options, f"{kind}s", None) is None
    where = f"{options.campaign}: " if is_from_file else ""
    for name in names:
        if name not in registry:
            raise UsageError(f"{where}there is no {kind} {name!r}; known: {', '.join(registry)}")
    return tuple(dict.fromkeys(names))
