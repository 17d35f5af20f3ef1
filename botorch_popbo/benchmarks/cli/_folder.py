"""What was asked for in an output folder, so that its report need not be told again."""

import json
from pathlib import Path
from typing import Any

from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.cli._campaign_files import CampaignFile, check_content
from botorch_popbo.benchmarks.errors import RecordError, UsageError

_FILE = "campaign.json"
_LISTS = ("problems", "methods")
_OF_A_RUN = ("jobs", "limit")
_OF_A_TABLE = ("table", "objective", "columns", "maximize")


def remember(folder: Path, asked: CampaignFile, data: Path | None) -> None:
    """Note what is asked for; problems and methods add to those asked for before.

    A table, and the folder of table files, stay until there is another.

    Args:
        folder: The output folder.
        asked: What a campaign file would say.
        data: The folder of table files, or None.

    Raises:
        RecordError: If what was noted before is damaged.
        OSError: If the file cannot be written.
    """
    before, earlier_data = recall(folder)
    data = data or earlier_data
    new = {key: value for key, value in asked.items() if key not in _OF_A_RUN}
    if before.get("experiment") == asked["experiment"]:
        for key in _LISTS:
            if key in new:
                new[key] = [*dict.fromkeys([*before.get(key, ()), *new[key]])]
        # What is said of one table is not about another.
        if new.get("table"):
            before = _without_table(before)
        else:
            new = _without_table(new)
        new = {**before, **new}
    new = {key: value for key, value in new.items() if value not in (None, "", (), [])}
    folder.mkdir(parents=True, exist_ok=True)
    content = {"campaign": new, "data": None if data is None else str(data)}
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
        return check_content(content["campaign"]), None if data is None else Path(data)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, UsageError) else repr(error)
        raise RecordError(f"{path}: {reason}; delete it, or mend it") from None


def _without_table(said: CampaignFile) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key not in _OF_A_TABLE}
