"""Laws of rank counts as columns of a data frame."""

import pandas as pd
import torch

from botorch_popbo.posteriors.rank_posterior import RankPosterior


def summarize_ranks(posterior: RankPosterior, levels: tuple[float, ...]) -> pd.DataFrame:
    """Means and central intervals of counts.

    A plain Poisson law also reaches beyond the worst rank: that is the worst rank.

    Args:
        posterior: Laws of the number of better points, for ``q`` points without a batch shape.
        levels: Probabilities of the intervals.

    Returns:
        ``q`` rows with the expected count, ``predicted``, and for a level of 90 % the whole numbers
        ``lower_90`` and ``upper_90``; all in ranks.
    """
    with torch.no_grad():
        columns = {"predicted": posterior.mean}
        for level in levels:
            ends = torch.tensor([0.5 - level / 2.0, 0.5 + level / 2.0]).to(posterior.mean)
            columns |= zip(interval_columns(level), posterior.quantile(ends), strict=True)
        worst = posterior.exposure
        return pd.DataFrame(
            {name: values.squeeze(-1).clamp_max(worst).tolist() for name, values in columns.items()}
        )


def interval_columns(level: float) -> tuple[str, str]:
    """Names of the columns with the ends of an interval.

    Args:
        level: Probability of the interval.

    Returns:
        The lower and the upper end.
    """
    percent = round(100.0 * level)
    return f"lower_{percent}", f"upper_{percent}"
