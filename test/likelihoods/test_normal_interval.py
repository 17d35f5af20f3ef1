import torch
from scipy.stats import norm

from botorch_popbo.likelihoods import normal_interval

INF = torch.inf


def test_it_keeps_its_digits_in_both_tails() -> None:
    lower = torch.tensor([-INF, -1.0, 0.5, 8.0, -9.0, 30.0]).double()
    upper = torch.tensor([0.3, 2.0, INF, 9.0, -8.0, 31.0]).double()
    log_sf, log_cdf = norm.logsf(lower[2:4]), norm.logcdf(upper[4:5])
    found = normal_interval.log_prob(lower, upper)
    expected = torch.tensor([norm.cdf(0.3), norm.cdf(2.0) - norm.cdf(-1.0)]).log()
    torch.testing.assert_close(found[:2], expected)
    torch.testing.assert_close(found[2:4], torch.tensor(log_sf), rtol=1e-3, atol=0.0)
    torch.testing.assert_close(found[4:5], torch.tensor(log_cdf), rtol=1e-3, atol=0.0)
    assert found.isfinite().all()
    torch.testing.assert_close(normal_interval.log_prob(-upper, -lower), found)
