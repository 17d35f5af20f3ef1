"""Draws in another process what is shown to judges."""

import runpy
import shutil
import sys
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4


@dataclass(frozen=True)
class Drawn:
    """What is shown: a file, or else a text; or why there is nothing to show."""

    file: Path | None = None
    text: str = ""
    error: str = ""


def draw(path: Path, name: str, folder: Path, parameters: Mapping[str, Any]) -> Drawn:
    """Draw by a function of a Python file, into a folder where it draws a file."""
    try:
        return keep(_function(path, name)(**parameters), folder / uuid4().hex)
    except (Exception, SystemExit) as error:
        return Drawn(error=f"{type(error).__name__}: {error}")


@cache
def _function(path: Path, name: str) -> Callable[..., Any]:
    sys.path.insert(0, str(path.parent))
    function: Callable[..., Any] = runpy.run_path(str(path))[name]
    return function


def keep(drawn: Any, stem: Path) -> Drawn:
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


def _sound(rate: int, samples: Any, path: Path) -> Path:
    """Samples from -1 to 1, so many a second."""
    import numpy as np

    whole = (np.clip(np.asarray(samples, dtype=float), -1.0, 1.0) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1 if whole.ndim == 1 else whole.shape[1])
        file.setsampwidth(2)
        file.setframerate(int(rate))
        file.writeframes(whole.tobytes())
    return path
