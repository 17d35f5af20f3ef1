"""The points that suggestions are made from, and how each method makes one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import torch
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.test_functions.synthetic import Hartmann
from torch import Tensor

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedAcquisitionFunction,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax import generation_strategies
from botorch_popbo.benchmarks.methods import _gaussian_processes as botorch_gp
from botorch_popbo.benchmarks.methods._popbo import maximize_in_box
from botorch_popbo.data import from_outcomes
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.optim._optimizer_options import OPTIMIZER_OPTIONS
from botorch_popbo.paper import truncated_poisson

_BOUNDS = torch.tensor([[0.0] * 6, [1.0] * 6], dtype=torch.float64)
_FUNCTION = Hartmann(dim=6, dtype=torch.float64)

#: The default preset.
DEFAULT = "popbo"
#: The Gaussian processes that the others are compared with, in BoTorch and through Ax.
REFERENCE, AX_REFERENCE = "botorch-gp", "ax-gp-logei"

#: Points, ``N x 6``, and their outcomes, ``N x 1``, larger being better.
Data = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Loop:
    """How a method makes a suggestion: what ``fit`` returns is ``suggest``'s, which may do both.

    To prepare, which is not timed, is to turn points and outcomes into what the method starts from;
    the library is a module needed beside this package's own requirements.
    """

    description: str
    suggest: Callable[[Any], object]
    prepare: Callable[[Data], Any] = lambda data: data
    fit: Callable[[Any], Any] | None = None
    library: str | None = None


def uniform_data(num_points: int) -> Data:
    """Uniform points of the domain of Hartmann-6 with their outcomes."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 6, generator=generator, dtype=torch.float64)
    return X, -_FUNCTION(X, noise=False).unsqueeze(-1)


def _named(values: Iterable[Any]) -> dict[str, Any]:
    return {f"x{i}": value for i, value in enumerate(values)}


def _trials(data: Data) -> Iterable[tuple[dict[str, float], float]]:
    return zip(map(_named, data[0].tolist()), data[1].squeeze(-1).tolist(), strict=True)


def _ax_client(strategy: str, data: Data) -> Client:
    """A client that knows the points; its next suggestion fits a model to all of them."""
    client = Client()
    client.configure_experiment(
        [
            RangeParameterConfig(name=f"x{i}", bounds=(0.0, 1.0), parameter_type="float")
            for i in range(6)
        ]
    )
    client.configure_optimization(objective="y")
    strategies = generation_strategies([strategy], num_initial_trials=2)
    client.set_generation_strategy(strategies[strategy])
    for parameters, y in _trials(data):
        client.complete_trial(client.attach_trial(parameters), {"y": y})
    return client


def _optuna_space() -> dict[str, Any]:
    distributions = import_module("optuna.distributions")
    return _named([distributions.FloatDistribution(0.0, 1.0)] * 6)


def _optuna_study(data: Data) -> Any:
    """A study that knows the points, with a sampler that, as the models, has fitted nothing yet."""
    optuna = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=0))
    for x, y in _trials(data):
        study.add_trial(optuna.create_trial(params=x, distributions=_optuna_space(), value=y))
    return study


def _paper(title: str, acquisition: Callable[[Any], RectifiedAcquisitionFunction]) -> Loop:
    def suggest(model: PoissonRankModel) -> Tensor:
        options = OPTIMIZER_OPTIONS["optimize_acqf"]
        best, _ = optimize_acqf(acquisition(model), _BOUNDS, q=1, **options)
        return best[0]

    return Loop(
        f"ranks: paper preset, {title}",
        fit=lambda data: PoissonRankModel.paper(data[0], data[1]).fit(),
        suggest=suggest,
    )


def _likelihood(exposure: float, title: str) -> Loop:
    # At well-fitted rates.
    def prepare(data: Data) -> tuple[Tensor, Tensor]:
        counts = torch.randint(int(min(exposure, 999.0)) + 1, (len(data[0]),)).double()
        return counts, (counts + 0.5).log().requires_grad_()

    def run(prepared: tuple[Tensor, Tensor]) -> None:
        limit = torch.tensor(exposure, dtype=torch.float64)
        truncated_poisson.log_prob(*prepared, limit).sum().backward()

    return Loop(f"alone: likelihood and gradient of records, {title}", run, prepare)


def _fitted_and_queries(data: Data) -> tuple[RankingGP, Tensor]:
    generator = torch.Generator().manual_seed(1)
    queries = torch.rand(100_000, 6, generator=generator, dtype=torch.float64)
    return RankingGP(*data, input_transform=None).fit(), queries


def _predict(prepared: tuple[RankingGP, Tensor]) -> Tensor:
    model, queries = prepared
    posterior: Any = model.posterior(queries)
    return torch.cat([posterior.mean, posterior.variance])


#: The methods by name.
LOOPS = {
    DEFAULT: Loop(
        "ranks: default preset, in a plain BoTorch loop",
        fit=lambda data: RankingGP(data[0], data[1], input_transform=None).fit(),
        suggest=lambda model: maximize_in_box(LogExpectedUtilityImprovement(model), _BOUNDS),
    ),
    "paper-rlcb": _paper("rectified lower confidence bound", RectifiedLowerConfidenceBound.paper),
    "paper-eri": _paper("expected ranking improvement", ExpectedRankingImprovement),
    REFERENCE: Loop(
        "BoTorch's SingleTaskGP, log expected improvement",
        fit=lambda data: (botorch_gp.fit(SingleTaskGP(*data)), data[0]),
        suggest=lambda fitted: botorch_gp.suggest(fitted[0], fitted[1], _BOUNDS),
    ),
    **{
        f"ax-{name}": Loop(
            f"the strategy {name} through Ax's service loop",
            prepare=partial(_ax_client, name),
            suggest=lambda client: client.get_next_trials(max_trials=1),
        )
        for name in ("popbo-logei", "paper-eri", "paper-rlcb", "gp-logei")
    },
    "optuna-gp": Loop(
        "Optuna's Gaussian process",
        prepare=_optuna_study,
        suggest=lambda study: study.ask(_optuna_space()),
        library="optuna",
    ),
    "prediction": Loop(
        "alone: mean and variance of 100,000 points by the default model",
        suggest=_predict,
        prepare=_fitted_and_queries,
    ),
    "ranking": Loop("alone: ranks of the outcomes", lambda data: from_outcomes(*data)),
    "likelihood": _likelihood(torch.inf, "untruncated"),
    "likelihood-truncated": _likelihood(999.0, "of 999"),
}
