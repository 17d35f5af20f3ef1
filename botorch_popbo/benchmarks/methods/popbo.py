"""This package's rank-based Bayesian optimization: through Ax, and in a plain BoTorch loop."""

import math
from typing import Literal

from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.optim import optimize_acqf
from torch import Tensor

from botorch_popbo.acquisition import LogExpectedUtilityImprovement
from botorch_popbo.ax import popbo_generation_strategy
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.strategy import strategy_method
from botorch_popbo.benchmarks.methods.surrogate_loop import maximize, one_hot
from botorch_popbo.benchmarks.methods.tensor_loop import TensorLoop
from botorch_popbo.benchmarks.settings import Parameters
from botorch_popbo.models import PoissonRankModel, UtilityModel
from botorch_popbo.optim import rank_initial_conditions
from botorch_popbo.presets import PresetName


def maximize_in_box(acquisition: LogExpectedUtilityImprovement, bounds: Tensor) -> Tensor:
    """Find the best point where every parameter is a range.

    Args:
        acquisition: What to maximise.
        bounds: Lower and upper bounds, ``2 x d``.

    Returns:
        A point, of shape ``d``.
    """
    best, _ = optimize_acqf(
        acquisition,
        bounds,
        q=1,
        num_restarts=4,
        raw_samples=512,
        ic_generator=rank_initial_conditions,
        # Ends where a step gains a relative 2e-6; the default goes on to 2e-9.
        options={"maxiter": 60, "factr": 1e10},
        retry_on_optimization_warning=False,
    )
    return best[0]


class _Popbo(TensorLoop):
    """The default preset; a failure ranks below every success."""

    def observe_failure(self, parameters: Parameters) -> None:
        self.observe(parameters, math.inf if self.problem.minimize else -math.inf)

    def choose(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        model = PoissonRankModel(X, Y, input_transform=one_hot(self.encoding)).fit()
        incumbent = UtilityModel(model).incumbent
        acquisition = LogExpectedUtilityImprovement(model)
        is_incumbent = (incumbent == X).all(-1)
        if self.encoding.choices:
            best = maximize(acquisition, self.encoding, X, seed)
        else:
            best = maximize_in_box(acquisition, self.encoding.bounds)
        return best, int(is_incumbent.nonzero()[0])


def _method(acquisition: Literal["logei", "eri", "rlcb"], title: str) -> Method:
    preset: PresetName = "default" if acquisition == "logei" else "paper"

    def build(initial: int, seed: int) -> GenerationStrategy:
        return popbo_generation_strategy(
            acquisition=acquisition, num_initial_trials=initial, seed=seed, preset=preset
        )

    return strategy_method(f"popbo-{acquisition}", f"{title}; through Ax", "popbo", build)


METHODS = (
    Method("popbo", "ranks: default preset, in a plain BoTorch loop", "popbo", _Popbo),
    _method("logei", "ranks: default preset"),
    _method("eri", "ranks: paper preset, expected ranking improvement"),
    _method("rlcb", "ranks: paper preset, rectified lower confidence bound"),
)
