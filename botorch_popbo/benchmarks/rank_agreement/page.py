"""The table and the picture as one HTML page that needs no network."""

from base64 import b64encode
from html import escape
from pathlib import Path

from botorch_popbo.replacing import replacing

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>popbo compare: rank agreement</title>
<style>
body {{ font-family: sans-serif; max-width: 1400px; margin: 2em auto; padding: 0 1em; }}
pre {{ background: #f6f6f6; padding: 1em; overflow-x: auto; }}
img {{ max-width: 100%; }}
</style>
</head>
<body>
<h1>popbo compare: rank agreement</h1>
<pre>{table}</pre>
<img alt="Agreement against noise, and predicted rankings" src="data:image/png;base64,{picture}">
</body>
</html>
"""


def write_page(table: str, picture: Path, path: Path) -> None:
    """Write the page.

    Args:
        table: The table as text.
        picture: The file of the picture.
        path: The file to write, replaced if it exists.

    Raises:
        OSError: If the file cannot be written.
    """
    encoded = b64encode(picture.read_bytes()).decode()
    with replacing(path) as partial:
        partial.write_text(_PAGE.format(table=escape(table), picture=encoded), encoding="utf-8")
