"""A file is written whole or not at all, here by a search that is saved."""

import errno
import os
import socket
import stat
from pathlib import Path

import pytest

from botorch_popbo import PreferenceSearch

SEARCH = PreferenceSearch({"x": (0.0, 1.0)})


def test_a_file_appears_or_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    SEARCH.save(path)
    content = path.read_text()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: 1 / 0)  # after the whole content is written
        with pytest.raises(ZeroDivisionError):
            PreferenceSearch({"other": (0.0, 1.0)}).save(path)
        patch.setattr(Path, "write_text", full_disk)
        patch.setattr(Path, "write_bytes", full_disk)
        with pytest.raises(OSError, match=f"No space left on device: '{path}'$"):
            SEARCH.save(path)
    assert path.read_text() == content
    assert list(tmp_path.iterdir()) == [path]


def full_disk(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_link_stays_one_and_who_may_read_stays(tmp_path: Path) -> None:
    path, target = tmp_path / "link.json", tmp_path / "elsewhere" / "file.json"
    target.parent.mkdir()
    path.symlink_to(target)
    SEARCH.save(path)
    target.chmod(0o600)
    SEARCH.save(path)
    assert path.is_symlink()
    assert list(target.parent.iterdir()) == [target]
    assert target.stat().st_mode & 0o777 == 0o600
    assert PreferenceSearch.load(path).num_items == 2


def test_what_is_no_regular_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket has a short name
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("circle").symlink_to("circle")
    Path("link").symlink_to("pipe")
    if os.geteuid() == 0:
        os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        before = {path: path.lstat().st_mode for path in tmp_path.iterdir()}
        for path in before:
            with pytest.raises(OSError, match=f"Name a regular or a new file.*{path.name}"):
                SEARCH.save(path)
    assert before == {path: path.lstat().st_mode for path in tmp_path.iterdir()}
