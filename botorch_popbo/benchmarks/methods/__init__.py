"""The registry of methods: one file for each family."""

from botorch_popbo.benchmarks.methods import (
    ablations,
    ax_default,
    bohamiann,
    bohb,
    bore,
    botorch_gp,
    cmaes,
    eubo,
    evolution,
    gp,
    gp_mlp,
    gp_peers,
    hebo,
    hyperopt,
    optuna,
    popbo,
    ppbo,
    random,
    reinforce,
    skopt,
    smac,
    sobol,
    turbo,
)
from botorch_popbo.benchmarks.methods.base import Method, Optimizer, Suggestion

METHODS: dict[str, Method] = {
    method.name: method
    for family in (
        popbo,
        gp,
        botorch_gp,
        random,
        sobol,
        gp_peers,
        ax_default,
        gp_mlp,
        turbo,
        eubo,
        ppbo,
        optuna,
        hyperopt,
        skopt,
        smac,
        hebo,
        cmaes,
        bore,
        bohamiann,
        bohb,
        evolution,
        reinforce,
        ablations,
    )
    for method in family.METHODS
}

__all__ = ["METHODS", "Method", "Optimizer", "Suggestion"]
