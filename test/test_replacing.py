import os
import socket
import stat
from pathlib import Path

import pytest

from botorch_popbo._replacing import replacing


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    with replacing(path) as partial:
        partial.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_stays_if_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")

    def write_half() -> None:
        with replacing(path) as partial:
            partial.write_text("ne")
            raise KeyError

    with pytest.raises(KeyError):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_at_the_same_time_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"


def test_a_link_stays_one_and_who_may_read_stays(tmp_path: Path) -> None:
    path, target = tmp_path / "link.txt", tmp_path / "elsewhere" / "file.txt"
    target.parent.mkdir()
    path.symlink_to(target)
    target.touch(0o600)
    for text in ("first", "second"):
        with replacing(path) as partial:
            partial.write_text(text)
        assert path.is_symlink()
        assert target.read_text() == text
    assert list(target.parent.iterdir()) == [target]
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_is_no_regular_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket has a short name
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("circle").symlink_to("circle")
    Path("link").symlink_to("pipe")
    Path("new").symlink_to("target")
    if os.geteuid() == 0:
        os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        before = {path: path.lstat().st_mode for path in tmp_path.iterdir()}
        for path in before.keys() - {tmp_path / "new"}:
            with pytest.raises(OSError, match=f"Name a regular file.*{path.name}"):
                replacing(path).__enter__()
    assert before == {path: path.lstat().st_mode for path in tmp_path.iterdir()}
    with replacing(tmp_path / "new") as partial:
        partial.write_text("text")
    assert (tmp_path / "target").read_text() == Path("new").read_text() == "text"
