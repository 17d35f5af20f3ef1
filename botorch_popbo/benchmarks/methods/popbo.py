"""This package's rank-based Bayesian optimization."""

from typing import Literal

from ax.generation_strategy.generation_strategy import GenerationStrategy

from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.strategy import strategy_method


def _method(acquisition: Literal["eri", "rlcb"], title: str) -> Method:
    def build(initial: int, seed: int) -> GenerationStrategy:
        return popbo_generation_strategy(
            acquisition=acquisition, num_initial_trials=initial, seed=seed
        )

    description = f"Poisson process over ranks, {title}"
    return strategy_method(f"popbo-{acquisition}", description, "popbo", build)


METHODS = (
    _method("eri", "expected ranking improvement"),
    _method("rlcb", "rectified lower confidence bound"),
)
