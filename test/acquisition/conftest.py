"""Fixtures of the acquisition functions."""

import pytest

from botorch_popbo.acquisition import rectified


@pytest.fixture
def only_known_points_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrink the neighbourhood of known points, to see the plain value everywhere else."""
    monkeypatch.setattr(rectified, "_KNOWN_RADIUS", 0.001)
