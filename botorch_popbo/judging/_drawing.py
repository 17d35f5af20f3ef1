"""Draws in another process what is shown: reads requests and writes answers, a line of JSON each.

Run by path, with a Python file, the name of a function in it and a folder for what it draws.
"""

import json
import os
import runpy
import shutil
import sys
import wave
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve until the standard input ends."""
    # What the user's file prints is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    path, name, folder = sys.argv[1:]
    sys.path.insert(0, str(Path(path).parent))
    render = None
    for number, line in enumerate(sys.stdin):
        try:
            if render is None:
                render = runpy.run_path(path)[name]
            answer = keep(render(**json.loads(line)), Path(folder) / str(number))
        except (Exception, SystemExit) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def keep(drawn: Any, stem: Path) -> dict[str, str]:
    """Text as it is, and anything else as a file."""
    if isinstance(drawn, str):
        return {"text": drawn}
    if isinstance(drawn, Path):
        return {"file": shutil.copyfile(drawn, stem.with_suffix(drawn.suffix)).name}
    if isinstance(drawn, tuple) and len(drawn) == 2:
        return {"file": _sound(*drawn, stem.with_suffix(".wav")).name}
    # Pillow's images, and Matplotlib's figures.
    save = getattr(drawn, "savefig", None) or getattr(drawn, "save", None)
    if save is None:
        raise TypeError(
            "return an image, a figure, a text, the Path of a file, or (rate, samples) of a sound, "
            f"not {drawn!r:.80}"
        )
    target = stem.with_suffix(".png")
    save(target)
    return {"file": target.name}


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


if __name__ == "__main__":
    main()
