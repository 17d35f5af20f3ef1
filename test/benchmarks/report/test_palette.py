from botorch_popbo.benchmarks.methods import METHODS
from botorch_popbo.benchmarks.report import _palette as palette


def test_methods_differ_in_how_they_are_drawn() -> None:
    assert len({(palette.color(name), palette.dash(name)) for name in METHODS}) == len(METHODS)


def test_the_first_methods_differ_in_colour() -> None:
    assert len({palette.color(name) for name in list(METHODS)[:30]}) == min(len(METHODS), 30)
