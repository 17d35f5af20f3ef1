"""Campaigns as small TOML files, some of which come with the package."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from botorch_popbo.benchmarks.errors import UsageError, unknown
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.run import _keys

_SUFFIX = ".toml"

#: What a campaign file says, by key; always an "experiment" and a "description".
CampaignFile = Mapping[str, Any]


def load_campaign(file_or_name: str) -> CampaignFile:
    """Read a file that ends in ``.toml``, or a campaign that comes with the package."""
    if file_or_name.endswith(_SUFFIX):
        try:  # some editors begin a file with a mark of the byte order
            return _parse(file_or_name, Path(file_or_name).read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the campaign {file_or_name}: {error}") from None
    shipped = shipped_campaigns()
    if file_or_name not in shipped:
        raise unknown("campaign", file_or_name, shipped, f", and files ending in {_SUFFIX}")
    return shipped[file_or_name]


def shipped_campaigns() -> dict[str, CampaignFile]:
    """The campaigns that come with the package, by name."""
    folder = files("botorch_popbo.benchmarks").joinpath("campaigns")
    found = {f.name: f for f in folder.iterdir() if f.name.endswith(_SUFFIX)}
    return {
        name.removesuffix(_SUFFIX): _parse(name, found[name].read_text(encoding="utf-8"))
        for name in sorted(found)
    }


def check_content(said: CampaignFile) -> CampaignFile:
    """What a campaign file says, checked but for names; raises UsageError."""
    content = {"experiment": DEFAULT, **said}
    experiment = content["experiment"]
    if experiment not in list(EXPERIMENTS):
        raise UsageError(f"experiment is one of {', '.join(EXPERIMENTS)}, not {experiment!r}")
    kind = _keys.text()
    keys = {"description": kind, "experiment": kind, **EXPERIMENTS[experiment].keys}
    for key in (key for key in content if key not in keys):
        known = ", ".join(keys)
        raise UsageError(f"the experiment {experiment} has no key {key!r}; known: {known}")
    return {key: keys[key].check_kind(key, value) for key, value in content.items()}


def _parse(path: str, text: str) -> CampaignFile:
    try:
        return {"description": "", **check_content(tomllib.loads(text))}
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
