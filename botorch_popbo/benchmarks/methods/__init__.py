"""The registry of methods; :mod:`~botorch_popbo.benchmarks.methods.base` says what one is."""

from collections.abc import Callable
from functools import partial

from botorch_popbo.benchmarks.methods import _gaussian_processes as gaussian
from botorch_popbo.benchmarks.methods._bohamiann import Bohamiann
from botorch_popbo.benchmarks.methods._bohb import KernelDensities
from botorch_popbo.benchmarks.methods._bore import Bore
from botorch_popbo.benchmarks.methods._cmaes import CMAES
from botorch_popbo.benchmarks.methods._draws import SobolDraws, UniformDraws
from botorch_popbo.benchmarks.methods._eubo import ExpectedUtility
from botorch_popbo.benchmarks.methods._evolution import RegularizedEvolution
from botorch_popbo.benchmarks.methods._hyperopt import HyperoptTPE
from botorch_popbo.benchmarks.methods._optuna import OptunaSampler
from botorch_popbo.benchmarks.methods._own_process import hebo, smac
from botorch_popbo.benchmarks.methods._popbo import GaussianMLP, Popbo, ablations
from botorch_popbo.benchmarks.methods._ppbo import Projective
from botorch_popbo.benchmarks.methods._reinforce import Reinforce
from botorch_popbo.benchmarks.methods._skopt import SkoptForest
from botorch_popbo.benchmarks.methods._strategies import STRATEGIES, ServiceLoop, ax_strategy
from botorch_popbo.benchmarks.methods._turbo import Turbo
from botorch_popbo.benchmarks.methods.base import (
    FailureAware,
    Method,
    Optimizer,
    SequentialOptimizer,
    Suggestion,
    TensorOptimizer,
)
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting

_Start = Callable[[Problem, Setting], Optimizer]


def _peer(name: str, description: str, start: _Start, library: str | None = None) -> Method:
    """A method whose trials carry its name."""
    return Method(name, description, name, start, library)


_ALL = (
    Method("popbo", "ranks: default preset, in a plain BoTorch loop", "popbo", Popbo),
    *(
        Method(name, text, name.split("-")[0], partial(ServiceLoop, build))
        for name, text, build in STRATEGIES
    ),
    _peer(
        "botorch-gp", "BoTorch's SingleTaskGP, log expected improvement", gaussian.GaussianProcess
    ),
    _peer(
        "botorch-robust-gp",
        "BoTorch's relevance pursuit for outliers, log expected improvement",
        gaussian.RobustGaussianProcess,
    ),
    _peer("random", "uniform random points", UniformDraws),
    _peer("sobol", "points of a scrambled Sobol sequence", SobolDraws),
    _peer("botorch-gp-lcb", "BoTorch's SingleTaskGP, confidence bound", gaussian.ConfidenceBound),
    _peer("gp-copula", "BoTorch's SingleTaskGP on normal scores of ranks", gaussian.Copula),
    _peer(
        "saasbo",
        "BoTorch's SAAS Gaussian process, 16 samples of NUTS",
        gaussian.SparseAxes,
        "numpyro",
    ),
    Method(
        "ax-default",
        "Ax's own choice of a strategy",
        "BoTorch",
        partial(ServiceLoop, ax_strategy),
    ),
    _peer("gp-mlp", "the paper's network with a Gaussian, EI", GaussianMLP),
    _peer("turbo", "trust region and Thompson sampling, TuRBO-1", Turbo),
    _peer("eubo", "BoTorch's PairwiseGP on comparisons, EUBO", ExpectedUtility),
    _peer(
        "ppbo",
        "PairwiseGP on best points of lines; sees the order of a whole line in each trial",
        Projective,
    ),
    _peer(
        "optuna-tpe",
        "Optuna's tree-structured Parzen estimator",
        partial(OptunaSampler, "TPESampler"),
        "optuna",
    ),
    _peer(
        "optuna-gp",
        "Optuna's Gaussian process, log expected improvement",
        partial(OptunaSampler, "GPSampler"),
        "optuna",
    ),
    _peer("hyperopt-tpe", "Hyperopt's tree-structured Parzen estimator", HyperoptTPE, "hyperopt"),
    _peer(
        "skopt-forest",
        "scikit-optimize's random forest, expected improvement",
        SkoptForest,
        "scikit-optimize",
    ),
    _peer("smac3", "SMAC3's random forest, log expected improvement", smac, "smac"),
    _peer(
        "hebo", "HEBO's Gaussian process with warped outcomes, in another environment", hebo, "HEBO"
    ),
    _peer("cmaes", "CMA-ES with margin, for parameters in order", CMAES, "cmaes"),
    _peer("bore", "random forest for the best quarter", Bore),
    _peer("bohamiann", "Bayesian network by SGHMC, EI", Bohamiann),
    _peer("bohb", "kernel densities of BOHB, at one fidelity", KernelDensities),
    _peer("rea", "regularised evolution", RegularizedEvolution),
    _peer("reinforce", "REINFORCE with independent categories", Reinforce),
    *(
        Method(f"popbo-{name}", f"ranks: paper preset, {change}", "popbo", start)
        for name, change, start in ablations()
    ),
)

#: By name, in the order in which they are listed and coloured.
METHODS: dict[str, Method] = {method.name: method for method in _ALL}

__all__ = [
    "METHODS",
    "FailureAware",
    "Method",
    "Optimizer",
    "SequentialOptimizer",
    "Suggestion",
    "TensorOptimizer",
]
