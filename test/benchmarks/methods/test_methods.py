import pytest

from botorch_popbo.benchmarks.methods import METHODS


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("popbo-eri", "popbo-eri"),
        ("popbo-rlcb", "popbo-rlcb"),
        ("gp-logei", "gp-logei"),
        ("gp-ucb", "gp-ucb"),
        ("botorch-gp", "botorch-gp"),
        ("botorch-robust-gp", "botorch-robust-gp"),
        ("botorch-gp-lcb", "botorch-gp-lcb"),
        ("ax-default", "BoTorch"),
        ("turbo", "turbo"),
        ("hebo", "hebo"),
        ("random", "random"),
        ("sobol", "sobol"),
    ],
)
def test_a_fallback_is_told_from_the_methods_own(name: str, own: str) -> None:
    assert METHODS[name].name == name
    assert not METHODS[name].is_fallback(own)
    assert METHODS[name].is_fallback("Sobol")
