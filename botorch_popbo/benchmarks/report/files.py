"""What a report leaves in the output folder: numbers, a picture and a page."""

from base64 import b64encode
from html import escape
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from botorch_popbo._replacing import replacing

_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; max-width: 1400px; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f6f6f6; padding: 1em; white-space: pre-wrap; overflow-wrap: anywhere; }}
img {{ max-width: 100%; }}
</style>
<h1>{title}</h1>
<pre>{text}</pre>
{picture}
"""


def write_files(
    output: Path, subject: str, text: str, results: pd.DataFrame, figure: Figure | None = None
) -> None:
    """Write a report, ``results.csv``, ``report.html`` and perhaps ``report.png``, and print it.

    The subject is for the page's title, the text is the table.
    """
    names = ("results.csv", "report.png", "report.html")
    numbers, picture, page = (output / name for name in names)
    write_csv(results, numbers)
    image = ""
    if figure is not None:
        with replacing(picture) as partial:
            figure.savefig(partial, format="png", dpi=120)
        image = f'<img src="data:image/png;base64,{b64encode(picture.read_bytes()).decode()}">'
    content = _PAGE.format(title=f"popbo: {subject}", text=escape(text), picture=image)
    with replacing(page) as partial:
        partial.write_text(content, encoding="utf-8")
    print(f"{text}\n\npage: {page}\nnumbers: {numbers}")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write comma-separated values with six digits; what is not a number is empty."""
    with replacing(path) as partial:
        table.to_csv(partial, index=False, float_format="%.6g", lineterminator="\n")
