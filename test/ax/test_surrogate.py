import pytest
import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import UserInputError
from ax.generators.torch.botorch_modular.surrogate import (
    ModelConfig,
    SurrogateSpec,
    submodel_input_constructor,
)
from ax.generators.torch.botorch_modular.utils import fit_botorch_model
from botorch.models import SingleTaskGP
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo import PoissonRankModel, RankingGP, RankModel
from botorch_popbo.ax.surrogate import RankSurrogate

EACH_MODEL = pytest.mark.parametrize("model_class", [RankingGP, PoissonRankModel])
DIGEST = SearchSpaceDigest(feature_names=["x"], bounds=[(0.0, 1.0)])
X = torch.linspace(0.0, 1.0, 8, dtype=torch.double).unsqueeze(-1)


def dataset(Y: Tensor, name: str = "y", Yvar: Tensor | None = None) -> SupervisedDataset:
    return SupervisedDataset(X, Y, Yvar=Yvar, feature_names=["x"], outcome_names=[name])


@pytest.mark.parametrize(
    # To a kernel, two categories are as far apart as the ends of the unit interval.
    ("model_class", "own"),
    [(RankingGP, 0.5**0.5), (PoissonRankModel, 1.0)],
)
def test_ax_builds_the_input_transform_from_the_search_space(
    model_class: type[RankModel], own: float
) -> None:
    digest = SearchSpaceDigest(
        feature_names=["x", "kind"],
        bounds=[(-5.0, 10.0), (2.0, 7.0)],
        categorical_features=[1],
        discrete_choices={1: [2.0, 3.0, 7.0]},
    )
    points = torch.tensor([[-5.0, 2.0], [10.0, 7.0], [2.5, 3.0]], dtype=torch.float64)
    names = ["x", "kind"]
    dataset = SupervisedDataset(points, points[:, :1], feature_names=names, outcome_names=["y"])
    inputs = submodel_input_constructor(
        model_class,
        model_config=ModelConfig(botorch_model_class=model_class, model_options={}),
        dataset=dataset,
        search_space_digest=digest,
        surrogate=RankSurrogate(),
    )
    expected = torch.tensor(
        [[0.0, own, 0.0, 0.0], [1.0, 0.0, 0.0, own], [0.5, 0.0, own, 0.0]], dtype=torch.float64
    )
    torch.testing.assert_close(model_class(**inputs).encode(points), expected)


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


@EACH_MODEL
def test_ax_fitting_is_the_models_own(model_class: type[RankModel]) -> None:
    by_ax, direct = model_class(X, X.sin()), model_class(X, X.sin()).fit()
    fit_botorch_model(by_ax, mll_class=None, mll_options={})
    for one, other in zip(by_ax.parameters(), direct.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    "spec", [SurrogateSpec(), SurrogateSpec(model_configs=[ModelConfig(SingleTaskGP)])]
)
def test_a_model_of_values_is_refused(spec: SurrogateSpec) -> None:
    with pytest.raises(UserInputError, match="models of an order, not"):
        RankSurrogate(spec).fit([dataset(X.sin())], DIGEST)
