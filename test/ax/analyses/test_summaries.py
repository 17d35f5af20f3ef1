import math

import pytest
import torch

from botorch_popbo.ax.analyses.summaries import interval_columns, summarize_ranks
from botorch_popbo.paper.posterior import PoissonRankPosterior


def poisson(rates: list[float], exposure: float) -> PoissonRankPosterior:
    log_rate = torch.tensor(rates, dtype=torch.float64).log().unsqueeze(-1)
    return PoissonRankPosterior(log_rate, torch.tensor(exposure), torch.tensor(math.inf))


def test_means_and_intervals_of_a_poisson_law() -> None:
    df = summarize_ranks(poisson([3.0, 0.01], 50.0), (0.5, 0.9))
    assert df.columns.tolist() == ["predicted", "lower_50", "upper_50", "lower_90", "upper_90"]
    assert df["predicted"].tolist() == pytest.approx([3.0, 0.01])
    # The distribution function of rate 3 is .050, .199, .423, .647, .815, .916, .966 at 0 to 6.
    assert df.loc[0].tolist()[1:] == [2.0, 4.0, 1.0, 6.0]
    assert df.loc[1].tolist()[1:] == [0.0, 0.0, 0.0, 0.0]


def test_nothing_is_beyond_the_worst_rank() -> None:
    df = summarize_ranks(poisson([40.0], 12.0), (0.9,))
    assert (df == 12.0).all(axis=None)


def test_columns_are_named_by_percent() -> None:
    assert interval_columns(0.9) == ("lower_90", "upper_90")
