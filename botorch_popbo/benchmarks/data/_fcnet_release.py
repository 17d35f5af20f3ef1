"""The HDF5 files of the FCNet release, from a folder or out of the archive."""

import shutil
import tarfile
import zlib
from collections.abc import Generator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from botorch_popbo.benchmarks.data.fcnet import DATA_SETS
from botorch_popbo.benchmarks.errors import UsageError

#: By the name of the file.
_DATA_SETS = {f"fcnet_{data_set}_data.hdf5": data_set for data_set in DATA_SETS}


def release_files(source: Path) -> Generator[tuple[str, Path], None, None]:
    """Yield each data set's name and HDF5 file, from the release's archive or the folder of files.

    Of an archive one file at a time is on disk; it is gone when the next is asked for. Raises
    UsageError if the source or a file in it is missing, or the archive is damaged.
    """
    if source.is_dir():
        _check_all_there(source, {name for name in _DATA_SETS if (source / name).is_file()})
        yield from ((data_set, source / name) for name, data_set in _DATA_SETS.items())
    elif source.is_file():
        yield from _unpacked(source)
    else:
        raise UsageError(f"there is no file or folder {source}")


def _unpacked(archive: Path) -> Generator[tuple[str, Path], None, None]:
    found: set[str] = set()
    try:
        with tarfile.open(archive) as tar, TemporaryDirectory() as folder:
            for member in tar:
                name = PurePosixPath(member.name).name
                content = tar.extractfile(member) if member.isreg() else None
                if content is None or name not in _DATA_SETS:
                    continue
                if name in found:
                    raise UsageError(f"{archive} holds {name} twice")
                found.add(name)
                # Only the content is taken: no path, link or mode in the archive has any effect.
                path = Path(folder) / name
                with content, path.open("wb") as file:
                    shutil.copyfileobj(content, file)
                yield _DATA_SETS[name], path
                path.unlink()
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise UsageError(f"{archive} cannot be unpacked: {error}") from None
    _check_all_there(archive, found)


def _check_all_there(source: Path, found: set[str]) -> None:
    missing = [name for name in _DATA_SETS if name not in found]
    if missing:
        raise UsageError(f"{source} does not hold all of the release: no {', '.join(missing)}")
