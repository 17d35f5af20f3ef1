"""From a command line and a campaign file to a campaign."""

from argparse import Namespace
from typing import Any

from joblib import cpu_count

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.run._campaign_files import CampaignFile, load_campaign
from botorch_popbo.benchmarks.run._keys import Key
from botorch_popbo.benchmarks.run.campaign import Campaign

#: The options that say the same as a key of campaign files.
_OPTIONS = ("problems", "methods", "trials", "initial", "seeds", "jobs", "limit")


def plan(options: Namespace) -> Campaign[Any, Any]:
    """Make a campaign of the command line of ``popbo compare`` or ``popbo report``."""
    file = load_campaign(options.campaign) if options.campaign else {}
    name = file.get("experiment", DEFAULT)
    experiment = EXPERIMENTS[name]
    for option in _OPTIONS:
        if option not in experiment.keys and getattr(options, option, None) is not None:
            raise UsageError(f"the experiment {name} has no --{option}; leave it out")
    values = {key: _choose(key, kind, options, file) for key, kind in experiment.keys.items()}
    # An experiment that cannot run side by side has no such key.
    values["jobs"] = values.get("jobs", 1) or cpu_count()
    if options.output.exists() and not options.output.is_dir():
        raise UsageError(f"--output {options.output} is not a folder")
    backend = getattr(options, "backend", "local")
    return experiment.planned(
        # Workers on a cluster may have another working directory.
        output=options.output.absolute() if backend == "ray" else options.output,
        data=options.data and options.data.absolute(),
        backend=backend,
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
        raise UsageError(f"{options.campaign}: {error}") from None
