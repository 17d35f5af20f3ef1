"""Quasi-random search: a scrambled Sobol sequence."""

from botorch_popbo.benchmarks.methods.drawn import drawn_method
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import sobol_point
from botorch_popbo.benchmarks.settings import Parameters, Setting


def _draw(problem: Problem, setting: Setting, trial: int) -> Parameters:
    index = trial - setting.initial
    return sobol_point(problem.parameters, problem.name, setting.seed, index)


METHODS = (drawn_method("sobol", "points of a scrambled Sobol sequence", _draw),)
