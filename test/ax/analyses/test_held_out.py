import pandas as pd
import pytest
import torch

from botorch_popbo import RankingGP
from botorch_popbo.ax.analyses.held_out import MAX_FOLDS, coverage, held_out_ranks


def fitted(num_points: int) -> RankingGP:
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 2, generator=generator, dtype=torch.float64)
    return RankingGP(X, -(X - 0.4).square().sum(-1, keepdim=True)).fit()


def test_observed_ranks_are_among_the_points_outside_the_fold() -> None:
    model = fitted(MAX_FOLDS + 5)
    df = held_out_ranks(model)
    X, Y = model.train_inputs[0], model.train_targets
    order = sorted(range(len(X)), key=lambda i: X[i].tolist())  # that of model.order
    outcomes = Y[order]
    for i, row in df.iterrows():
        others = df.index[df["fold"] != row["fold"]]
        assert row["num_compared"] == len(others)
        assert row["observed"] == int((outcomes[others.tolist()] > outcomes[i]).sum())


def test_the_model_itself_is_left_as_it_was() -> None:
    model = fitted(6)
    before = {name: value.clone() for name, value in model.named_parameters()}
    held_out_ranks(model)
    for name, value in model.named_parameters():
        assert torch.equal(before[name], value)


def test_coverage_counts_both_ends() -> None:
    df = pd.DataFrame(
        {"observed": [0, 1, 2, 3], "lower_50": [0, 0, 0, 0], "upper_50": [0, 0, 2, 2]}
    )
    assert coverage(df, 0.5) == pytest.approx(0.5)
