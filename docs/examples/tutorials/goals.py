"""BoTorch's tutorials on goals and regions: constraints, fronts, TuRBO, with RankingGP."""

import torch
from botorch.acquisition import qLogNoisyExpectedImprovement
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.generation.sampling import ConstrainedMaxPosteriorSampling
from botorch.models import ModelListGP, SingleTaskGP
from botorch.models.model import Model
from botorch.test_functions.multi_objective import C2DTLZ2, BraninCurrin
from botorch.utils.multi_objective.box_decompositions import DominatedPartitioning
from botorch.utils.multi_objective.hypervolume import infer_reference_point
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.mlls import ExactMarginalLogLikelihood
from shared import Reached, best, branin, design, improve, main, tutorials_of
from torch import Tensor

from botorch_popbo import RankingGP
from botorch_popbo.models import OrderMarginalLogLikelihood


def slack(X: Tensor) -> Tensor:
    """How far a point is on the right side of a line, ``N x 1``."""
    return 1.2 - X[..., :2].sum(-1, keepdim=True)


def model_of_values(X: Tensor, Y: Tensor) -> Model:
    """Of a constraint, whose border is a value: no order tells where it is."""
    model = SingleTaskGP(X, Y)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def closed_loop_botorch_only(steps: int = 15) -> Reached:
    """Noisy outcomes, a constraint that is observed as well, and batches of three."""

    def feasible(X: Tensor) -> Tensor:
        return branin(X).where(slack(X) >= 0.0, -300.0)

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        noisy = branin(X) + torch.randn(len(X), 1).double()
        model = RankingGP(X, noisy)
        mll = OrderMarginalLogLikelihood(model.likelihood, model)
        fit_gpytorch_mll(mll, optimizer_kwargs={"options": {"maxiter": 15}})
        models = ModelListGP(model, model_of_values(X, slack(X)))
        function = qLogNoisyExpectedImprovement(
            models,
            X_baseline=X,
            objective=GenericMCObjective(lambda Z, X=None: Z[..., 0]),
            constraints=[lambda Z: -Z[..., 1]],
        )
        return best(function, q=3, raw_samples=16)

    return improve(suggest, steps, outcome=feasible)


def volume(Y: Tensor, reference: Tensor) -> Tensor:
    """The hypervolume of so many points and all before them, ``N x 1``."""
    volumes = [
        DominatedPartitioning(reference, Y[: 1 + number]).compute_hypervolume()
        for number in range(len(Y))
    ]
    return torch.stack(volumes).unsqueeze(-1)


def multi_objective_bo(steps: int = 15) -> Reached:
    """Two outcomes: the hypervolume of their utilities grows."""
    problem, X = BraninCurrin(negate=True, dtype=torch.double), design(8)
    before = volume(problem(X), problem.ref_point)[-1]
    for _ in range(steps):
        models = ModelListGP(*(RankingGP(X, Y).fit() for Y in problem(X).split(1, dim=-1)))
        # A volume of utilities has its corner among these.
        corner = infer_reference_point(models.posterior(X).mean.detach())
        function = qLogNoisyExpectedHypervolumeImprovement(models, corner, X, prune_baseline=True)
        X = torch.cat([X, best(function, q=2, sequential=True)])
    return Reached(float(before), float(volume(problem(X), problem.ref_point)[-1]))


def constrained_multi_objective_bo(steps: int = 15) -> Reached:
    """Two outcomes and a constraint."""
    problem = C2DTLZ2(dim=3, num_objectives=2, negate=True, dtype=torch.double)

    def reached(X: Tensor) -> float:
        fine = problem(X)[problem.is_feasible(X)]
        return float(volume(fine, problem.ref_point)[-1]) if len(fine) else 0.0

    X = first = design(10, 3)
    for _ in range(steps):
        models = [RankingGP(X, Y).fit() for Y in problem(X).split(1, dim=-1)]
        corner = infer_reference_point(ModelListGP(*models).posterior(X).mean.detach())
        function = qLogNoisyExpectedHypervolumeImprovement(
            ModelListGP(*models, model_of_values(X, problem.evaluate_slack(X))),
            corner,
            X,
            objective=IdentityMCMultiOutputObjective(outcomes=[0, 1]),
            constraints=[lambda Z: -Z[..., -1]],
            prune_baseline=True,
        )
        X = torch.cat([X, best(function, q=2, dim=3, sequential=True, raw_samples=16)])
    return Reached(reached(first), reached(X))


def region(model: RankingGP, centre: Tensor, length: float) -> Tensor:
    """A box about a point, its sides in proportion to the lengthscales."""
    weights = model.covar_module.base_kernel.lengthscale.detach().squeeze()
    half = 0.5 * length * weights / weights.log().mean().exp()
    return torch.stack([centre - half, centre + half]).clamp(0.0, 1.0)


def in_region(X: Tensor, Y: Tensor, length: float) -> tuple[RankingGP, Tensor]:
    """A model, and candidates near the best point of which some columns are changed."""
    dim = X.shape[-1]
    model = RankingGP(X, Y, covar_module=ScaleKernel(MaternKernel(ard_num_dims=dim))).fit()
    centre = X[Y.argmax()]
    low, high = region(model, centre, length)
    moved = low + (high - low) * design(512, dim, len(X))
    return model, torch.where(torch.rand_like(moved) < 0.5, moved, centre)


def turbo_1(steps: int = 15) -> Reached:
    """Thompson sampling in a region that grows with success and shrinks with failure."""
    length = 0.8

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        nonlocal length
        if len(X) > 20:
            length *= 2.0 if Y[-4:].max() > Y[:-4].max() else 0.5
        model, candidates = in_region(X, Y, length)
        return MaxPosteriorSampling(model, replacement=False)(candidates, num_samples=4)

    return improve(suggest, steps, X=design(20, 6))


def scalable_constrained_bo(steps: int = 15) -> Reached:
    """The same with a constraint, which is sampled as well."""

    def feasible(X: Tensor) -> Tensor:
        return branin(X).where(slack(X) >= 0.0, -300.0)

    def suggest(X: Tensor, Y: Tensor) -> Tensor:
        model, candidates = in_region(X, Y, 0.8)
        constraint = ModelListGP(model_of_values(X, -slack(X)))
        choose = ConstrainedMaxPosteriorSampling(model, constraint, replacement=False)
        return choose(candidates, num_samples=4)

    return improve(suggest, steps, outcome=feasible, X=design(20, 6))


TUTORIALS = tutorials_of(globals())

if __name__ == "__main__":
    main(TUTORIALS)
