"""Methods that are an Ax generation strategy."""

from collections.abc import Callable

from ax.api.client import Client
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.design import suggestion_seed
from botorch_popbo.benchmarks.methods.base import Method, Suggest, Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.settings import Setting

#: Makes a strategy from the size of the initial design (in trials) and a seed.
BuildStrategy = Callable[[int, int], GenerationStrategy]


def strategy_method(
    name: str, description: str, generator_prefix: str, build: BuildStrategy
) -> Method:
    """Make a method of an Ax generation strategy.

    Args:
        name: The name in the registry.
        description: One line for a list of methods.
        generator_prefix: What the names of the strategy's own generators begin with.
        build: Makes the strategy. Attached trials have to count towards its initial design.

    Returns:
        The method.
    """

    def start(client: Client, problem: Problem, setting: Setting) -> Suggest:
        client.set_generation_strategy(build(setting.initial, setting.seed))

        def suggest(trial: int) -> Suggestion:
            # The acquisition's optimizer draws starting points from the global generators. One
            # seed for each trial makes them the same in a resumed replication.
            with with_rng_seed(suggestion_seed(problem.name, setting.seed, trial)):
                ((index, parameters),) = client.get_next_trials(max_trials=1).items()
            return Suggestion(index, dict(parameters), _generator(client, index))

        return suggest

    return Method(name, description, generator_prefix, start)


def _generator(client: Client, index: int) -> str:
    run = client._experiment.trials[index].generator_runs[0]
    return str(run._generator_key or run._generation_node_name)
