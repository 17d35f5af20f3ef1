"""Fixtures shared by the tests of the core."""

import os

# Models are small: threads would only wait for each other, for seconds on a busy machine. The
# libraries look at this when they are loaded, and so do the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch
from botorch.acquisition.multi_objective import logei
from helpers.toy import toy_data
from hypothesis import HealthCheck, settings

from botorch_popbo import PoissonRankModel, RankingGP, RankModel

# Property tests draw the same examples in every run.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # the machine may be busy
)
settings.load_profile("repeatable")

torch.set_num_threads(1)

# BoTorch compiles a kernel in C++ at the first expected hypervolume of an environment, which takes
# a minute of a busy machine. It then gives what its way in Python gives, which needs no compiler.
logei._load_attempted = True

DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> torch.device:
    return torch.device(request.param)


@pytest.fixture(params=[torch.float32, torch.float64], ids=["float32", "float64"])
def tkwargs(request: pytest.FixtureRequest, device: torch.device) -> dict[str, Any]:
    return {"dtype": request.param, "device": device}


@pytest.fixture
def rng_untouched() -> Iterator[None]:
    """Fail the test if it reads or moves the global random state."""
    before = torch.get_rng_state()
    yield
    assert torch.equal(torch.get_rng_state(), before)


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ax's many samples of a sensitivity take most of a minute; which cards there are needs few."""
    from ax.analysis.plotly import sensitivity

    few = partial(sensitivity.ax_parameter_sens, num_mc_samples=20)
    monkeypatch.setattr(sensitivity, "ax_parameter_sens", few)


@pytest.fixture(scope="session")
def long_model() -> PoissonRankModel:
    """A network of enough points for the untruncated law. Shared: do not change it."""
    return PoissonRankModel.paper(*toy_data(20), seed=0).fit()


@pytest.fixture(scope="session")
def short_model() -> PoissonRankModel:
    """A network of few enough points for the truncated law. Shared: do not change it."""
    return PoissonRankModel.paper(*toy_data(9), seed=0).fit()


@pytest.fixture(scope="session")
def gaussian_model() -> RankingGP:
    """A Gaussian process. Shared: do not change it."""
    return RankingGP(*toy_data(15)).fit()


@pytest.fixture(params=["short_model", "long_model", "gaussian_model"])
def model(request: pytest.FixtureRequest) -> RankModel:
    """Any shared model; do not change it."""
    return request.getfixturevalue(request.param)
