"""Calls a user's function that draws what judges see."""

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from threading import Timer
from typing import Any
from weakref import finalize

_DRAWING = Path(__file__).with_name("_drawing.py")


@dataclass(frozen=True)
class Drawn:
    """What is shown: a file, or else a text; or why there is nothing to show."""

    file: Path | None = None
    text: str = ""
    error: str = ""


class Drawer:
    """Draws in a process of its own, as the user's function may crash or never return.

    Args:
        path: The file of the function.
        name: Its name.
        folder: Where files are drawn to.
        limit: Seconds that a drawing may take.
    """

    def __init__(self, path: Path, name: str, folder: Path, limit: float) -> None:
        self._target, self._limit = (str(path), name), limit
        self._parent = self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._thread = ThreadPoolExecutor(1)
        finalize(self, self._thread.shutdown, wait=False, cancel_futures=True)

    def submit(self, parameters: Mapping[str, Any]) -> "Future[Drawn]":
        """Draw as soon as all that was submitted before is drawn."""
        return self._thread.submit(self._draw, json.dumps(parameters))

    def _draw(self, request: str) -> Drawn:
        if self._process is None or self._process.poll() is not None:
            self._process = self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(self._limit, process.kill)
        timer.start()
        try:
            print(request, file=process.stdin, flush=True)
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        if not answer:
            process.kill()
            process.wait()  # so that the next drawing begins another
            return Drawn(error=f"it ended its process, or took more than {self._limit:g} seconds")
        said = json.loads(answer)
        file = self._folder / said["file"] if "file" in said else None
        return Drawn(file, said.get("text", ""), said.get("error", ""))

    def _start(self) -> "subprocess.Popen[str]":
        self._folder = Path(mkdtemp(dir=self._parent))
        command = [sys.executable, str(_DRAWING), *self._target, str(self._folder)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for the command alone
        )
        finalize(self, process.kill)
        return process
