"""Calls a user's function that draws what judges see."""

import runpy
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from threading import Event

from loky import ProcessPoolExecutor


@dataclass(frozen=True)
class Drawn:
    """What is shown: a file, or else a text; or why there is nothing to show."""

    file: Path | None = None
    text: str = ""
    error: str = ""


class Drawer:
    """Draws in processes of its own, as the user's function may crash or never return.

    One draws what is waited for, and the other what may be next.

    Args:
        path: The file of the function.
        name: Its name.
        folder: Where files are drawn to.
        limit: Seconds that a drawing may take.
    """

    def __init__(self, path: Path, name: str, folder: Path, limit: float) -> None:
        self._what, self._limit = (path, name, folder), limit
        self._processes = [_process(), _process()]
        self._thread = ThreadPoolExecutor(1)  # so that the limit is of one drawing
        self._ahead: dict[str, Future[Drawn]] = {}

    def draw(self, parameters: Mapping[str, object], stop: Event) -> Drawn:
        """What the function draws, unless it fails, takes too long, or it is time to stop."""
        future = self._ahead.pop(repr(parameters), None)
        # What has not begun yet is for other answers than the one that was given.
        self._ahead = {key: other for key, other in self._ahead.items() if not other.cancel()}
        if future is None or future.cancel():
            return self._draw(0, parameters, stop)
        return future.result()

    def draw_ahead(self, parameters: Mapping[str, object], stop: Event) -> None:
        """Draw in the background, after all that is drawn there, what may be asked for next."""
        key = repr(parameters)
        if key not in self._ahead:
            self._ahead[key] = self._thread.submit(self._draw, 1, parameters, stop)

    def close(self) -> None:
        """End what is being drawn."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.shutdown(kill_workers=True)

    def _draw(self, place: int, parameters: Mapping[str, object], stop: Event) -> Drawn:
        process = self._processes[place]
        future = process.submit(_draw, *self._what, dict(parameters))
        end = time.monotonic() + self._limit
        while time.monotonic() < end and not stop.is_set():
            try:
                return future.result(0.2)
            except TimeoutError:
                continue
            except BrokenExecutor:
                break
        process.shutdown(kill_workers=True)
        self._processes[place] = _process()
        return Drawn(error=f"it ended its process, or took more than {self._limit:g} seconds")


def _process() -> ProcessPoolExecutor:
    """One that begins with the first drawing, and keeps what the file has loaded.

    Ctrl-C is for the command alone. If that is killed, the process ends itself after so many
    seconds.
    """
    return ProcessPoolExecutor(1, timeout=600, initializer=signal, initargs=(SIGINT, SIG_IGN))


def _draw(path: Path, name: str, folder: Path, parameters: Mapping[str, object]) -> Drawn:
    """What a file's function draws; files have a new folder in another one."""
    try:
        return _kept(_function(path, name)(**parameters), Path(mkdtemp(dir=folder), "drawn"))
    except BaseException as error:  # SystemExit, too
        return Drawn(error=f"{type(error).__name__}: {error}")


@cache
def _function(path: Path, name: str) -> Callable[..., object]:
    sys.path.insert(0, str(path.parent))
    return runpy.run_path(str(path))[name]


def _kept(drawn: object, stem: Path) -> Drawn:
    """Text as it is, and anything else as a file."""
    if isinstance(drawn, str):
        return Drawn(text=drawn)
    if isinstance(drawn, Path):
        return Drawn(Path(shutil.copyfile(drawn, stem.with_suffix(drawn.suffix))))
    if isinstance(drawn, tuple) and len(drawn) == 2:
        return Drawn(_sound(*drawn, stem.with_suffix(".wav")))
    # Pillow's images, and Matplotlib's figures.
    save = getattr(drawn, "savefig", None) or getattr(drawn, "save", None)
    if save is None:
        raise TypeError(
            "return an image, a figure, a text, the Path of a file, or (rate, samples) of a sound, "
            f"not {drawn!r:.80}"
        )
    save(stem.with_suffix(".png"))
    return Drawn(stem.with_suffix(".png"))


def _sound(rate: float, samples: object, path: Path) -> Path:
    """Samples from -1 to 1, so many a second."""
    import numpy as np
    from scipy.io import wavfile

    whole = np.clip(np.asarray(samples, dtype=float), -1.0, 1.0) * 32767
    wavfile.write(path, int(rate), whole.astype("<i2"))
    return path
