"""RankingGP and PairwiseGP in the loop of BoTorch's tutorial on preference exploration.

Eight evaluations of DTLZ2, five columns and four outcomes, and a Gaussian process of these. A judge
compares outcomes, and likes those near .5. EUBO asks about two outcomes that one draw of the
process holds possible. The utility at the best mean after so many comparisons, Kendall's tau
among outcomes of random points, and the utility of the next evaluation (qLogNEI), as in
:mod:`preference_bo`::

    OMP_NUM_THREADS=1 python docs/examples/bope.py docs/results/bope.csv
"""

from collections.abc import Callable, Iterator

import torch
from botorch.acquisition import (
    AnalyticExpectedUtilityOfBestOption,
    LearnedObjective,
    qLogNoisyExpectedImprovement,
    qSimpleRegret,
)
from botorch.acquisition.monte_carlo import MCAcquisitionFunction
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.deterministic import FixedSingleSampleModel
from botorch.models.model import Model
from botorch.models.transforms import Normalize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.test_functions.multi_objective import DTLZ2
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.mlls import ExactMarginalLogLikelihood
from preference_bo import Row, judged, main, tau
from torch import Tensor

PAIRS = (1, 5, 9, 15)
PROBLEM = DTLZ2(dim=5, num_objectives=4, dtype=torch.double)


def utility(Y: Tensor) -> Tensor:
    """Minus the distance to a point of the front."""
    return -(Y - 0.5).abs().sum(-1)


def design(number: int, seed: int) -> Tensor:
    """Sobol points, ``n x 5``."""
    return draw_sobol_samples(PROBLEM.bounds, 1, number, seed=seed).squeeze(0)


def process(X: Tensor) -> SingleTaskGP:
    """What is known of the outcomes."""
    model = SingleTaskGP(X, PROBLEM(X), input_transform=Normalize(d=X.shape[-1]))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def chosen(function: MCAcquisitionFunction | AnalyticExpectedUtilityOfBestOption, q: int) -> Tensor:
    """What maximizes a function, ``q x 5``."""
    return optimize_acqf(function, PROBLEM.bounds, q, num_restarts=8, raw_samples=64)[0]


def learn(fit: Callable[[Tensor, Tensor], Model], seed: int) -> Iterator[Row]:
    """Pairs of outcomes at random, none twice."""
    torch.manual_seed(seed)
    Y, test = PROBLEM(design(2 * PAIRS[-1], seed)), PROBLEM(design(512, seed + 1000))
    Y = Y[torch.randperm(len(Y))]
    pairs = judged(utility(Y), torch.arange(len(Y)).view(-1, 2))
    for number in PAIRS[1:]:
        model = fit(Y[: 2 * number], pairs[:number])
        with torch.no_grad():
            best = test[model.posterior(test).mean.argmax()]
        yield Row("best mean", number, float(utility(best)))
        yield Row("tau", number, tau(model, test, utility(test)))


def explore(fit: Callable[[Tensor, Tensor], Model], seed: int) -> Iterator[Row]:
    """Ask and learn."""
    torch.manual_seed(seed)
    X = design(8, seed)
    outcomes, test = process(X), PROBLEM(design(512, seed + 1000))
    Y = outcomes.posterior(design(2, seed + 2000)).sample().squeeze(0)
    pairs = judged(utility(Y), torch.tensor([[0, 1]]))
    for number in range(1, PAIRS[-1] + 1):
        model = fit(Y, pairs)
        if number in PAIRS:
            goal = {"objective": LearnedObjective(model)}
            goal["sampler"] = SobolQMCNormalSampler(torch.Size([32]), seed=seed)
            best = chosen(qSimpleRegret(outcomes, **goal), 1)
            yield Row("best mean", number, float(utility(PROBLEM(best))))
            yield Row("tau", number, tau(model, test, utility(test)))
        if number == PAIRS[-1]:
            improvement = qLogNoisyExpectedImprovement(outcomes, X, prune_baseline=True, **goal)
            yield Row("evaluation", number, float(utility(PROBLEM(chosen(improvement, 1)))))
            return
        draw = FixedSingleSampleModel(outcomes)
        new = draw(chosen(AnalyticExpectedUtilityOfBestOption(model, draw), 2)).detach()
        both = torch.tensor([[len(Y), len(Y) + 1]])
        Y = torch.cat([Y, new])
        pairs = torch.cat([pairs, judged(utility(Y), both)])


if __name__ == "__main__":
    main(learn, explore)
