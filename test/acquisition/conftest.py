"""Fixtures of the acquisition functions."""

import pytest

from botorch_popbo import MLPRate, PoissonRankModel


@pytest.fixture(params=["short_model", "long_model"])
def model(request: pytest.FixtureRequest) -> PoissonRankModel:
    """Either shared network, for the functions of the paper; do not change it."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def only_known_points_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrink the neighbourhood of known points, to see the plain value everywhere else."""
    monkeypatch.setattr(MLPRate, "known_radius", 0.001)
