"""Methods that draw points without looking at the outcomes."""

from collections.abc import Callable

from ax.api.client import Client

from botorch_popbo.benchmarks.methods.base import Method, Suggest, Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Parameters, Setting

#: Draws the point of a trial, given its index.
Draw = Callable[[Problem, Setting, int], Parameters]


def drawn_method(name: str, description: str, draw: Draw) -> Method:
    """Make a method that attaches points of its own to the client.

    Args:
        name: The name in the registry; its trials carry it as generator.
        description: One line for a list of methods.
        draw: Draws a point as a function of its arguments alone.

    Returns:
        The method.
    """

    def start(client: Client, problem: Problem, setting: Setting) -> Suggest:
        def suggest(trial: int) -> Suggestion:
            parameters = draw(problem, setting, trial)
            return Suggestion(client.attach_trial(dict(parameters)), parameters, name)

        return suggest

    return Method(name, description, name, start)
