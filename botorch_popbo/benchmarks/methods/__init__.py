"""The registry of methods; :mod:`~botorch_popbo.benchmarks.methods.base` says what one is."""

from collections.abc import Callable
from functools import partial

from botorch_popbo.benchmarks.methods import _gaussian_processes as gp
from botorch_popbo.benchmarks.methods._cmaes import CMAES
from botorch_popbo.benchmarks.methods._libraries import OptunaSampler
from botorch_popbo.benchmarks.methods._own_process import hebo, smac
from botorch_popbo.benchmarks.methods._popbo import Popbo, ablations
from botorch_popbo.benchmarks.methods._strategies import AxDefault, strategies
from botorch_popbo.benchmarks.methods.base import (
    FailureAware,
    Method,
    Optimizer,
    SequentialOptimizer,
    Suggestion,
    TensorOptimizer,
    UniformDraws,
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


_untold = partial(Popbo, is_told=False)
_tpe, _gp_sampler, _popbo_sampler = (
    partial(OptunaSampler, f"{name}Sampler") for name in ("TPE", "GP", "PoPBO")
)

_ALL = (
    Method("popbo", "ranks: default preset, in a plain BoTorch loop", "popbo", Popbo),
    Method("popbo-untold", "ranks: the same, not told what is exact", "popbo", _untold),
    Method("popbo-optuna", "ranks: the sampler for Optuna", "popbo", _popbo_sampler, "optuna"),
    *strategies(),
    _peer("botorch-gp", "BoTorch's SingleTaskGP, log expected improvement", gp.GaussianProcess),
    _peer("botorch-robust-gp", "the same with relevance pursuit", gp.RobustGaussianProcess),
    _peer("gp-copula", "BoTorch's SingleTaskGP on normal scores of ranks", gp.Copula),
    Method("ax-default", "Ax's own choice of a strategy", "BoTorch", AxDefault),
    _peer("random", "uniform random points", UniformDraws),
    _peer("optuna-tpe", "Optuna's tree-structured Parzen estimator", _tpe, "optuna"),
    _peer("optuna-gp", "Optuna's Gaussian process, log EI", _gp_sampler, "optuna"),
    _peer("smac3", "SMAC3's random forest, log expected improvement", smac, "smac"),
    _peer("hebo", "HEBO's warped Gaussian process, in another environment", hebo, "HEBO"),
    _peer("cmaes", "CMA-ES with margin, for parameters in order", CMAES, "cmaes"),
    *ablations(),
)

#: By name, in the order in which they are listed and coloured.
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
