"""Generation strategies for :meth:`ax.api.client.Client.set_generation_strategy`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Unpack

from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from botorch.acquisition import AcquisitionFunction

from botorch_popbo.ax._checks import check_given_whole
from botorch_popbo.ax.nodes import (
    GPAcquisitionName,
    InitialDesign,
    NodeOptions,
    PresetName,
    RankAcquisitionName,
    gp_node,
    initial_node,
    popbo_node,
)
from botorch_popbo.ax.nodes._options import check_name
from botorch_popbo.ax.sources import BestOfSources, as_evaluations


class StrategyOptions(NodeOptions, total=False):
    """What every strategy can be told; see also :class:`~botorch_popbo.ax.nodes.NodeOptions`.

    Attributes:
        initial_design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.
    """

    initial_design: InitialDesign


def popbo_generation_strategy(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    num_initial_trials: int = 12,
    seed: int = 0,
    preset: PresetName = "default",
    **options: Unpack[StrategyOptions],
) -> GenerationStrategy:
    """An initial design followed by rank-based Bayesian optimization.

    Args:
        acquisition: ``"logei"``, ``"eri"``, ``"rlcb"``, or an acquisition function's class; see
            :func:`~botorch_popbo.ax.nodes.popbo_node`.
        num_initial_trials: Trials before the model takes over, at least two. Attached trials
            count; failed and abandoned ones do not. Without effect beside ``sources``: the first
            trial is the best of the first source, and the model takes over when one is complete, of
            a goal of several metrics two.
        seed: Seed of the design, the model and the optimizer. The same seed and results give
            the same candidates.
        preset: ``"default"``, a Gaussian process conditioned on the order of the outcomes;
            ``"paper"``, the network of Wang et al. (2023); or ``"exact"``, the same with the
            truncated law throughout.
        **options: See :class:`StrategyOptions`.

    Returns:
        A strategy for any goal that Ax can express: one metric, a weighted sum, several objectives,
        outcome constraints. Its suggestions carry the generator key ``"popbo-logei"``,
        ``"popbo-eri"`` or ``"popbo-rlcb"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_given_whole("num_initial_trials", num_initial_trials, 2)  # a rank compares points
    make_node = partial(popbo_node, acquisition, seed, preset)
    return _two_steps(make_node, num_initial_trials, seed, options)


def gp_generation_strategy(
    acquisition: GPAcquisitionName = "logei",
    num_initial_trials: int = 12,
    seed: int = 0,
    **options: Unpack[StrategyOptions],
) -> GenerationStrategy:
    """An initial design followed by Ax's Gaussian process, for comparison.

    Args:
        acquisition: ``"logei"``, ``"ucb"`` (with beta 4) or ``"qlognei"``. Only ``"qlognei"``
            accepts trials that run in parallel.
        num_initial_trials: Trials before the model takes over. Attached trials count; failed and
            abandoned ones do not.
        seed: Seed of the design. The optimizer of a GP strategy follows
            ``Client(random_seed=...)``.
        **options: See :class:`StrategyOptions`.

    Returns:
        A strategy whose suggestions carry the generator key ``"gp-logei"``, ``"gp-ucb"`` or
        ``"gp-qlognei"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_given_whole("num_initial_trials", num_initial_trials, 1)
    return _two_steps(partial(gp_node, acquisition), num_initial_trials, seed, options)


def generation_strategies(
    names: Sequence[str] = ("popbo-logei", "gp-logei"), **options: Any
) -> dict[str, GenerationStrategy]:
    """Several strategies with the same options, to run side by side.

    Args:
        names: Which ones: ``"popbo-"``, ``"paper-"``, ``"exact-"`` or ``"gp-"`` and the name of an
            acquisition function, such as ``"paper-rlcb"``.
        **options: Options of all of them; see :func:`popbo_generation_strategy`.

    Returns:
        The strategies by name, in the order asked for.

    Raises:
        UserInputError: If a name is unknown or an option is out of range.
    """
    if isinstance(names, str):
        raise UserInputError(f"names is a list of names, such as [{names!r}].")
    families: dict[str, Callable[..., GenerationStrategy]] = {
        "popbo": popbo_generation_strategy,
        "paper": partial(popbo_generation_strategy, preset="paper"),
        "exact": partial(popbo_generation_strategy, preset="exact"),
        "gp": gp_generation_strategy,
    }
    strategies = {}
    for name in names:
        family, _, acquisition = str(name).partition("-")
        if family not in families or not acquisition:
            raise UserInputError(
                f"Unknown strategy {name!r}; names begin with {', '.join(families)}, followed by "
                "a dash and an acquisition function, as in 'popbo-logei'."
            )
        strategies[name] = families[family](acquisition, **options)
    return strategies


def _two_steps(
    make_node: Callable[..., GenerationNode],
    num_initial_trials: int,
    seed: int,
    options: StrategyOptions,
) -> GenerationStrategy:
    """A strategy of an initial design and a model."""
    design = options.get("initial_design", "sobol")
    check_name("initial_design", design, InitialDesign)
    model = make_node(**{k: v for k, v in options.items() if k != "initial_design"})
    deduplicate = options.get("deduplicate", True)
    sources = as_evaluations(options.get("sources", ()))
    if sources:
        num_initial_trials = 1
    initial = initial_node(model.name, num_initial_trials, seed, design, deduplicate)
    first: list[GenerationNode] = []
    if sources:
        first = [BestOfSources(model.name, initial.name, sources)]
    nodes = [*first, initial, model]
    return GenerationStrategy(name="+".join(node.name for node in nodes), nodes=nodes)
