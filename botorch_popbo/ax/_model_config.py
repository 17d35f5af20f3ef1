"""What a model of an order can use of Ax's configuration of a model."""

from dataclasses import fields

from ax.exceptions.core import UserInputError
from ax.generators.torch.botorch_modular.surrogate import SurrogateSpec
from ax.generators.torch.botorch_modular.utils import ModelConfig
from botorch.models.transforms.input import Normalize

from botorch_popbo.models import RankModel

_KNOWN = {"botorch_model_class", "mll_class", "model_options", "name"}  # Ax sets mll_class itself
# Increasing ones, which leave the order as it is.
_HARMLESS = {"outcome_transform_classes", "outcome_transform_options"}


def check_models(spec: SurrogateSpec) -> None:
    """Refuse models of values.

    Args:
        spec: The models that a surrogate may choose from.

    Raises:
        UserInputError: If one of them is no model of an order, or Ax's default; or if there are
            several, and one cannot be compared with others.
    """
    for configs in (spec.model_configs, *spec.metric_to_model_configs.values()):
        for config in configs:
            model = config.botorch_model_class
            if model is None or not issubclass(model, RankModel):
                name = "Ax's default" if model is None else model.__name__
                raise UserInputError(
                    f"A RankSurrogate fits models of an order, not {name}. Pass SurrogateSpec("
                    "model_configs=[ModelConfig(botorch_model_class=RankingGP)]); for a model of "
                    "values use Ax's own surrogate."
                )
            if len(configs) > 1 and not model.has_uncertainty:
                raise UserInputError(
                    f"Ax chooses between models by normal laws, which {model.__name__} has not. "
                    "Configure one model for a metric."
                )


def check_used(config: ModelConfig) -> None:
    """Refuse settings that would have no effect.

    Args:
        config: The configuration of a model of an order.

    Raises:
        UserInputError: If there is one.
    """
    default = ModelConfig()
    names = [field.name for field in fields(config) if field.name not in _KNOWN | _HARMLESS]
    given = [name for name in names if getattr(config, name) != getattr(default, name)]
    if config.input_transform_classes in (None, [], [Normalize]):  # the model's own do as much
        given = [name for name in given if not name.startswith("input_transform")]
    if given:
        raise UserInputError(
            f"{', '.join(given)} of a ModelConfig would have no effect on a model of an order, "
            "which has its own kernel, transforms and fit in Ax. Leave it out."
        )
