"""Fixtures of the acquisition functions."""

import pytest
from helpers.acquisition import OF_RANKS, OF_UTILITIES, Case

MODELS = {
    "short_model": OF_RANKS,
    "long_model": OF_RANKS,
    "gaussian_model": (*OF_RANKS, *OF_UTILITIES),
}


@pytest.fixture(
    params=[
        pytest.param((kind, model), id=f"{kind.__name__}-{model}")
        for model, kinds in MODELS.items()
        for kind in kinds
    ]
)
def case(request: pytest.FixtureRequest) -> Case:
    """Every acquisition function on every model that it supports."""
    kind, model = request.param
    return Case(kind, request.getfixturevalue(model))


@pytest.fixture
def only_known_points_are_near(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shrink the neighbourhood of known points, to see the plain value everywhere else."""
    for name in ("short_model", "long_model"):
        monkeypatch.setattr(request.getfixturevalue(name), "known_radius", 0.001)
