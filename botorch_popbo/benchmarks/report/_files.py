"""What a report leaves in the output folder: numbers, a picture and a page."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import fields
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from botorch_popbo._replacing import replacing
from botorch_popbo.benchmarks.run.campaign import Campaign

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f6f6f6; padding: 1em; overflow-x: auto; }}
img {{ max-width: 100%; }}
h2 {{ margin-top: 2em; border-bottom: 1px solid #ddd; }}
.warning {{ color: #a33; }}
</style>
</head>
<body>
<h1>{title}</h1>
<pre>{text}</pre>
{sections}
</body>
</html>
"""


def frame(campaign: Campaign[Any, Any]) -> pd.DataFrame:
    """A row for each record of a campaign, with the fields of its replication before its own."""
    cells = list(campaign.cells())
    names = [field.name for kind in (cells[0], campaign.record) for field in fields(kind)]
    rows = [{**vars(cell), **vars(record)} for cell in cells for record in campaign.records(cell)]
    return pd.DataFrame(rows, columns=names)


def write_files(
    output: Path,
    subject: str,
    text: str,
    results: pd.DataFrame,
    figure: Figure | None = None,
    sections: Sequence[str] = (),
) -> None:
    """Print a report and write it: ``results.csv``, ``report.html`` and perhaps ``report.png``.

    The subject is for the page's title, and empty for the usual. The text is the table, the
    sections are the HTML that follows it, or else the figure.
    """
    print(text)
    numbers, *plots = (output / name for name in ("results.csv", "report.png", "report.html"))
    picture, page = plots
    write_csv(results, numbers)
    if figure is None:
        plots.remove(picture)
    else:
        with replacing(picture) as partial:
            figure.savefig(partial, format="png", dpi=120)
        encoded = b64encode(picture.read_bytes()).decode()
        sections = sections or [f'<img alt="{subject}" src="data:image/png;base64,{encoded}">']
    title = f"popbo compare: {subject}" if subject else "popbo compare"
    content = _PAGE.format(title=title, text=escape(text), sections="\n".join(sections))
    with replacing(page) as partial:
        partial.write_text(content, encoding="utf-8")
    print(f"\nplots: {', '.join(map(str, plots))}\nnumbers: {numbers}")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write comma-separated values with six digits; what is not a number is empty."""
    with replacing(path) as partial:
        table.to_csv(partial, index=False, float_format="%.6g", lineterminator="\n")
