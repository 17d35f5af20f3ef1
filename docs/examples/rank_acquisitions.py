"""ERI and R-LCB on the default model, as Ax's users get them, for ``popbo compare --methods``."""

from functools import partial

from botorch_popbo.benchmarks.methods import Method
from botorch_popbo.benchmarks.methods.strategies import own_strategy


def eri() -> Method:
    """Expected ranking improvement."""
    return _on_default("eri")


def rlcb() -> Method:
    """Lower confidence bound of the rank."""
    return _on_default("rlcb")


def _on_default(acquisition: str) -> Method:
    start = partial(own_strategy, "default", acquisition)
    return Method(f"default-{acquisition}", f"ranks: default preset, {acquisition}", start)
