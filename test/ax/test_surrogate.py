import pytest
import torch
from ax.core.search_space import SearchSpaceDigest
from ax.exceptions.core import UserInputError
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.models import SingleTaskGP
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo import RankingGP
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
