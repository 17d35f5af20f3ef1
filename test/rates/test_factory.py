import pytest
import torch

from botorch_popbo.presets import PresetName, get_preset
from botorch_popbo.rates import GaussianProcessRate, MLPRate, make_rate


@pytest.mark.parametrize(
    ("preset", "kind"),
    [("default", GaussianProcessRate), ("paper", MLPRate), ("exact", MLPRate)],
)
def test_the_preset_decides(preset: PresetName, kind: type) -> None:
    X, counts = torch.eye(3).double(), torch.arange(3.0).double()
    exposure = torch.full_like(counts, 2.0)
    rate = make_rate(get_preset(preset), X, counts, exposure, num_points=3, seed=4)
    assert isinstance(rate, kind)
    rate.fit()
    posterior = rate.rank_posterior(X)
    assert posterior.exposure == 3.0
    assert posterior.mean.shape == (3, 1)
    assert rate.log_likelihood().shape == ()
    if isinstance(rate, MLPRate):
        assert rate.seed == 4
