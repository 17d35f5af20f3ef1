"""The registry of methods; :mod:`~botorch_popbo.benchmarks.methods.base` says what one is."""

from typing import Any

from botorch_popbo.benchmarks.later import later
from botorch_popbo.benchmarks.methods.base import (
    FailureAware,
    Method,
    Optimizer,
    SequentialOptimizer,
    Suggestion,
    TensorOptimizer,
    UniformDraws,
)

__all__ = [
    "METHODS",
    "FailureAware",
    "Method",
    "Optimizer",
    "SequentialOptimizer",
    "Suggestion",
    "TensorOptimizer",
]


def _popbo(name: str, change: str, **options: Any) -> Method:
    return Method(name, f"ranks: {change}", later("methods.popbo:Popbo", **options))


def _gp(name: str, description: str, kind: str, library: str | None = None) -> Method:
    return Method(name, description, later(f"methods.gaussian_processes:{kind}"), library)


def _optuna(name: str, description: str, sampler: str, **options: Any) -> Method:
    start = later("methods.optuna_samplers:OptunaSampler", f"{sampler}Sampler", **options)
    return Method(name, description, start, "optuna")


def _ax(name: str, description: str, preset: str = "") -> Method:
    """A strategy of this package for Ax; the name ends with the acquisition function's."""
    start = later("methods.strategies:own_strategy", preset, name.split("-")[-1])
    return Method(name, f"{description}, through Ax", start)


_ax_default, _cmaes = later("methods.strategies:AxDefault"), later("methods.cma_es:CMAES")
_smac, _hebo = (later(f"methods.own_process:{name}") for name in ("smac", "hebo"))

_ALL = (
    _popbo("popbo", "default preset, in a plain BoTorch loop"),
    _popbo("popbo-untold", "the same, without knowing what is exact", is_told=False),
    _popbo("popbo-order", "the same, by the order alone", is_told=False, order=True),
    _optuna("popbo-optuna", "ranks: the sampler for Optuna", "PoPBO"),
    _ax("popbo-logei", "ranks: default preset", "default"),
    _ax("popbo-eri", "ranks: paper preset, expected ranking improvement", "paper"),
    _ax("popbo-rlcb", "ranks: paper preset, rectified lower confidence bound", "paper"),
    _ax("gp-logei", "Gaussian process over values, analytic log EI"),
    _ax("gp-ucb", "Gaussian process over values, upper confidence bound"),
    _gp("botorch-gp", "BoTorch's SingleTaskGP, log expected improvement", "GaussianProcess"),
    _gp("gp-copula", "BoTorch's SingleTaskGP on normal scores of ranks", "Copula"),
    _gp(
        "gp-nuts", "Gaussian process with hyperparameters drawn by NUTS", "FullyBayesian", "numpyro"
    ),
    Method("ax-default", "Ax's default strategy", _ax_default),
    Method("random", "uniform random points", UniformDraws),
    _optuna("optuna-tpe", "Optuna's tree-structured Parzen estimator", "TPE"),
    _optuna(
        "optuna-tpe-joint",
        "the same, of all parameters at once",
        "TPE",
        multivariate=True,
        group=True,
    ),
    # What not every trial asks for it leaves to chance, which it need not say for each trial.
    _optuna(
        "optuna-gp", "Optuna's Gaussian process, log EI", "GP", warn_independent_sampling=False
    ),
    Method("smac3", "SMAC3's random forest, log expected improvement", _smac, "smac"),
    Method("hebo", "HEBO's warped Gaussian process, in another environment", _hebo, "HEBO"),
    Method("cmaes", "CMA-ES with margin, for ordered parameters", _cmaes, "cmaes"),
)

#: By name, in the order in which they are listed and coloured.
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
