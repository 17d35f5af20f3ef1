"""Predictions of evaluated points by models that have not seen them."""

import pandas as pd
import torch
from torch import Tensor

from botorch_popbo.ax.analyses.summaries import interval_columns, summarize_ranks
from botorch_popbo.data import Order
from botorch_popbo.models import RankModel

#: Models fitted at most; up to so many points, each is left out alone.
MAX_FOLDS = 20

#: Probabilities of the central intervals.
LEVELS = (0.5, 0.9)


def held_out_ranks(model: RankModel) -> pd.DataFrame:
    """Cross-validate a model of measured outcomes.

    Replicates are merged first, so no copy of a held-out point is learned from. The folds depend
    on the points alone, and every refit starts from the prior, as the model's own did.

    Args:
        model: A model fitted to outcomes of at least three distinct points.

    Returns:
        One row for each of the ``m`` distinct points, in the order of ``model.rank_counts``:

        - ``fold``: number of the fold;
        - ``num_compared``: number of points outside the fold, among which the counts are;
        - ``observed``: how many of them are better;
        - ``predicted``: how many the model expects to be better than a new outcome at the point;
        - ``lower_50``, ``upper_50``, ``lower_90``, ``upper_90``: ends of the central intervals.
    """
    assert model.order is not None
    X = model.order.X
    # Neighbours in lexicographic order go to different folds.
    fold = torch.arange(len(X), device=X.device) % MAX_FOLDS
    frames = [_predict(model, model.order, fold == k) for k in fold.unique()]
    df = pd.concat(frames).sort_index()
    df.insert(0, "fold", fold.tolist())
    return df


def coverage(df: pd.DataFrame, level: float) -> float:
    """Share of the observed counts that lie in their interval, ends included.

    Args:
        df: Counts as :func:`held_out_ranks` returns them.
        level: Probability of the interval, one of :data:`LEVELS`.

    Returns:
        A number between 0 and 1.
    """
    lower, upper = interval_columns(level)
    return float(df["observed"].between(df[lower], df[upper]).mean())


def _predict(model: RankModel, order: Order, held_out: Tensor) -> pd.DataFrame:
    score = order.score
    known = Order.from_scores(order.X[~held_out], score[~held_out], order.variance[~held_out])
    refitted = model.with_order(known).fit()
    posterior = refitted.rank_posterior(order.X[held_out], observation_noise=True)
    df = summarize_ranks(posterior, LEVELS)
    better = known.score > score[held_out].unsqueeze(-1)
    df.insert(0, "observed", better.sum(-1).tolist())
    df.insert(0, "num_compared", known.num_points)
    df.index = held_out.nonzero().squeeze(-1).tolist()
    return df
