"""Campaigns as small TOML files, some of which come with the package."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.experiments import DEFAULT, EXPERIMENTS
from botorch_popbo.benchmarks.run import _keys

_SUFFIX = ".toml"

#: What a campaign file says, by key.
CampaignFile = Mapping[str, Any]


def load_campaign(file_or_name: str) -> CampaignFile:
    """Read a file that ends in ``.toml``, or a campaign that comes with the package.

    Returns:
        What it says, and always an "experiment" and a "description".

    Raises:
        UsageError: If there is no such campaign, or it is not understood.
    """
    if file_or_name.endswith(_SUFFIX):
        try:
            return _parse(file_or_name, Path(file_or_name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the campaign {file_or_name}: {error}") from None
    shipped = shipped_campaigns()
    if file_or_name not in shipped:
        known = ", ".join(shipped)
        raise UsageError(
            f"there is no campaign {file_or_name!r}; known: {known}, and files ending in .toml"
        )
    return shipped[file_or_name]


def shipped_campaigns() -> dict[str, CampaignFile]:
    """The campaigns that come with the package, by name."""
    folder = files("botorch_popbo.benchmarks").joinpath("campaigns")
    found = sorted(file.name for file in folder.iterdir() if file.name.endswith(_SUFFIX))
    return {
        name.removesuffix(_SUFFIX): _parse(name, folder.joinpath(name).read_text(encoding="utf-8"))
        for name in found
    }


def _parse(path: str, text: str) -> CampaignFile:
    try:
        content = {"description": "", "experiment": DEFAULT, **tomllib.loads(text)}
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from None
    experiment = content["experiment"]
    if experiment not in list(EXPERIMENTS):
        known = ", ".join(EXPERIMENTS)
        raise UsageError(f"{path}: experiment is one of {known}, not {experiment!r}")
    kind = _keys.text()
    keys = {"description": kind, "experiment": kind, **EXPERIMENTS[experiment].keys}
    for key in content:
        if key not in keys:
            known = ", ".join(keys)
            raise UsageError(
                f"{path}: the experiment {experiment} has no key {key!r}; known: {known}"
            )
    try:
        return {key: keys[key].check_kind(key, value) for key, value in content.items()}
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
