"""From a command line, a campaign file and what was asked for last to a campaign."""

import json
import sys
import tomllib
from argparse import Namespace
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from botorch_popbo._errors import UsageError
from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS, Optimization, experiment
from botorch_popbo.benchmarks.names import unknown
from botorch_popbo.benchmarks.run.campaign import Campaign
from botorch_popbo.benchmarks.run.records import RecordError

_SUFFIX = ".toml"
_FILE = "campaign.json"

#: What a campaign file says, by key; always an "experiment".
CampaignFile = Mapping[str, Any]


def load_campaign(file_or_name: str) -> CampaignFile:
    """Read a file that ends in ``.toml``, or a campaign that comes with the package."""
    if file_or_name.endswith(_SUFFIX):
        try:  # some editors begin a file with a mark of the byte order
            text = Path(file_or_name).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise UsageError(f"cannot read the campaign {file_or_name}: {reason}") from None
    else:
        shipped = shipped_campaigns()
        if file_or_name not in shipped:
            raise unknown("campaign", file_or_name, shipped, f", and files ending in {_SUFFIX}")
        text = shipped[file_or_name]
    try:
        return _checked({"description": "", **tomllib.loads(text)})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file_or_name}: not TOML: {error}") from None
    except UsageError as error:
        raise UsageError(f"{file_or_name}: {error}") from None


def shipped_campaigns() -> dict[str, str]:
    """The texts of the campaigns that come with the package, by name."""
    folder = files("botorch_popbo.benchmarks").joinpath("campaigns")
    found = {f.name: f for f in folder.iterdir() if f.name.endswith(_SUFFIX)}
    return {
        name.removesuffix(_SUFFIX): found[name].read_text(encoding="utf-8")
        for name in sorted(found)
    }


def _checked(file: CampaignFile) -> CampaignFile:
    """A file's content, names aside, with tuples for lists."""
    content = {"experiment": DEFAULT, **file}
    name = content["experiment"]
    if name not in list(EXPERIMENTS):
        raise UsageError(f"experiment must be one of {', '.join(EXPERIMENTS)}, not {name!r}")
    keys = experiment(name).keys
    for key, value in content.items():
        if key in keys:
            content[key] = keys[key].check_kind(key, value)
        elif key not in ("description", "experiment"):
            listed = ", ".join(["description", "experiment", *keys])
            raise UsageError(f"the experiment {name} has no key {key!r}; known: {listed}")
    return content


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
    kind_of, values = experiment(name), {}
    # ``popbo report`` has no options for what concerns only a run.
    given = {option: getattr(options, option, None) for option in Optimization.keys}
    given["problems"] = given["problems"] or None
    for option, value in given.items():
        if option not in kind_of.keys and value is not None:
            word = {"columns": "--column", "problems": "problems"}.get(option, f"--{option}")
            raise UsageError(f"the experiment {name} has no {word}; leave it out")
    for key, kind in kind_of.keys.items():
        value = given.get(key)
        if value is not None:
            value = kind.check_kind(f"--{key}" if key != "problems" else key, value)
        else:
            value = file.get(key, kind.default)
            value = kind.smoke(value) if options.smoke and kind.smoke else value
        values[key] = kind.check_names(key, value)
    return {"experiment": name, **kind_of.settled(values)}


def plan(options: Namespace, asked: CampaignFile, data: Path | None) -> Campaign[Any, Any]:
    """Make a campaign of what is asked for, and print its notes.

    Args:
        options: The command line, which says where the campaign runs.
        asked: What :func:`settle` returned.
        data: The folder of table files, or None.

    Raises:
        UsageError: If a table is missing, or what is in a user's file cannot be used.
    """
    from joblib import cpu_count

    values = {key: value for key, value in asked.items() if key != "experiment"}
    values["jobs"] = values["jobs"] or cpu_count()
    if options.output.exists() and not options.output.is_dir():
        raise UsageError(f"--output {options.output} is not a folder")
    campaign = experiment(asked["experiment"]).planned(
        # Workers may have another working directory, after a problem that changed it.
        output=options.output.absolute(),
        data=data and data.absolute(),
        **values,
    )
    for line in campaign.notes():
        print(line, file=sys.stderr)
    return campaign


def remember(folder: Path, asked: CampaignFile, data: Path | None) -> None:
    """Note what is asked for; raises OSError if the file cannot be written."""
    given = {key: value for key, value in asked.items() if value not in (None, "", (), [])}
    folder.mkdir(parents=True, exist_ok=True)
    content = {"campaign": given, "data": None if data is None else str(data)}
    with replacing(folder / _FILE) as partial:
        partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def recall(folder: Path) -> tuple[CampaignFile, Path | None]:
    """What was asked for, and the folder of table files; nothing if that was not noted.

    Raises:
        RecordError: If the file is damaged.
    """
    path = folder / _FILE
    if not path.is_file():
        return {}, None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        data = content["data"]
        return _checked(content["campaign"]), None if data is None else Path(data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, UsageError) else repr(error)
        raise RecordError(f"{path}: {reason}; delete it, or correct it") from None
