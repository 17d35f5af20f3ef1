"""The registry of methods; :mod:`~botorch_popbo.benchmarks.methods.base` says what one is."""

from collections.abc import Callable
from functools import partial

from botorch_popbo.benchmarks.methods import _gaussian_processes as gp
from botorch_popbo.benchmarks.methods._ablation import ablated
from botorch_popbo.benchmarks.methods._bohamiann import Bohamiann
from botorch_popbo.benchmarks.methods._bohb import KernelDensities
from botorch_popbo.benchmarks.methods._bore import Bore
from botorch_popbo.benchmarks.methods._cmaes import CMAES
from botorch_popbo.benchmarks.methods._in_process import HyperoptTPE, OptunaSampler, SkoptForest
from botorch_popbo.benchmarks.methods._model_free import (
    RegularizedEvolution,
    Reinforce,
    SobolDraws,
    UniformDraws,
)
from botorch_popbo.benchmarks.methods._own_process import hebo, smac
from botorch_popbo.benchmarks.methods._popbo import GaussianMLP, Popbo, ablations
from botorch_popbo.benchmarks.methods._preferences import ExpectedUtility, Projective
from botorch_popbo.benchmarks.methods._strategies import AxDefault, strategies
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

__all__ = [
    "METHODS",
    "FailureAware",
    "Method",
    "Optimizer",
    "SequentialOptimizer",
    "Suggestion",
    "TensorOptimizer",
]


def _peer(
    name: str,
    description: str,
    start: Callable[[Problem, Setting], Optimizer],
    library: str | None = None,
) -> Method:
    """A method whose trials carry its name."""
    return Method(name, description, name, start, library)


_saas = "BoTorch's SAAS Gaussian process, 16 samples of NUTS"
_robust = "BoTorch's relevance pursuit for outliers, log expected improvement"
_lines = "PairwiseGP on best points of lines; sees the order of a whole line in each trial"
_tree = "tree-structured Parzen estimator"
_optuna_gp = "Optuna's Gaussian process, log expected improvement"
_forest = "scikit-optimize's random forest, expected improvement"
_warped = "HEBO's Gaussian process with warped outcomes, in another environment"
_tpe, _gp_sampler, _popbo_sampler = (
    partial(OptunaSampler, f"{name}Sampler") for name in ("TPE", "GP", "PoPBO")
)

_ALL = (
    Method("popbo", "ranks: default preset, in a plain BoTorch loop", "popbo", Popbo),
    Method(
        "popbo-untold",
        "ranks: the same, not told where outcomes are exact",
        "popbo",
        partial(Popbo, is_told=False),
    ),
    Method("popbo-optuna", "ranks: the sampler for Optuna", "popbo", _popbo_sampler, "optuna"),
    *strategies(),
    _peer("botorch-gp", "BoTorch's SingleTaskGP, log expected improvement", gp.GaussianProcess),
    _peer("botorch-robust-gp", _robust, gp.RobustGaussianProcess),
    _peer("random", "uniform random points", UniformDraws),
    _peer("sobol", "points of a scrambled Sobol sequence", SobolDraws),
    _peer("botorch-gp-lcb", "BoTorch's SingleTaskGP, confidence bound", gp.ConfidenceBound),
    _peer("gp-copula", "BoTorch's SingleTaskGP on normal scores of ranks", gp.Copula),
    _peer("saasbo", _saas, gp.SparseAxes, "numpyro"),
    Method("ax-default", "Ax's own choice of a strategy", "BoTorch", AxDefault),
    _peer("gp-mlp", "the paper's network with a Gaussian, EI", GaussianMLP),
    _peer("turbo", "trust region and Thompson sampling, TuRBO-1", Turbo),
    _peer("eubo", "BoTorch's PairwiseGP on comparisons, EUBO", ExpectedUtility),
    _peer("ppbo", _lines, Projective),
    _peer("optuna-tpe", f"Optuna's {_tree}", _tpe, "optuna"),
    _peer("optuna-gp", _optuna_gp, _gp_sampler, "optuna"),
    _peer("hyperopt-tpe", f"Hyperopt's {_tree}", HyperoptTPE, "hyperopt"),
    _peer("skopt-forest", _forest, SkoptForest, "scikit-optimize"),
    _peer("smac3", "SMAC3's random forest, log expected improvement", smac, "smac"),
    _peer("hebo", _warped, hebo, "HEBO"),
    _peer("cmaes", "CMA-ES with margin, for parameters in order", CMAES, "cmaes"),
    _peer("bore", "random forest for the best quarter", Bore),
    _peer("bohamiann", "Bayesian network by SGHMC, EI", Bohamiann),
    _peer("bohb", "kernel densities of BOHB, at one fidelity", KernelDensities),
    _peer("rea", "regularised evolution", RegularizedEvolution),
    _peer("reinforce", "REINFORCE with independent categories", Reinforce),
    *ablations(),
    *ablated(),
)

#: By name, in the order in which they are listed and coloured.
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
