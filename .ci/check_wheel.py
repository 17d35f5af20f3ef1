"""Fail unless a wheel holds the package and nothing else."""

import sys
import zipfile
from pathlib import Path

[path] = sys.argv[1:]
names = zipfile.ZipFile(path).namelist()
stray = [n for n in names if not n.startswith("botorch_popbo/") and ".dist-info/" not in n]
package = Path(__file__).parent.parent / "botorch_popbo"
suffixes = [".py", ".typed", ".toml", ".mplstyle", ".html", ".css", ".js", ".json"]
kept = (path for path in package.rglob("*") if path.suffix in suffixes)
missing = {str(path.relative_to(package.parent)) for path in kept} - set(names)
if stray or missing:
    sys.exit(f"{path}: unexpected {stray}, missing {sorted(missing)}")
print(f"{path}: {len(names)} files, all of them botorch_popbo")
