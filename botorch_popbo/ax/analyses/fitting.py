"""From an Ax experiment to the fitted model of one metric's ranks."""

from ax.adapter.base import Adapter
from ax.adapter.torch import TorchAdapter
from ax.core.experiment import Experiment
from ax.exceptions.core import AxError, UserInputError
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generators.torch.botorch_modular.generator import BoTorchGenerator
from ax.generators.torch.botorch_modular.surrogate import Surrogate
from botorch.exceptions import BotorchError

from botorch_popbo.ax.analyses.fitted_ranks import FittedRanks
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.models import RankModel

_HINT = (
    "With client.set_generation_strategy(popbo_generation_strategy(...)) this card is available "
    "as soon as the initial design is complete."
)


def fitted_ranks(
    experiment: Experiment | None,
    generation_strategy: GenerationStrategy | None,
    adapter: Adapter | None,
    metric_name: str | None = None,
) -> FittedRanks:
    """Fit the strategy's model to all data and pick out the model of one metric.

    Args:
        experiment: The experiment.
        generation_strategy: A rank-based strategy. Nothing is fitted again without new data.
        adapter: A fitted adapter to use instead of the strategy's.
        metric_name: Name of an objective's metric; by default the first one.

    Returns:
        The model and what belongs to it.

    Raises:
        UserInputError: If there is no experiment, objective, data or rank model; says what to do.
    """
    if experiment is None:
        raise UserInputError("Pass an experiment: this card shows what a model learned from one.")
    if experiment.optimization_config is None:
        raise UserInputError("The experiment has no objective: call client.configure_optimization.")
    names = list(experiment.optimization_config.objective.metric_names)
    name = names[0] if metric_name is None else metric_name
    if name not in names:
        raise UserInputError(
            f"{name!r} is no metric of the objective, whose metrics are {', '.join(names)}: "
            "better and worse is known of those only."
        )
    if experiment.lookup_data().df.empty:
        raise UserInputError("The experiment has no data yet: complete some trials first.")
    adapter = adapter or _fit(experiment, generation_strategy)
    generator = None if adapter is None else adapter.generator
    if not isinstance(adapter, TorchAdapter) or not isinstance(generator, BoTorchGenerator):
        raise UserInputError(f"There is no model of ranks yet. {_HINT}")
    model = _model(generator.surrogate, experiment.metrics[name].signature)
    return FittedRanks(experiment, adapter, model, name)


def _fit(experiment: Experiment, strategy: GenerationStrategy | None) -> Adapter | None:
    if strategy is None:
        raise UserInputError(f"There is no generation strategy. {_HINT}")
    try:
        # The adapter of the latest suggestion has not seen the outcome of that suggestion.
        return strategy.fit(experiment=experiment)
    except (AxError, BotorchError) as error:
        raise UserInputError(f"The model could not be fitted: {error}") from error


def _model(surrogate: Surrogate, signature: str) -> RankModel:
    if not isinstance(surrogate, RankSurrogate) or signature not in surrogate.outcomes:
        raise UserInputError(f"The model of this generation strategy ranks nothing. {_HINT}")
    return surrogate.metric_models[surrogate.outcomes.index(signature)]
