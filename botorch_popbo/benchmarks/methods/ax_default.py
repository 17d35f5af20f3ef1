"""What Ax does by itself.

On spaces of choices its one-hot relaxation may round to evaluated points only; Ax then falls back
on a Sobol sequence. Its place in that sequence is lost with the process: from the second such trial
on, a resumed replication differs from an uninterrupted one.
"""

from ax.api.utils.generation_strategy_dispatch import choose_generation_strategy
from ax.api.utils.structs import GenerationStrategyDispatchStruct
from ax.generation_strategy.generation_strategy import GenerationStrategy

from botorch_popbo.benchmarks.methods.strategy import strategy_method


def _build(initial: int, seed: int) -> GenerationStrategy:
    # Client.configure_generation_strategy with its defaults, but the design has been attached; the
    # center of the space would be one point more.
    options = GenerationStrategyDispatchStruct(
        method="fast",
        initialization_budget=initial,
        initialization_random_seed=seed,
        initialize_with_center=False,
    )
    return choose_generation_strategy(options)


METHODS = (strategy_method("ax-default", "Ax's own choice of a strategy", "BoTorch", _build),)
