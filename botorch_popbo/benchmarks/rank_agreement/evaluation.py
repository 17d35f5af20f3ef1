"""One fit, and how well its ranking agrees with the true one."""

from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.rank_agreement.agreement import agreement, ranking
from botorch_popbo.benchmarks.rank_agreement.data import GRID, TRUE_VALUES, observe
from botorch_popbo.benchmarks.rank_agreement.models import MODELS
from botorch_popbo.benchmarks.rank_agreement.results import Result
from botorch_popbo.benchmarks.rank_agreement.study import Setting
from botorch_popbo.benchmarks.threads import one_thread


def evaluate(setting: Setting) -> Result:
    """Fit a model and rank the grid by it; the global random state stays as it is.

    Args:
        setting: The fit.

    Returns:
        The result.

    Raises:
        Exception: Whatever the model raises.
    """
    X, losses = observe(setting.design, setting.noise, setting.deviation, setting.seed)
    # BoTorch draws new starting points from the global generators where a fit fails.
    with one_thread(), with_rng_seed(setting.seed):
        scores = MODELS[setting.model].predict(X, -losses, setting.seed, GRID)
    ranks = ranking(scores.detach().numpy())
    tau = agreement(ranks, ranking(TRUE_VALUES.numpy()))
    return Result(setting, tau, tuple(ranks.tolist()))
