import torch
from botorch_popbo.benchmarks.suggestion_speed.matrix_calls import MatrixCalls


def test_operations_on_matrices_are_counted_and_carried_out_again() -> None:
    matrix = torch.eye(4, dtype=torch.float64) * 3.0
    calls = MatrixCalls()
    with calls:
        for _ in range(3):
            factor = torch.linalg.cholesky(matrix)
        torch.cholesky_inverse(factor).exp()
        matrix[:2] @ matrix
        matrix @ matrix
    assert sorted(calls.numbers.values()) == [1, 1, 1, 3]
    assert calls.seconds() > 0.0
    assert torch.equal(matrix, torch.eye(4, dtype=torch.float64) * 3.0)
