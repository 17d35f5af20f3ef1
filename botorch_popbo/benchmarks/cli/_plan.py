"""From a command line and a campaign file to a campaign."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from joblib import cpu_count

from botorch_popbo.benchmarks.cli._campaign_files import CampaignFile, load_campaign
from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.run._keys import Key
from botorch_popbo.benchmarks.run.campaign import Campaign

#: The options that say the same as a key of campaign files.
_OPTIONS = (
    *("problems", "methods", "trials", "initial", "seeds", "jobs", "limit"),
    *("table", "objective", "columns", "maximize"),
)


def says_nothing(options: Namespace) -> bool:
    """Whether a command line leaves everything open but folders."""
    given = (getattr(options, option, None) for option in _OPTIONS)
    return not options.campaign and not options.smoke and all(value is None for value in given)


def settle(options: Namespace, earlier: CampaignFile | None = None) -> CampaignFile:
    """What a command line asks for, as a complete campaign file would say it.

    Args:
        options: The command line of ``popbo compare`` or ``popbo report``.
        earlier: What holds unless the command line, or a campaign file it names, says otherwise.

    Raises:
        UsageError: If a value is not valid, or a name unknown.
    """
    file = load_campaign(options.campaign) if options.campaign else earlier or {}
    name = file.get("experiment", DEFAULT)
    experiment = EXPERIMENTS[name]
    for option in _OPTIONS:
        if option not in experiment.keys and getattr(options, option, None) is not None:
            said = "column" if option == "columns" else option
            raise UsageError(f"the experiment {name} has no --{said}; leave it out")
    values = {key: _choose(key, kind, options, file) for key, kind in experiment.keys.items()}
    return {"experiment": name, **experiment.settled(values)}


def plan(options: Namespace, asked: CampaignFile, data: Path | None) -> Campaign[Any, Any]:
    """Make a campaign of what is asked for.

    Args:
        options: The command line, which says where the campaign runs.
        asked: What :func:`settle` returned.
        data: The folder of table files, or None.

    Raises:
        UsageError: If a table is missing, or what is in a user's file cannot be used.
    """
    values = {key: value for key, value in asked.items() if key != "experiment"}
    # An experiment that cannot run side by side has no such key.
    values["jobs"] = values.get("jobs", 1) or cpu_count()
    if options.output.exists() and not options.output.is_dir():
        raise UsageError(f"--output {options.output} is not a folder")
    return EXPERIMENTS[asked["experiment"]].planned(
        # Workers on a cluster, and after a problem that changed it, have another working directory.
        output=options.output.absolute(),
        data=data and data.absolute(),
        backend=getattr(options, "backend", "local"),
        **values,
    )


def _choose(name: str, key: Key, options: Namespace, file: CampaignFile) -> Any:
    # ``popbo report`` has no options for what concerns only a run.
    value = getattr(options, name, None)
    if value is not None:
        return key.check_names(name, key.check_kind(f"--{name}", value))
    value = file.get(name, key.default)
    if options.smoke and key.smoke is not None:
        value = key.smoke(value)
    try:
        return key.check_names(name, value)
    except UsageError as error:
        raise UsageError(f"{options.campaign}: {error}" if options.campaign else error) from None
