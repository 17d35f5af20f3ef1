"""Gaussian processes of BoTorch beside the default: confidence bound, copula, sparse axes.

- ``botorch-gp-lcb``: the model of ``botorch-gp`` with an upper confidence bound of two standard
  deviations (a lower one where small values are good).
- ``gp-copula``: outcomes become the normal quantiles of their ranks, as in Salinas et al. (2020), A
  quantile-based approach for hyperparameter transfer learning. Of that work only the map is here:
  there are no other tasks to learn from. The quantile levels are (rank - 1/2) / N and not
  winsorised, which would tie the best points.
- ``saasbo``: BoTorch's fully Bayesian process with sparse axes, Eriksson and Jankowiak (2021). NUTS
  takes 64 warm-up steps and 64 samples, of which every fourth is kept; BoTorch's tutorial takes 256
  of either. It needs NumPyro.
"""

from importlib.util import find_spec
from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction, UpperConfidenceBound
from botorch.fit import fit_fully_bayesian_model_nuts
from botorch.models import SingleTaskGP
from botorch.models.fully_bayesian import SaasFullyBayesianSingleTaskGP
from botorch.models.model import Model
from botorch.models.transforms.outcome import Standardize
from scipy.special import ndtri
from scipy.stats import rankdata
from torch import Tensor

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods import botorch_gp
from botorch_popbo.benchmarks.methods.base import Method
from botorch_popbo.benchmarks.methods.surrogate_loop import SurrogateLoop, one_hot
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting

_NUTS: dict[str, Any] = {"warmup_steps": 64, "num_samples": 64, "thinning": 4}


def normal_scores(Y: Tensor) -> Tensor:
    """Map outcomes to the normal quantiles of their ranks.

    Args:
        Y: Outcomes, ``N x 1``.

    Returns:
        A tensor of the same shape; equal outcomes share the mean of their ranks.
    """
    ranks = rankdata(Y.squeeze(-1).numpy(), method="average")
    return torch.as_tensor(ndtri((ranks - 0.5) / len(ranks)), dtype=Y.dtype).unsqueeze(-1)


class _GaussianProcess(SurrogateLoop):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        return botorch_gp.fit(SingleTaskGP(X, Y, input_transform=one_hot(self.encoding)))


class _ConfidenceBound(_GaussianProcess):
    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        return UpperConfidenceBound(model, beta=4.0)


class _Copula(_GaussianProcess):
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        return super().fit(X, normal_scores(Y), seed)


class _SparseAxes(SurrogateLoop):
    # Every sample of the sampler predicts every candidate.
    max_candidates = 5000

    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        if find_spec("numpyro") is None:
            raise UsageError(f"{setting.method} needs NumPyro: pip install numpyro")

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        model = SaasFullyBayesianSingleTaskGP(
            X, Y, outcome_transform=Standardize(1), input_transform=one_hot(self.encoding)
        )
        fit_fully_bayesian_model_nuts(model, **_NUTS, disable_progbar=True, seed=seed)
        return model

    def predict(self, model: Any, X: Tensor) -> Tensor:
        mean: Tensor = model.posterior(X).mixture_mean.squeeze(-1)
        return mean


METHODS = (
    Method(
        "botorch-gp-lcb",
        "BoTorch's SingleTaskGP, confidence bound",
        "botorch-gp-lcb",
        _ConfidenceBound,
    ),
    Method("gp-copula", "BoTorch's SingleTaskGP on normal scores of ranks", "gp-copula", _Copula),
    Method(
        "saasbo",
        "BoTorch's SAAS Gaussian process, 16 samples of NUTS",
        "saasbo",
        _SparseAxes,
        "numpyro",
    ),
)
