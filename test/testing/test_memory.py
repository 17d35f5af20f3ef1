import torch

from botorch_popbo.testing.memory import LargestTensor


def test_the_largest_of_all_results_counts_and_views_are_none() -> None:
    ones = torch.ones(100)
    with LargestTensor() as watch:
        ones.expand(1000, 100).sum()
        assert watch.num_bytes <= 100 * 4
        matrix = ones.outer(ones)
        matrix.sum()
    assert watch.num_bytes == 100 * 100 * 4
    torch.ones(1000, 1000)
    assert watch.num_bytes == 100 * 100 * 4  # the context has ended
