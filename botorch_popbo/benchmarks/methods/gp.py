"""Value-based Bayesian optimization: BoTorch's Gaussian process."""

from typing import Literal

from ax.generation_strategy.generation_strategy import GenerationStrategy

from botorch_popbo.ax import gp_generation_strategy
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.strategy import strategy_method


def _method(acquisition: Literal["logei", "ucb"], title: str) -> Method:
    def build(initial: int, seed: int) -> GenerationStrategy:
        return gp_generation_strategy(
            acquisition=acquisition, num_initial_trials=initial, seed=seed
        )

    description = f"Gaussian process over values, {title}"
    return strategy_method(f"gp-{acquisition}", description, "gp", build)


METHODS = (
    _method("logei", "log expected improvement"),
    _method("ucb", "upper confidence bound"),
)
