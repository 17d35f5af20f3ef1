"""Fixtures of the acquisition functions."""

import pytest
from helpers.acquisition import OF_RANKS, OF_UTILITIES, Case

CASES = [(kind, "short_model") for kind in OF_RANKS]
CASES += [(kind, "gaussian_model") for kind in (*OF_RANKS, *OF_UTILITIES)]


@pytest.fixture(params=CASES, ids=[f"{kind.__name__}-{model}" for kind, model in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    """Every acquisition function on every model that it supports."""
    kind, model = request.param
    return Case(kind, request.getfixturevalue(model))
