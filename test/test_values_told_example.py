import pytest
from helpers.examples import import_example


def test_a_seed_has_its_noise_and_its_points(monkeypatch: pytest.MonkeyPatch) -> None:
    example = import_example(monkeypatch, "values_told")
    exact, noisy = (
        [example.regret(3, deviation, 10, seed) for seed in (0, 1)] for deviation in (0.0, 5.0)
    )
    assert exact == [example.regret(3, 0.0, 10, seed) for seed in (0, 1)]
    assert min(*exact, *noisy) > 0.0
    assert sum(exact) < sum(noisy)  # of which the best is any point
