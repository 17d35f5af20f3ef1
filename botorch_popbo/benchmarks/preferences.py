"""Choices alone: `PreferenceSearch` against BoTorch's PairwiseGP with EUBO, and chance.

Run ``python -m botorch_popbo.benchmarks.preferences``. A simulated judge prefers the point with the
lower noisy Hartmann-3 value; every method sees one answer per question. Scored is the noise-free
regret of the point that the method holds for the best.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Sequence

import numpy as np
import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf
from botorch.test_functions import Hartmann
from botorch.utils.sampling import draw_sobol_samples, manual_seed
from joblib import Parallel, delayed
from torch import Tensor

from botorch_popbo.benchmarks.quiet import quiet
from botorch_popbo.benchmarks.threads import one_thread
from botorch_popbo.preference_search import PreferenceSearch

_FUNCTION = Hartmann(dim=3, dtype=torch.float64)
_BOUNDS = torch.as_tensor(_FUNCTION.bounds)
_NUM_INITIAL = 6

#: Answers which of two points (``2 x d``) is better: 0 or 1.
Judge = Callable[[Tensor], int]


def popbo(judge: Judge, num_questions: int, seed: int) -> Tensor:
    """The best point according to :class:`PreferenceSearch`, of shape ``d``."""
    search = PreferenceSearch(_BOUNDS, num_initial=_NUM_INITIAL, seed=seed)
    for _ in range(num_questions):
        pair = search.ask()
        search.tell(pair, judge(pair))
    return search.best


def eubo(judge: Judge, num_questions: int, seed: int) -> Tensor:
    """The point of highest posterior mean of a PairwiseGP that asks by EUBO, of shape ``d``."""
    design = draw_sobol_samples(_BOUNDS, n=_NUM_INITIAL, q=2, seed=seed)
    X = _BOUNDS.new_zeros(0, 3)
    comparisons = torch.zeros(0, 2, dtype=torch.long)
    for question in range(num_questions):
        pair = design[question] if question < _NUM_INITIAL else _eubo_pair(X, comparisons)
        winner = judge(pair)
        answer = torch.tensor([[len(X) + winner, len(X) + 1 - winner]])
        X, comparisons = torch.cat([X, pair]), torch.cat([comparisons, answer])
    utility: Tensor = _pairwise_gp(X, comparisons).posterior(X).mean  # type: ignore[attr-defined]
    return X[utility.argmax()]


def chance(judge: Judge, num_questions: int, seed: int) -> Tensor:
    """The last champion of a random tournament, of shape ``d``."""
    challengers = draw_sobol_samples(_BOUNDS, n=num_questions + 1, q=1, seed=seed)
    champion = challengers[0, 0]
    for challenger in challengers[1:, 0]:
        pair = torch.stack([champion, challenger])
        champion = pair[judge(pair)]
    return champion


METHODS = {"popbo": popbo, "pairwise-gp-eubo": eubo, "chance": chance}


def _pairwise_gp(X: Tensor, comparisons: Tensor) -> PairwiseGP:
    model = PairwiseGP(X, comparisons)
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model


def _eubo_pair(X: Tensor, comparisons: Tensor) -> Tensor:
    acquisition = AnalyticExpectedUtilityOfBestOption(pref_model=_pairwise_gp(X, comparisons))
    pair, _ = optimize_acqf(acquisition, _BOUNDS, q=2, num_restarts=8, raw_samples=256)
    return pair


def regret(method: str, num_questions: int, noise: float, seed: int) -> float:
    """Run one method with one judge.

    Args:
        method: A name in ``METHODS``.
        num_questions: Number of answers.
        noise: Standard deviation of the noise on each of the two compared values.
        seed: Seed of the design, the method and the judge.

    Returns:
        The noise-free regret of the point held for the best, in units of Hartmann-3.
    """
    generator = torch.Generator().manual_seed(seed)

    def judge(pair: Tensor) -> int:
        values = _FUNCTION.evaluate_true(pair)
        values = values + noise * torch.randn(2, generator=generator, dtype=torch.float64)
        return int(values.argmin())

    with one_thread(), quiet(), manual_seed(seed):
        best = METHODS[method](judge, num_questions, seed)
    return float(_FUNCTION.evaluate_true(best.unsqueeze(0)) - _FUNCTION.optimal_value)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of regrets: mean, standard error and median over seeds."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=36)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--noise", type=float, default=0.2)
    options = parser.parse_args(arguments)
    print(f"{options.questions} answers, noise {options.noise}, {options.seeds} seeds")
    for method in METHODS:
        found = Parallel(n_jobs=-1)(
            delayed(regret)(method, options.questions, options.noise, seed)
            for seed in range(options.seeds)
        )
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        print(f"{method:<18} {np.mean(found):.3f} ± {error:.3f}, median {np.median(found):.3f}")


if __name__ == "__main__":
    main()
