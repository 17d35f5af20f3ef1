"""Methods that are an Ax generation strategy."""

from collections.abc import Callable
from functools import partial

from ax.api.client import Client
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.utils.common.random import with_rng_seed

from botorch_popbo.benchmarks.methods.base import Method, Suggestion
from botorch_popbo.benchmarks.problems.base import Problem
from botorch_popbo.benchmarks.search_space.points import suggestion_seed
from botorch_popbo.benchmarks.settings import Parameters, Setting

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
    return Method(name, description, generator_prefix, partial(_ServiceLoop, build))


class _ServiceLoop:
    """Ax's service loop."""

    def __init__(self, build: BuildStrategy, problem: Problem, setting: Setting) -> None:
        self.problem = problem
        self.setting = setting
        self.client = Client()
        self.client.configure_experiment(parameters=problem.parameters, name=setting.stem)
        self.client.configure_optimization(objective=problem.objective)
        self.client.set_generation_strategy(build(setting.initial, setting.seed))
        self.running: dict[str, int] = {}

    def suggest(self, trial: int) -> Suggestion:
        # The acquisition's optimizer draws starting points from the global generators. One seed
        # for each trial makes them the same in a resumed replication.
        with with_rng_seed(suggestion_seed(self.problem.name, self.setting.seed, trial)):
            ((index, parameters),) = self.client.get_next_trials(max_trials=1).items()
        self.running[str(dict(parameters))] = index
        return Suggestion(dict(parameters), _generator(self.client, index))

    def observe(self, parameters: Parameters, observed: float) -> None:
        index = self.running.pop(str(dict(parameters)), None)
        if index is None:
            index = self.client.attach_trial(dict(parameters))
        self.client.complete_trial(index, {self.problem.metric_name: observed})


def _generator(client: Client, index: int) -> str:
    run = client._experiment.trials[index].generator_runs[0]
    return str(run._generator_key or run._generation_node_name)
