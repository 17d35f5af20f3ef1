"""Optuna's own tests of a sampler, all of them that are about samplers of several objectives."""

from collections.abc import Callable

import pytest

from botorch_popbo.optuna import PoPBOSampler

pytestmark = pytest.mark.filterwarnings("ignore:All outcomes are equal")

# Versions before 5.0 keep their tests to themselves.
suite = pytest.importorskip("optuna.testing.pytest_samplers")


class TestPoPBOSampler(
    suite.BasicSamplerTestCase, suite.RelativeSamplerTestCase, suite.MultiObjectiveSamplerTestCase
):
    @pytest.fixture
    def sampler(self) -> Callable[[], PoPBOSampler]:
        # The model takes over as soon as it can, so that it is the model that is tested.
        return lambda: PoPBOSampler(seed=0, n_startup_trials=1)
