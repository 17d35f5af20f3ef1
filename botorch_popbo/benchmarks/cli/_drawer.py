"""Calls a user's function that draws what judges see."""

from collections.abc import Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any

from loky import get_reusable_executor

from botorch_popbo.benchmarks.cli._drawing import Drawn, draw


@dataclass(frozen=True)
class Drawer:
    """Draws in a process of its own, as the user's function may crash or never return.

    Attributes:
        path: The file of the function.
        name: Its name.
        folder: Where files are drawn to.
        limit: Seconds that a drawing may take.
    """

    path: Path
    name: str
    folder: Path
    limit: float

    def draw(self, parameters: Mapping[str, Any]) -> Drawn:
        """Draw, and wait until that is done."""
        # Ctrl-C is for the command alone. The process stays, with what the file has loaded.
        deaf: Any = {"initializer": signal, "initargs": (SIGINT, SIG_IGN)}
        pool = get_reusable_executor(1, timeout=None, **deaf)
        try:
            drawing = pool.submit(draw, self.path, self.name, self.folder, dict(parameters))
            drawn: Drawn = drawing.result(self.limit)
        except (TimeoutError, BrokenExecutor):
            pool.shutdown(kill_workers=True)  # the next drawing begins another
            reason = f"it ended its process, or took more than {self.limit:g} seconds"
            return Drawn(error=reason)
        return drawn
