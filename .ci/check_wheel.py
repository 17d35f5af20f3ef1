"""Fail unless a wheel holds the package and nothing else."""

import sys
import zipfile

[path] = sys.argv[1:]
names = zipfile.ZipFile(path).namelist()
stray = [n for n in names if not n.startswith("botorch_popbo/") and ".dist-info/" not in n]
missing = {"botorch_popbo/__init__.py", "botorch_popbo/py.typed"} - set(names)
if stray or missing:
    sys.exit(f"{path}: unexpected {stray}, missing {sorted(missing)}")
print(f"{path}: {len(names)} files, all of them botorch_popbo")
