"""Calls a user's function that draws what judges see."""

import mimetypes
import runpy
import shutil
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from threading import Lock

from loky import ProcessPoolExecutor

from botorch_popbo._errors import UsageError

#: What a page can show, by the beginning of its media type.
_KINDS = {"image/": "image", "audio/": "audio", "video/": "video", "text/html": "page"}


@dataclass(frozen=True)
class Drawn:
    """What is shown.

    Attributes:
        kind: ``"text"``, ``"image"``, ``"audio"``, ``"video"`` or ``"page"`` (of HTML); empty if
            there is nothing to show.
        text: The text, or why there is nothing.
        file: The file of anything else.
    """

    kind: str
    text: str = ""
    file: Path | None = None


class Drawer:
    """Draws each thing once, in a process of its own: the function may crash or never return.

    Args:
        path: The file of the function.
        name: Its name.
        folder: Where files are drawn to.
        limit: Seconds that a drawing may take.
    """

    def __init__(self, path: Path, name: str, folder: Path, limit: float) -> None:
        self._what, self._limit = (path, name, folder), limit
        self._lock, self._drawn, self._is_closed = Lock(), dict[str, Drawn](), False
        self._process = _process()

    def draw(self, values: Mapping[str, object]) -> Drawn:
        """What the function draws, or why it does not."""
        key = repr(values)
        if key not in self._drawn:  # what is drawn does not wait for what is being drawn
            with self._lock:
                if key not in self._drawn:
                    self._drawn[key] = drawn = self._draw(dict(values))
                    if not drawn.kind:
                        print(f"{values} is not shown: {drawn.text}", file=sys.stderr)
        return self._drawn[key]

    def close(self) -> None:
        """End what is being drawn, and draw no more."""
        self._is_closed = True
        self._process.shutdown(kill_workers=True)

    def _draw(self, values: dict[str, object]) -> Drawn:
        try:
            return self._process.submit(_draw, *self._what, values).result(self._limit)
        except (TimeoutError, BrokenExecutor):
            if self._is_closed:
                raise
            self._process.shutdown(kill_workers=True)
            self._process = _process()
        return Drawn("", f"it ended its process, or took more than {self._limit:g} seconds")


def _process() -> ProcessPoolExecutor:
    """One that begins with the first drawing, and keeps what the file has loaded.

    Ctrl-C is for the command alone. If that is killed, the process ends itself after so many
    seconds.
    """
    return ProcessPoolExecutor(1, timeout=600, initializer=signal, initargs=(SIGINT, SIG_IGN))


def _draw(path: Path, name: str, folder: Path, values: Mapping[str, object]) -> Drawn:
    """What a file's function draws; files have a new folder in another one."""
    try:
        return _kept(_function(path, name)(**values), Path(mkdtemp(dir=folder), "drawn"))
    except UsageError:
        raise
    except BaseException as error:  # SystemExit, too
        return Drawn("", f"{type(error).__name__}: {error}")


@cache
def _function(path: Path, name: str) -> Callable[..., object]:
    sys.path.insert(0, str(path.parent))
    if name not in (found := runpy.run_path(str(path))):
        raise UsageError(f"{path.name} has no function {name!r}")
    return found[name]


def _kept(drawn: object, stem: Path) -> Drawn:
    """Text as it is, and anything else as a file."""
    if isinstance(drawn, str):
        return Drawn("text", drawn)
    if isinstance(drawn, Path):
        media = mimetypes.guess_type(drawn.name)[0] or ""
        kind = next((_KINDS[start] for start in _KINDS if media.startswith(start)), "")
        if kind:
            return Drawn(kind, file=Path(shutil.copyfile(drawn, stem.with_suffix(drawn.suffix))))
    if isinstance(drawn, tuple) and len(drawn) == 2:
        return Drawn("audio", file=_sound(*drawn, stem.with_suffix(".wav")))
    # Pillow's images, and Matplotlib's figures.
    save = getattr(drawn, "savefig", None) or getattr(drawn, "save", None)
    if save is None:
        raise TypeError(
            "return an image, a figure, a text, (rate, samples) of a sound, or the Path of a "
            f"picture, sound, film or HTML page, not {drawn!r:.80}"
        )
    save(stem.with_suffix(".png"))
    return Drawn("image", file=stem.with_suffix(".png"))


def _sound(rate: float, samples: object, path: Path) -> Path:
    """Samples from -1 to 1, so many a second."""
    import numpy as np
    from scipy.io import wavfile

    whole = np.clip(np.asarray(samples, dtype=float), -1.0, 1.0) * 32767
    wavfile.write(path, int(rate), whole.astype("<i2"))
    return path
