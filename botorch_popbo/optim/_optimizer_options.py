"""Options of BoTorch's optimizers for rank acquisition functions."""

from typing import Any

from botorch_popbo.optim.generation import gen_candidates
from botorch_popbo.optim.initial_conditions import (
    constrained_initial_conditions,
    rank_initial_conditions,
)

#: Options of each optimizer by name. Both models are evaluated for hundreds of points as fast as
#: for a few, so starts are screened in one batch. A network's maxima have kinks, where a long line
#: search or a retry gains nothing, and their values are ranks, of which 0.002 do not matter.
OPTIMIZER_OPTIONS: dict[str, dict[str, Any]] = {
    "optimize_acqf": {
        "num_restarts": 16,
        "raw_samples": 512,
        "ic_generator": constrained_initial_conditions,
        "gen_candidates": gen_candidates,
        "retry_on_optimization_warning": False,
        "options": {"init_batch_limit": 512, "batch_limit": 16, "factr": 1e13, "maxls": 4},
    },
    "optimize_acqf_mixed": {
        "num_restarts": 8,
        "raw_samples": 256,
        "ic_generator": constrained_initial_conditions,
        "retry_on_optimization_warning": False,
        "options": {"init_batch_limit": 256, "batch_limit": 8, "maxiter": 50},
    },
    "optimize_acqf_mixed_alternating": {
        "num_restarts": 8,
        "raw_samples": 512,
        "options": {"init_batch_limit": 512, "maxiter_alternating": 8},
    },
}

# A Gaussian process is smooth, and its maxima get narrower as the search converges. The search ends
# where a step gains a relative 2e-4 of the logarithm; SciPy's 2e-9 takes longer and gains 1e-5.
_SMOOTH_OPTIONS: dict[str, Any] = {
    "num_restarts": 4,
    "ic_generator": rank_initial_conditions,
    "options": {"maxiter": 60, "factr": 1e12},
}


def default_options(optimizer: str, is_smooth: bool) -> dict[str, Any]:
    """The options of one optimizer.

    Args:
        optimizer: Its name in BoTorch.
        is_smooth: Whether the acquisition function has no kinks, which a network's has.

    Returns:
        Its keyword arguments; none for an optimizer that looks at every point of a discrete space.
    """
    options = dict(OPTIMIZER_OPTIONS.get(optimizer, {}))
    if optimizer == "optimize_acqf" and is_smooth:
        options |= _SMOOTH_OPTIONS
    return options
