import mpmath
import pytest
import torch

from botorch_popbo.likelihoods import normal

INF = torch.inf
LOWER = [-INF, -1.0, 0.5, 5.0, 8.0, -9.0, 30.0, -INF]
UPPER = [0.3, 2.0, INF, 5.001, 9.0, -8.0, 31.0, INF]


@pytest.mark.parametrize(("dtype", "rtol"), [(torch.float64, 1e-10), (torch.float32, 1e-4)])
def test_it_keeps_its_digits_in_both_tails(dtype: torch.dtype, rtol: float) -> None:
    lower, upper = torch.tensor(LOWER, dtype=dtype), torch.tensor(UPPER, dtype=dtype)
    found = normal.log_prob_between(lower, upper)
    with mpmath.workdps(500):
        ends = zip(lower.tolist(), upper.tolist(), strict=True)
        exact = [float(mpmath.log(mpmath.ncdf(b) - mpmath.ncdf(a))) for a, b in ends]
    torch.testing.assert_close(found, torch.tensor(exact, dtype=dtype), rtol=rtol, atol=1e-12)
    torch.testing.assert_close(normal.log_prob_between(-upper, -lower), found)


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 1.0), (-INF, 0.3), (1.0, INF), (-INF, INF), (-INF, -INF)]
)
def test_every_end_has_a_slope(low: float, high: float) -> None:
    ends = torch.tensor([low, high], dtype=torch.float64, requires_grad=True)
    found = normal.log_prob_between(ends[0], ends[1])
    (slope,) = torch.autograd.grad(found, ends)
    assert found.isfinite()
    assert slope.isfinite().all()
    assert (slope[ends.isinf()] == 0.0).all()
