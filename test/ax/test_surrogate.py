from typing import Any

import pytest
import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import UserInputError
from ax.generators.torch.botorch_modular.kernels import DefaultRBFKernel, ScaleMaternKernel
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.exceptions import UnsupportedError
from botorch.models import SingleTaskGP
from botorch.models.transforms.input import Normalize, Warp
from botorch.models.transforms.outcome import Standardize
from botorch.utils.datasets import SupervisedDataset
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import RBFKernel
from gpytorch.likelihoods import BernoulliLikelihood, GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankingGP
from botorch_popbo.ax.surrogate import RankSurrogate

DIGEST = SearchSpaceDigest(feature_names=["x"], bounds=[(0.0, 1.0)])
X = torch.linspace(0.0, 1.0, 8, dtype=torch.double).unsqueeze(-1)


def dataset(Y: Tensor, name: str = "y", Yvar: Tensor | None = None) -> SupervisedDataset:
    return SupervisedDataset(X, Y, Yvar=Yvar, feature_names=["x"], outcome_names=[name])


def test_infinities_of_a_metric_that_does_not_decide_leave_the_rest_as_it_is() -> None:
    Y, Yvar = X.sin(), torch.full_like(X, 0.01)
    Y[2], Yvar[5] = torch.inf, torch.inf
    surrogate = RankSurrogate(SurrogateSpec([ModelConfig(botorch_model_class=RankingGP)]))
    surrogate.fit([dataset(Y, Yvar=Yvar)], DIGEST)
    [model] = surrogate.metric_models
    assert model.order is not None
    expected = torch.where(Y.isinf(), X.sin().max(), X.sin())
    assert torch.equal(model.order.score, expected.squeeze(-1))
    torch.testing.assert_close(model.order.variance, torch.full_like(Y.squeeze(-1), 0.01))


@pytest.mark.parametrize(
    "spec", [SurrogateSpec(), SurrogateSpec(model_configs=[ModelConfig(SingleTaskGP)])]
)
def test_a_model_of_values_is_refused(spec: SurrogateSpec) -> None:
    with pytest.raises(UserInputError, match="models of an order, not"):
        RankSurrogate(spec).fit([dataset(X.sin())], DIGEST)


def fitted(digest: SearchSpaceDigest = DIGEST, model: Any = RankingGP, **fields: Any) -> Any:
    """The model that Ax makes of a configuration."""
    surrogate = RankSurrogate(SurrogateSpec([ModelConfig(botorch_model_class=model, **fields)]))
    points = X if len(digest.bounds) == 1 else torch.cat([X, torch.arange(8).view(8, 1) % 3], -1)
    names, Y = digest.feature_names, (3.0 * X).sin()
    data = SupervisedDataset(points, Y, feature_names=names, outcome_names=["y"])
    surrogate.fit([data], digest)
    return surrogate.metric_models[0]


def test_every_module_that_a_configuration_names_is_used() -> None:
    model = fitted(
        covar_module_class=RBFKernel,
        covar_module_options={"ard_num_dims": 1},
        likelihood_class=GaussianLikelihood,
        likelihood_options={"noise_constraint": GreaterThan(0.5)},
        input_transform_classes=[Normalize],
        input_transform_options={"Normalize": {"d": 1, "bounds": torch.tensor([[0.0], [7.0]])}},
        model_options={"order_only": True},
    )
    assert type(model.covar_module) is RBFKernel
    assert model.noise > 0.5
    assert torch.allclose(model.encode(X), X / 7.0)
    assert model.settings.order_only
    again = model.with_order(model.order).fit()  # what a goal of several metrics is searched by
    assert type(again.covar_module) is RBFKernel
    assert again.noise > 0.5
    assert torch.allclose(again.encode(X), X / 7.0)


def test_a_transform_among_the_model_options_is_used_and_none_is_none() -> None:
    scaled = Normalize(d=1, bounds=torch.tensor([[0.0], [7.0]], dtype=torch.double))
    assert torch.allclose(fitted(model_options={"input_transform": scaled}).encode(X), X / 7.0)
    wide = SearchSpaceDigest(feature_names=["x"], bounds=[(0.0, 2.0)])
    assert torch.equal(fitted(wide, input_transform_classes=None).encode(X), X)
    assert torch.equal(fitted(wide).encode(X), X / 2.0)


def test_a_kernel_of_ax_fits_the_encoded_columns() -> None:
    digest = SearchSpaceDigest(
        feature_names=["x", "kind"],
        bounds=[(0.0, 1.0), (0.0, 2.0)],
        categorical_features=[1],
        discrete_choices={1: [0, 1, 2]},
    )
    for kernel in (DefaultRBFKernel, ScaleMaternKernel):
        model = fitted(digest, covar_module_class=kernel)
        assert type(model.covar_module) is kernel
        assert bool(model.posterior(model.known_X).mean.isfinite().all())


def test_a_warp_of_ax_is_learned() -> None:
    model = fitted(input_transform_classes=[Warp])
    assert (model.input_transform.concentration0 != 1.0).all()
    assert bool(model.posterior(model.known_X).mean.isfinite().all())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mll_class": ExactMarginalLogLikelihood}, "mll_class would have no effect.*Leave it out"),
        ({"mll_options": {"a": 1}}, "mll_options would"),
        (
            {"outcome_transform_classes": [Standardize]},
            "outcome_transform_classes would.*as it is report",
        ),
        (
            {"covar_module_options": {"ard_num_dims": 1}},
            "covar_module_options would.*name the class",
        ),
        ({"likelihood_options": {"a": 1}}, "likelihood_options would"),
        ({"input_transform_options": {"Normalize": {}}}, "input_transform_options would"),
        ({"model_options": {"kernel": 1}}, "RankingGP takes no kernel.*model_options may hold"),
        ({"model": PoissonRankModel, "covar_module_class": RBFKernel}, "takes no covar_module"),
        ({"likelihood_class": BernoulliLikelihood}, "BernoulliLikelihood is not a Gaussian"),
    ],
)
def test_a_field_without_effect_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises((UserInputError, UnsupportedError), match=message):
        fitted(**fields)


def test_the_better_of_two_configurations_is_found_by_cross_validation() -> None:
    kernels = {"short": 1e-3, "long": 0.5}
    configs = [
        ModelConfig(
            botorch_model_class=RankingGP,
            model_options={"covar_module": fixed_kernel(lengthscale)},
            name=name,
        )
        for name, lengthscale in kernels.items()
    ]
    surrogate = RankSurrogate(SurrogateSpec(configs))
    surrogate.fit([dataset((3.0 * X).sin())], DIGEST)
    assert surrogate.metric_to_best_model_config["y"].name == "long"


def fixed_kernel(lengthscale: float) -> RBFKernel:
    kernel = RBFKernel()
    kernel.lengthscale = lengthscale
    return kernel.requires_grad_(False)
