from typing import Any

import pytest
from ax.exceptions.core import UserInputError
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.models import SingleTaskGP
from botorch.models.transforms.input import Normalize, Warp
from botorch.models.transforms.outcome import Standardize
from gpytorch.kernels import RBFKernel
from gpytorch.likelihoods import GaussianLikelihood

from botorch_popbo import PoissonRankModel, RankingGP
from botorch_popbo.ax._model_config import check_models, check_used

RANKS = ModelConfig(botorch_model_class=RankingGP, name="ranks")


def test_models_of_an_order_are_taken() -> None:
    check_models(SurrogateSpec(model_configs=[RANKS]))
    check_used(RANKS)
    check_used(ModelConfig(botorch_model_class=PoissonRankModel, model_options={"seed": 3}))


@pytest.mark.parametrize(
    "given",
    [
        {"input_transform_classes": None},
        {"input_transform_classes": [Normalize], "input_transform_options": {"Normalize": {}}},
        {"outcome_transform_classes": [Standardize]},
    ],
)
def test_what_a_model_of_values_needs_does_no_harm(given: dict[str, Any]) -> None:
    check_used(ModelConfig(botorch_model_class=RankingGP, **given))


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (SurrogateSpec(), "Ax's default"),
        (SurrogateSpec(model_configs=[RANKS, ModelConfig(SingleTaskGP)]), "SingleTaskGP"),
        (SurrogateSpec([RANKS], {"loss": [ModelConfig(SingleTaskGP)]}), "SingleTaskGP"),
    ],
)
def test_models_of_values_are_refused(spec: SurrogateSpec, name: str) -> None:
    with pytest.raises(UserInputError, match=f"not {name}. Pass SurrogateSpec"):
        check_models(spec)


def test_a_network_has_no_rivals() -> None:
    network = ModelConfig(botorch_model_class=PoissonRankModel, name="network")
    check_models(SurrogateSpec(model_configs=[network]))
    for spec in (
        SurrogateSpec(model_configs=[RANKS, network]),
        SurrogateSpec(model_configs=[RANKS], metric_to_model_configs={"y": [network, RANKS]}),
    ):
        with pytest.raises(UserInputError, match="Configure one model"):
            check_models(spec)


@pytest.mark.parametrize(
    "given",
    [
        {"covar_module_class": RBFKernel},
        {"input_transform_classes": [Warp]},
        {"input_transform_classes": [Normalize, Warp]},
        {"likelihood_class": GaussianLikelihood},
        {"mll_options": {"steps": 3}},
    ],
)
def test_settings_without_effect_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UserInputError, match=f"{next(iter(given))} of a ModelConfig"):
        check_used(ModelConfig(botorch_model_class=RankingGP, **given))
