"""The registry of methods: one file for each family."""

from botorch_popbo.benchmarks.methods import (
    botorch_gp,
    cmaes,
    gp,
    hebo,
    hyperopt,
    optuna,
    popbo,
    random,
    skopt,
    smac,
    sobol,
)
from botorch_popbo.benchmarks.methods.base import Method, Optimizer, Suggestion

METHODS: dict[str, Method] = {
    method.name: method
    for family in (
        popbo,
        gp,
        botorch_gp,
        optuna,
        hyperopt,
        skopt,
        smac,
        hebo,
        cmaes,
        random,
        sobol,
    )
    for method in family.METHODS
}

__all__ = ["METHODS", "Method", "Optimizer", "Suggestion"]
