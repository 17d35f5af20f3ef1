"""The registry of methods; :mod:`~botorch_popbo.benchmarks.methods.base` says what one is."""

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
from botorch_popbo.settings import Settings

__all__ = [
    "METHODS",
    "FailureAware",
    "Method",
    "Optimizer",
    "SequentialOptimizer",
    "Suggestion",
    "TensorOptimizer",
]


_untold = partial(Popbo, is_told=False)
_order = partial(Popbo, is_told=False, settings=Settings().with_order_only(True))
_tpe, _gp_sampler, _popbo_sampler = (
    partial(OptunaSampler, f"{name}Sampler") for name in ("TPE", "GP", "PoPBO")
)
_joint = partial(_tpe, multivariate=True)

_ALL = (
    Method("popbo", "ranks: default preset, in a plain BoTorch loop", Popbo),
    Method("popbo-untold", "ranks: the same, not told what is exact", _untold),
    Method("popbo-order", "ranks: the same, which hears the order of outcomes alone", _order),
    Method("popbo-optuna", "ranks: the sampler for Optuna", _popbo_sampler, "optuna"),
    *strategies(),
    Method("botorch-gp", "BoTorch's SingleTaskGP, log expected improvement", gp.GaussianProcess),
    Method("botorch-robust-gp", "the same with relevance pursuit", gp.RobustGaussianProcess),
    Method("gp-copula", "BoTorch's SingleTaskGP on normal scores of ranks", gp.Copula),
    Method("ax-default", "Ax's own choice of a strategy", AxDefault, generator_prefix="BoTorch"),
    Method("random", "uniform random points", UniformDraws),
    Method("optuna-tpe", "Optuna's tree-structured Parzen estimator", _tpe, "optuna"),
    Method("optuna-tpe-joint", "the same with all parameters in one estimate", _joint, "optuna"),
    Method("optuna-gp", "Optuna's Gaussian process, log EI", _gp_sampler, "optuna"),
    Method("smac3", "SMAC3's random forest, log expected improvement", smac, "smac"),
    Method("hebo", "HEBO's warped Gaussian process, in another environment", hebo, "HEBO"),
    Method("cmaes", "CMA-ES with margin, for parameters in order", CMAES, "cmaes"),
    *ablations(),
)

#: By name, in the order in which they are listed and coloured.
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
