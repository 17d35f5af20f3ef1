import dataclasses

import pytest

from botorch_popbo.presets import get_preset


def test_the_paper_preset_is_what_the_paper_says() -> None:
    preset = get_preset("paper")
    assert preset.hidden_sizes == (128, 128, 128)
    assert (preset.num_steps, preset.batch_size) == (100, 64)
    assert (preset.learning_rate, preset.learning_rate_factor) == (0.01, 0.2)
    assert preset.learning_rate_period == 30
    assert preset.untruncated_from == 12
    assert preset.poisson_deviation


def test_only_the_default_has_a_gaussian_process() -> None:
    assert get_preset("default").rate == "gaussian_process"
    assert get_preset("paper").rate == get_preset("exact").rate == "mlp"
    # To a kernel, two categories are as far apart as the ends of the unit interval.
    assert get_preset("default").category_scale == pytest.approx(0.5**0.5)
    assert get_preset("paper").category_scale == 1.0


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="Unknown preset 'article'; known presets: default"):
        get_preset("article")  # type: ignore[arg-type]


def test_a_preset_cannot_be_changed_for_everyone() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        get_preset("paper").num_steps = 1  # type: ignore[misc]
