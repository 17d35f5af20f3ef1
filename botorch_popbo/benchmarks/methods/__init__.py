"""The registry of methods: one file for each family."""

from botorch_popbo.benchmarks.methods import gp, popbo, random, sobol
from botorch_popbo.benchmarks.methods.base import Method, Suggestion

METHODS: dict[str, Method] = {
    method.name: method for family in (popbo, gp, random, sobol) for method in family.METHODS
}

__all__ = ["METHODS", "Method", "Suggestion"]
