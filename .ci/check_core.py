"""Fail unless the installed package works without Ax and installs nothing but itself."""

import re
import sys
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

[page] = sys.argv[1:]
if find_spec("ax"):
    sys.exit("Ax is installed: this checks the package without it")

folders = {path.parts[0] for path in files("botorch-popbo") if ".." not in path.parts}
stray = {folder for folder in folders if not folder.startswith("botorch_popbo")}
scripts = {path.name for path in files("botorch-popbo") if ".." in path.parts}
if stray or scripts != {"popbo"}:
    sys.exit(f"installed beside the package: {sorted(stray)}, scripts {sorted(scripts)}")

blocks = re.findall(r"```python\n(.*?)```", Path(page).read_text(encoding="utf-8"), re.DOTALL)
[example] = [block for block in blocks if "optimize_acqf" in block]
exec(compile(example, page, "exec"), {})
print(f"the BoTorch example of {page} runs without Ax; only botorch_popbo is installed")
