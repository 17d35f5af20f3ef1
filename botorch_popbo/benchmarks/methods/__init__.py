"""The registry of methods: one file for each family."""

from botorch_popbo.benchmarks.methods import botorch_gp, gp, popbo, random, sobol
from botorch_popbo.benchmarks.methods.base import Method, Optimizer, Suggestion

METHODS: dict[str, Method] = {
    method.name: method
    for family in (popbo, gp, botorch_gp, random, sobol)
    for method in family.METHODS
}

__all__ = ["METHODS", "Method", "Optimizer", "Suggestion"]
