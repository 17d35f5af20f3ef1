"""Uniform random search: the initial design, continued."""

from botorch_popbo.benchmarks.methods.drawn import drawn_method
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import uniform_point
from botorch_popbo.benchmarks.settings import Parameters, Setting


def _draw(problem: Problem, setting: Setting, trial: int) -> Parameters:
    return uniform_point(problem.parameters, problem.name, setting.seed, trial)


METHODS = (drawn_method("random", "uniform random points", _draw),)
