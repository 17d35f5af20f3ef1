"""Sample paths of the utility, by Matheron's rule, and what those of the prior are made of."""

import torch
from botorch.exceptions import UnsupportedError
from botorch.models.gp_regression import SingleTaskGP
from botorch.sampling.pathwise.features.generators import GenKernelFeatures
from botorch.sampling.pathwise.features.maps import KernelEvaluationMap, KernelFeatureMap
from botorch.sampling.pathwise.paths import GeneralizedLinearPath
from botorch.sampling.pathwise.posterior_samplers import DrawMatheronPaths, MatheronPath
from botorch.sampling.pathwise.prior_samplers import TPathwisePriorSampler
from botorch.sampling.pathwise.update_strategies import TPathwiseUpdate, gaussian_update
from botorch.settings import validate_input_scaling
from gpytorch.kernels import MaternKernel
from torch import Tensor

from botorch_popbo.likelihoods.propagation import JITTER, square_root
from botorch_popbo.models.kernels import RoughMaternKernel, dense
from botorch_popbo.models.predictor import Predictor
from botorch_popbo.models.ranking_gp import RankingGP


@DrawMatheronPaths.register(RankingGP)
def draw_utility_paths(
    model: RankingGP,
    *,
    sample_shape: torch.Size,
    prior_sampler: TPathwisePriorSampler,
    update_strategy: TPathwiseUpdate,
) -> MatheronPath:
    """Draw functions from the posterior of the utility, for :func:`draw_matheron_paths`.

    The utilities of the records are drawn from what the order leaves open of them, and a draw of
    the prior is then corrected to agree with them.

    Args:
        model: A fitted model.
        sample_shape: Shape of the draws.
        prior_sampler: Draws from the prior, given a Gaussian process.
        update_strategy: Must be BoTorch's own.

    Returns:
        Paths that map points, of which ``... x sample_shape x q x d`` are each for a path of its
        own and ``q x d`` for all, to ``... x sample_shape x q`` values.

    Raises:
        UnsupportedError: If there is another update strategy.
    """
    if update_strategy is not gaussian_update:
        raise UnsupportedError("Paths of a RankingGP have an update strategy of their own.")
    predictor = model.predictor
    kernel, trend = predictor.kernel, predictor.trend
    X, like = predictor.X, model.train_inputs[0]
    outcomes = torch.zeros_like(X[:, :1])
    with validate_input_scaling(False):
        prior = SingleTaskGP(
            X, outcomes, covar_module=kernel, mean_module=trend, outcome_transform=None
        )
    prior_paths = prior_sampler(prior, sample_shape)
    prior_values = _of_tasks(prior_paths(X) - trend(X), predictor)
    noise = (predictor.noise + JITTER).sqrt() * torch.randn_like(prior_values)
    certain = predictor.certain_root
    left_open = square_root(certain @ certain.T - predictor.root @ predictor.root.T)
    drawn = torch.randn(*sample_shape, len(X), dtype=torch.float32).to(X) @ left_open.T
    weight = predictor.weights + drawn - (prior_values + noise) @ certain @ certain.T
    of_records = KernelEvaluationMap(kernel, X)
    update_paths = GeneralizedLinearPath(of_records, weight * predictor.loading)
    values = prior_paths(X) + update_paths(X)
    shift = (predictor.mean(X) - values) @ predictor.share
    return MatheronPath(
        prior_paths,
        update_paths,
        input_transform=lambda X: model.encode(X).double(),
        # Every path is on the level of the posterior's mean, which no order fixes.
        output_transform=lambda values: (values + shift.unsqueeze(-1)).to(like.dtype),
    )


def _of_tasks(values: Tensor, predictor: Predictor) -> Tensor:
    """Draws for the target, at the records, become draws for the task of each record."""
    values = values * predictor.loading
    index = (predictor.source > 0).nonzero().squeeze(-1)
    if not len(index):
        return values
    shared, source = predictor.correlation[0], predictor.source[index]
    own = predictor.correlation - torch.outer(shared, shared)  # given the target's utility
    prior = dense(predictor.kernel, predictor.X[index]) * own[source][:, source]
    prior.diagonal().add_(JITTER)
    drawn = torch.randn_like(values[..., index]) @ torch.linalg.cholesky(prior).T
    return values.index_add(-1, index, drawn)


@GenKernelFeatures.register(RoughMaternKernel)
def rough_features(
    kernel: RoughMaternKernel, *, num_inputs: int, num_outputs: int
) -> KernelFeatureMap:
    """Draw the frequencies of either part by its share, for :func:`gen_kernel_features`.

    Args:
        kernel: The kernel.
        num_inputs: Number of columns of a point.
        num_outputs: Number of features.

    Returns:
        The features, whose inner product is the kernel on average.
    """
    smooth = GenKernelFeatures.dispatch(MaternKernel)
    features: KernelFeatureMap = smooth(kernel, num_inputs=num_inputs, num_outputs=num_outputs)
    roughness, fineness = kernel.raw_roughness.sigmoid(), kernel.raw_fineness.exp()
    weight, number = features.weight, len(features.weight)
    drawn = torch.randperm(number, device=weight.device)
    weight[drawn < round(float(roughness) * number)] /= float(fineness)
    if kernel.rotation is not None:  # which BoTorch, that divides by the lengthscales, knows not of
        lengthscale = kernel.lengthscale
        features.weight = (features.weight / lengthscale) @ kernel.rotation.T * lengthscale
    return features
