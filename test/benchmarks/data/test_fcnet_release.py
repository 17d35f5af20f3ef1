import tarfile
from pathlib import Path

import pytest

from botorch_popbo.benchmarks.data._fcnet_release import release_files
from botorch_popbo.benchmarks.data.fcnet import DATA_SETS
from botorch_popbo.benchmarks.errors import UsageError

from .conftest import hdf5_path


def test_an_archive_gives_the_files_one_at_a_time(release: Path, archive: Path) -> None:
    before: list[Path] = []
    for data_set, path in release_files(archive):
        assert path.read_bytes() == hdf5_path(release, data_set).read_bytes()
        assert not any(earlier.exists() for earlier in before)
        before.append(path)
    assert len(before) == len(DATA_SETS)
    assert not before[-1].parent.exists()


@pytest.mark.parametrize("prefix", ["../../", "/", "../release/"])
def test_paths_in_an_archive_have_no_effect(release: Path, tmp_path: Path, prefix: str) -> None:
    hostile = tmp_path / "hostile.tar"
    with tarfile.open(hostile, "w") as tar:
        for data_set in DATA_SETS:
            path = hdf5_path(release, data_set)
            member = tar.gettarinfo(path)
            member.name = f"{prefix}{path.name}"
            with path.open("rb") as file:
                tar.addfile(member, file)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert [data_set for data_set, _ in release_files(hostile)] == list(DATA_SETS)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_file_that_is_there_twice(release: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.tar"
    with tarfile.open(path, "w") as tar:
        for folder in ("a", "b"):
            tar.add(release, folder)
    with pytest.raises(UsageError, match="twice"):
        list(release_files(path))


@pytest.mark.parametrize("part", [0.0, 0.001, 0.5, 0.999])
def test_a_truncated_archive(archive: Path, part: float) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content[: int(part * len(content))])
    with pytest.raises(UsageError, match=r"cannot be unpacked|does not hold all"):
        list(release_files(archive))


def test_a_link_is_no_file_of_the_release(release: Path, tmp_path: Path) -> None:
    path = hdf5_path(release, "slice_localization")
    path.symlink_to(path.rename(tmp_path / "elsewhere"))
    archive = tmp_path / "linked.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(release, "release")
    with pytest.raises(UsageError, match="no fcnet_slice_localization_data"):
        list(release_files(archive))


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.tar.gz", "there is no file or folder"), (".", "all of the release: no fcnet_naval")],
)
def test_a_missing_source(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(release_files(tmp_path / name))
