import pytest
import torch

from botorch_popbo.models._hyperparameters.pairs import Pairs


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_symmetric_matrix_is_its_pairs_and_its_diagonal(number: int) -> None:
    root = torch.rand(number, number, generator=torch.Generator().manual_seed(0)).double()
    matrix = (root + root.T).fill_diagonal_(3.0)
    pairs = Pairs(number, matrix.device)
    entries = pairs.of(matrix)
    assert len(entries) == number * (number - 1) // 2
    assert torch.equal(entries, matrix[pairs.first, pairs.second])
    assert torch.equal(pairs.matrix(entries, diagonal=3.0), matrix)
