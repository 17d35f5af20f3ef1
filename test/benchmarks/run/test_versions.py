import subprocess
from pathlib import Path
from shutil import which

import pytest

from botorch_popbo.benchmarks.run.versions import commit


def git(folder: Path, words: str) -> str:
    identity = "-c user.name=a -c user.email=a@b -c commit.gpgsign=false"
    command = ["git", "-C", str(folder), *identity.split(), *words.split()]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(which("git") is None, reason="there is no git")
@pytest.mark.parametrize(
    ("changed", "folder", "expected"),
    [
        ("notes.txt", "package", "{head}"),
        ("package/module.py", "package", "{head}+"),
        ("package/new.py", "package", "{head}+"),
        # A package that is installed in another work tree.
        ("venv/module.py", "venv", ""),
    ],
)
def test_a_checkout_is_its_commit(tmp_path: Path, changed: str, folder: str, expected: str) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text("a = 1")
    for words in ("init", "add .", "commit -m first"):
        git(tmp_path, words)
    (tmp_path / changed).parent.mkdir(exist_ok=True)
    (tmp_path / changed).write_text("a = 2")
    head = git(tmp_path, "rev-parse HEAD")
    assert commit(tmp_path / folder) == expected.format(head=head)
