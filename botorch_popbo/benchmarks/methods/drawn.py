"""Methods that draw points without looking at the outcomes."""

from collections.abc import Callable
from functools import partial

from botorch_popbo.benchmarks.methods.base import Method, Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting

#: Draws the point of a trial, given its index.
Draw = Callable[[Problem, Setting, int], Parameters]


def drawn_method(name: str, description: str, draw: Draw) -> Method:
    """Make a method of a function that draws points.

    Args:
        name: The name in the registry; its trials carry it as generator.
        description: One line for a list of methods.
        draw: Draws a point as a function of its arguments alone.

    Returns:
        The method.
    """
    return Method(name, description, name, partial(_Drawn, draw))


class _Drawn:
    def __init__(self, draw: Draw, problem: Problem, setting: Setting) -> None:
        self.draw = draw
        self.problem = problem
        self.setting = setting

    def suggest(self, trial: int) -> Suggestion:
        point = self.draw(self.problem, self.setting, trial)
        return Suggestion(point, self.setting.method)

    def observe(self, parameters: Parameters, observed: float) -> None:
        pass
