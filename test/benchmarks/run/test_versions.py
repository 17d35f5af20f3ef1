import subprocess
from pathlib import Path
from shutil import which

import pytest

from botorch_popbo.benchmarks.run.versions import commit


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    if which("git") is None:
        pytest.skip("there is no git")
    package = tmp_path / "package"
    package.mkdir()
    (package / "module.py").write_text("a = 1")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    commit.cache_clear()
    return package


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
def test_a_checkout_is_its_commit(checkout: Path, changed: str, folder: str, expected: str) -> None:
    path = checkout.parent / changed
    path.parent.mkdir(exist_ok=True)
    path.write_text("a = 2")
    head = git(checkout, "rev-parse", "HEAD")
    assert commit(checkout.parent / folder) == expected.format(head=head)
