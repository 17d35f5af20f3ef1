"""BoTorch's tutorials on acquisition functions and how they are maximized, with RankingGP."""

import numpy as np
import torch
from botorch.acquisition import (
    ExpectedImprovement,
    LogExpectedImprovement,
    MCAcquisitionFunction,
    UpperConfidenceBound,
    qExpectedImprovement,
    qKnowledgeGradient,
    qLogNoisyExpectedImprovement,
    qLowerBoundMaxValueEntropy,
    qMaxValueEntropy,
)
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.joint_entropy_search import qJointEntropySearch
from botorch.acquisition.utils import get_optimal_samples
from botorch.generation import MaxPosteriorSampling
from botorch.models import ModelListGP
from botorch.models.deterministic import GenericDeterministicModel
from botorch.models.model import Model
from botorch.sampling import SobolQMCNormalSampler
from botorch.sampling.pathwise.posterior_samplers import get_matheron_path_model
from botorch.utils.transforms import t_batch_mode_transform
from cmaes import CMA
from shared import UNIT, Reached, best, branin, design, improve, main, tutorials_of
from torch import Tensor

from botorch_popbo import RankingGP


def best_f(model: RankingGP) -> Tensor:
    """The best expected utility of what was evaluated: a utility, not an outcome."""
    return model.posterior(model.train_inputs[0]).mean.max()


def compare_mc_analytic_acquisition() -> Reached:
    """The improvement by samples has its maximum where that of the formula has it."""
    X = design(12)
    model = RankingGP(X, branin(X)).fit()
    sampler = SobolQMCNormalSampler(torch.Size([512]), seed=0)
    exact = best(LogExpectedImprovement(model, best_f(model)))
    sampled = best(qExpectedImprovement(model, best_f(model), sampler))
    improvement = ExpectedImprovement(model, best_f(model))
    return Reached(0.95 * float(improvement(exact)), float(improvement(sampled)))


class ScalarizedUpperConfidenceBound(MCAcquisitionFunction):
    """How good a weighted sum of several utilities may be, by samples."""

    def __init__(self, model: Model, beta: float, weights: Tensor) -> None:
        super(MCAcquisitionFunction, self).__init__(model)
        self.sampler = SobolQMCNormalSampler(torch.Size([128]), seed=0)
        self.beta, self.weights = beta, weights

    @t_batch_mode_transform()
    def forward(self, X: Tensor) -> Tensor:
        """Of ``batch_shape x q x d`` points, of shape ``batch_shape``."""
        posterior = self.model.posterior(X)
        mean = posterior.mean @ self.weights
        away = (self.get_posterior_samples(posterior) @ self.weights - mean).abs()
        return (mean + (0.5 * torch.pi * self.beta) ** 0.5 * away).amax(-1).mean(0)


def custom_acquisition(steps: int = 15) -> Reached:
    """A function of one's own, of two models."""
    weights = torch.tensor([0.9, 0.1]).double()

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        models = ModelListGP(RankingGP(X, Y).fit(), RankingGP(X, -X[:, :1]).fit())
        return best(ScalarizedUpperConfidenceBound(models, 0.1, weights))

    return improve(suggest, steps)


def optimize_with_cmaes(steps: int = 15) -> Reached:
    """The acquisition function is maximized without its gradient."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        function = UpperConfidenceBound(RankingGP(X, Y).fit(), beta=0.1)
        search = CMA(np.full(2, 0.5), sigma=0.3, bounds=UNIT.T.numpy(), population_size=20, seed=1)
        for _ in range(15):
            points = [search.ask() for _ in range(search.population_size)]
            with torch.no_grad():
                values = function(torch.tensor(np.array(points)).unsqueeze(1))
            search.tell(list(zip(points, (-values).tolist(), strict=True)))
        return torch.tensor(search.mean).unsqueeze(0)

    return improve(suggest, steps)


def optimize_stochastic(steps: int = 15) -> Reached:
    """The acquisition function is maximized by ADAM, on new samples in each step."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        model = RankingGP(X, Y).fit()
        points = design(16).unsqueeze(1).requires_grad_()
        adam = torch.optim.Adam([points], lr=0.05)
        for number in range(20):
            sampler = SobolQMCNormalSampler(torch.Size([16]), seed=number)
            function = qExpectedImprovement(model, best_f(model), sampler)
            adam.zero_grad()
            (-function(points).sum()).backward()
            adam.step()
            points.data.clamp_(0.0, 1.0)
        return points.detach()[function(points).argmax()]

    return improve(suggest, steps)


def thompson_sampling(steps: int = 15) -> Reached:
    """Each point of a batch is the best one of a draw: of candidates, or of the whole box."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        model = RankingGP(X, Y).fit()
        drawn = MaxPosteriorSampling(model, replacement=False)(design(512), num_samples=2)
        path = get_matheron_path_model(model)
        return torch.cat([drawn, best(UpperConfidenceBound(path, beta=0.0))])

    return improve(suggest, steps)


def max_value_entropy(steps: int = 15) -> Reached:
    """Where most is learned of how good the best point is."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        return best(qMaxValueEntropy(RankingGP(X, Y).fit(), design(256)))

    return improve(suggest, steps)


def gibbon(steps: int = 15) -> Reached:
    """The same for a batch."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        function = qLowerBoundMaxValueEntropy(RankingGP(X, Y).fit(), design(256))
        return best(function, q=2, sequential=True)

    return improve(suggest, steps)


def information_theoretic_acquisition_functions(steps: int = 15) -> Reached:
    """Where most is learned of the best point and its utility."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        model = RankingGP(X, Y).fit()
        optima = get_optimal_samples(model, UNIT, num_optima=8, raw_samples=64, num_restarts=2)
        return best(qJointEntropySearch(model, *optima))

    return improve(suggest, steps)


def one_shot_kg(steps: int = 15) -> Reached:
    """Where the best mean is expected to grow most."""

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        return best(qKnowledgeGradient(RankingGP(X, Y).fit(), num_fantasies=4), raw_samples=16)

    return improve(suggest, steps)


def cost_aware_bayesian_optimization(steps: int = 15) -> Reached:
    """What is gained for what it costs; the cost is known."""
    cost = GenericDeterministicModel(lambda X: 0.2 + X[..., :1])

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        gain = qLogNoisyExpectedImprovement(RankingGP(X, Y).fit(), X)
        points = design(256).unsqueeze(1)
        per_cost = InverseCostWeightedUtility(cost)(points, gain(points).exp())
        return points[per_cost.argmax()]

    return improve(suggest, steps)


TUTORIALS = tutorials_of(globals())

if __name__ == "__main__":
    main(TUTORIALS)
