"""Preferences alone, with BoTorch's PairwiseGP.

``eubo`` compares all pairs of outcomes. The next point is the best second option beside the point
of highest posterior mean (EUBO, Lin et al., 2022, with one option given).

``ppbo`` is Mikkola et al. (2020), Projective preferential Bayesian optimization. A query is a line
along one parameter, the parameters taking turns; the judge names its best point, which is then
preferred to pseudo points of the same line; the line is the one with the largest expected
improvement of its best point. BoTorch's PairwiseGP takes the place of the authors' own process, and
its comparisons that of their integral over the line; of lines through evaluated and random points
the best is taken, where the authors search with a few dozen steps of another optimizer.

**A trial tells ppbo more than its peers**: the judge here is the problem itself, noise-free, on a
grid of the line, and one line counts as one trial, as in the PoPBO paper. Of values the method sees
the order alone. The parameter and the grid follow from the trial's index, so that lines can be laid
again through the points that were told, in a resumed replication as in another.
"""

from contextlib import suppress
from typing import Any

import torch
from ax.api.configs import ChoiceParameterConfig
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models.model import Model
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from torch import Tensor

from botorch_popbo.benchmarks.errors import UsageError
from botorch_popbo.benchmarks.methods._search import features, one_hot, uniform_points
from botorch_popbo.benchmarks.methods._surrogates import SurrogateOptimizer
from botorch_popbo.benchmarks.methods.base import TensorOptimizer
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.benchmarks.search_space.points import from_unit_cube, to_unit_interval
from botorch_popbo.benchmarks.settings import Setting

_GRID = 100
# The authors take 25 a line; here there is a bound, as the model's cost is cubic in their number.
_MOST_A_LINE, _LEAST_A_LINE, _PSEUDO_POINTS = 10, 2, 240
_NUM_RANDOM, _NUM_PLACES, _NUM_SAMPLES = 64, 10, 256
_GOLDEN, _SAME = 0.6180339887498949, 1e-6


def comparisons(Y: Tensor) -> Tensor:
    """Compare all ``N x 1`` outcomes: pairs of indices, winners first, of those that differ."""
    return (Y.squeeze(-1) < Y).nonzero()


def fit(encoding: Encoding, X: Tensor, pairs: Tensor) -> PairwiseGP:
    """Fit BoTorch's PairwiseGP to pairs of winners and losers, ``M x 2`` with at least one row."""
    # The default kernel has a length scale for each column before the transform, not after it.
    kernel = PairwiseGP(features(encoding, X), pairs).covar_module
    model = PairwiseGP(X, pairs, covar_module=kernel, input_transform=one_hot(encoding))
    # Where many points are close no attempt may succeed: the kernel is then that of its prior.
    with suppress(ModelFittingError):
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model.eval()


class ExpectedUtility(SurrogateOptimizer):
    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        if len(comparisons(Y)) == 0:
            return uniform_points(self.encoding, 1)[0], 0
        return super().choose_encoded(X, Y, seed)

    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        return fit(self.encoding, X, comparisons(Y))

    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        winner = X[fitted.argmax()].unsqueeze(0)
        return AnalyticExpectedUtilityOfBestOption(model, previous_winner=winner)


class Line:
    """What a trial's lines have in common: their parameter and where on them the judge looks."""

    def __init__(self, encoding: Encoding, trial: int) -> None:
        self.column = trial % len(encoding.parameters)
        config = encoding.parameters[self.column]
        if isinstance(config, ChoiceParameterConfig):
            self.places = encoding.choices[self.column]
        else:
            # Every time the grid is another one, or its points are all that is ever found.
            grid = (torch.arange(_GRID, dtype=torch.float64) + trial * _GOLDEN % 1) / _GRID
            values = (from_unit_cube([config], [u])[config.name] for u in grid.tolist())
            places = [to_unit_interval(config, float(value)) for value in values]
            # Several become the same whole number.
            self.places = torch.tensor(places, dtype=torch.float64).unique()

    def through(self, x: Tensor, number: int = _GRID) -> Tensor:
        """Lay lines through points, ``... x d``: ``n <= number`` evenly spread, ``... x n x d``."""
        number = min(number, len(self.places))
        spread = (torch.arange(number) + 0.5) / number * len(self.places)
        points = x.unsqueeze(-2).repeat_interleave(number, -2)
        points[..., self.column] = self.places[spread.long()]
        return points


def expected_improvement(model: Model, lines: Tensor, best: Tensor) -> Tensor:
    """By how much the best of each ``b x n x d`` line exceeds the best mean so far, of shape ``b``.

    Estimated from samples of the global generator.
    """
    # BoTorch's own asks for a batch of lines, for each of which PairwiseGP solves its system anew.
    posterior = model.posterior(lines.flatten(0, 1))
    samples = posterior.rsample(torch.Size([_NUM_SAMPLES])).unflatten(1, lines.shape[:2])
    improvement: Tensor = (samples.squeeze(-1).amax(-1) - best).clamp_min(0).mean(0)
    return improvement


class Projective(TensorOptimizer):
    def __init__(self, problem: Problem, setting: Setting) -> None:
        super().__init__(problem, setting)
        if problem.costly_score:
            raise UsageError(
                f"{setting.method} has the judge look at whole lines, where a single value of "
                f"{problem.name} takes as long as an evaluation; use eubo for preferences"
            )

    def choose_encoded(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        line = Line(self.encoding, len(X))
        points, pairs = self._answers(X, Y)
        if len(pairs) == 0:
            return self._judge(line.through(uniform_points(self.encoding, 1)[0])), 0
        model: Any = fit(self.encoding, points, pairs)
        with torch.no_grad():
            fitted = model.posterior(X).mean.squeeze(-1)
            best = int(fitted.argmax())
            bases = torch.cat([X[best : best + 1], X, uniform_points(self.encoding, _NUM_RANDOM)])
            lines = line.through(bases, _NUM_PLACES)
            improvement = expected_improvement(model, lines, fitted[best])
        # Of equals the first, the line through the best point.
        return self._judge(line.through(bases[improvement.argmax()])), best

    def _answers(self, X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor]:
        """All points, evaluated ones first, and the comparisons that were answered."""
        initial = self.setting.initial
        points, pairs = [X], [comparisons(Y[:initial])]
        share = _PSEUDO_POINTS // max(len(X) - initial, 1)
        number = min(max(share, _LEAST_A_LINE), _MOST_A_LINE)
        for winner in range(initial, len(X)):
            pseudo = Line(self.encoding, winner).through(X[winner], number)
            losers = pseudo[((pseudo - X[winner]).abs() > _SAME).any(-1)]
            index = sum(map(len, points)) + torch.arange(len(losers))
            pairs.append(torch.stack([torch.full_like(index, winner), index], dim=-1))
            points.append(losers)
        return torch.cat(points), torch.cat(pairs)

    def _judge(self, line: Tensor) -> Tensor:
        """The best of ``n x d`` points."""
        scores = [self.problem.score(self.encoding.decode(x)) for x in line]
        best = min(scores) if self.problem.minimize else max(scores)
        return line[scores.index(best)]
