"""Generation strategies for :meth:`ax.api.client.Client.set_generation_strategy`, and nodes."""

from inspect import signature
from typing import Literal, Unpack, get_args

from ax.adapter.registry import Cont_X_trans, Generators, Mixed_transforms, Y_trans
from ax.adapter.transforms.map_key_to_float import MapKeyToFloat
from ax.core.trial_status import TrialStatus
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MaxGenerationParallelism, MinTrials
from botorch.acquisition import AcquisitionFunction
from botorch.acquisition.analytic import LogExpectedImprovement, UpperConfidenceBound
from botorch.acquisition.logei import qLogNoisyExpectedImprovement

from botorch_popbo.ax._progress import DistinctPoints
from botorch_popbo.ax.generator_spec import (
    NodeOptions,
    PresetName,
    RankAcquisitionName,
    check_name,
    check_whole,
    rank_generator_spec,
)
from botorch_popbo.ax.nodes import DesignNode, RankNode
from botorch_popbo.ax.sources import BestOfSources

InitialDesign = Literal["sobol", "uniform"]

_GP_ACQUISITIONS = {
    "logei": LogExpectedImprovement,
    "ucb": UpperConfidenceBound,
    "qlognei": qLogNoisyExpectedImprovement,
}


def initial_node(
    next_node_name: str,
    num_trials: int = 12,
    seed: int | None = None,
    design: InitialDesign = "sobol",
) -> GenerationNode:
    """The initial design, which ends as soon as half of its trials have ended with data.

    At least two of them have to be distinct points. A design whose trials are complete without a
    metric of the goal raises Ax's ``DataRequiredError``, and one that has tried every point of the
    space ``SearchSpaceExhausted``.

    Args:
        next_node_name: Name of the node that takes over.
        num_trials: Trials before that. Attached trials count; failed and abandoned ones do not.
        seed: Seed of the design; see :func:`popbo_generation_strategy`.
        design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.

    Returns:
        The node, named after the design.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("design", design, get_args(InitialDesign))
    num_trials = check_whole("num_trials", num_trials, 1)
    if seed is not None:
        seed = check_whole("seed", seed, 0) % (2**63 if design == "sobol" else 2**32)
    spec = GeneratorSpec(
        generator_enum=Generators.SOBOL if design == "sobol" else Generators.UNIFORM,
        generator_kwargs={"seed": seed, "transforms": Cont_X_trans},
        generator_key_override=design.capitalize(),
    )
    enough = MinTrials(
        threshold=num_trials,
        transition_to=next_node_name,
        use_all_trials_in_exp=True,
        not_in_statuses=[TrialStatus.FAILED, TrialStatus.ABANDONED],
    )
    # Trials still running have no rank, so the model waits for half of the design.
    half = min(max(num_trials // 2, 2), num_trials)
    return DesignNode(
        name=design,
        generator_specs=[spec],
        # A design of one trial is one beside sources.
        transition_criteria=[enough, DistinctPoints(next_node_name, num_trials == 1, half)],
    )


def popbo_node(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    seed: int | None = None,
    preset: PresetName = "default",
    **options: Unpack[NodeOptions],
) -> GenerationNode:
    """Search with a model of the order of the outcomes.

    Args:
        acquisition: ``"logei"`` (expected improvement of the utility behind the ranks, or of the
            front of several), ``"eri"`` (expected ranking improvement), ``"rlcb"`` (rectified lower
            confidence bound), or any acquisition function's class that Ax's storage knows. By
            default ``"logei"``, which needs ``preset="default"``; for the other presets ``"eri"``.
        seed: Seed of the model and the optimizer; see :func:`popbo_generation_strategy`.
        preset: ``"default"``, a :class:`~botorch_popbo.RankingGP`; ``"paper"``, the network of Wang
            et al. (2023); or ``"exact"``, the same with the truncated law and its exact standard
            deviation throughout.
        **options: See :class:`NodeOptions`.

    Returns:
        The node, whose name and generator key is ``"popbo-"`` and the name of the acquisition
        function. It never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    spec = rank_generator_spec(acquisition, seed, preset, options)
    pauses = []
    if (at_most := options.get("max_parallelism")) is not None:
        limit, running = check_whole("max_parallelism", at_most, 1), [TrialStatus.RUNNING]
        pauses = [MaxGenerationParallelism(limit, running, use_all_trials_in_exp=True)]
    return RankNode(name=spec.generator_key, generator_specs=[spec], pausing_criteria=pauses)


def popbo_generation_strategy(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    num_initial_trials: int = 12,
    seed: int | None = None,
    preset: PresetName = "default",
    initial_design: InitialDesign = "sobol",
    **options: Unpack[NodeOptions],
) -> GenerationStrategy:
    """An initial design followed by rank-based Bayesian optimization.

    Args:
        acquisition: ``"logei"``, ``"eri"``, ``"rlcb"``, or an acquisition function's class; see
            :func:`~botorch_popbo.ax.popbo_node`.
        num_initial_trials: Trials before the model takes over, at least two. Attached trials
            count; failed and abandoned ones do not. Without effect beside ``sources``: the first
            trial is the best of the first source, and the model takes over when one is complete, of
            a goal of several metrics two.
        seed: Seed of the design, the model and the optimizer. The same seed and results give
            the same candidates. By default the seed of PyTorch's global generator at the first
            suggestion, which ``torch.manual_seed``, ``Client(random_seed=...)`` and Ax's benchmark
            set; the strategy keeps it.
        preset: ``"default"``, a Gaussian process conditioned on the order of the outcomes;
            ``"paper"``, the network of Wang et al. (2023); or ``"exact"``, the same with the
            truncated law throughout.
        initial_design: ``"sobol"``, a scrambled Sobol sequence, or ``"uniform"``, as in the paper.
        **options: See :class:`~botorch_popbo.ax.NodeOptions`.

    Returns:
        A strategy for any goal that Ax can express: one metric, a weighted sum, several objectives,
        outcome constraints. Its suggestions carry the generator key ``"popbo-logei"``,
        ``"popbo-eri"`` or ``"popbo-rlcb"``; it never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    *named, _ = signature(popbo_generation_strategy).parameters
    for name in options:
        check_name("option", name, [*named, *NodeOptions.__annotations__])
    check_whole("num_initial_trials", num_initial_trials, 2)  # a rank compares points
    model = popbo_node(acquisition, seed, preset, **options)
    configs = model.generator_spec.generator_kwargs["transform_configs"]
    sources = configs["TellSurrogate"]["sources"]
    number = 1 if sources else num_initial_trials
    nodes = [initial_node(model.name, number, seed, initial_design), model]
    if sources:
        nodes.insert(0, BestOfSources(model.name, nodes[0].name, sources))
    return GenerationStrategy(nodes=nodes)


def gp_generation_strategy(
    acquisition: Literal["logei", "ucb", "qlognei"] = "logei",
    num_initial_trials: int = 12,
    seed: int | None = None,
) -> GenerationStrategy:
    """The same initial design followed by Ax's Gaussian process, for comparison.

    Args:
        acquisition: ``"logei"``, ``"ucb"`` (with beta 4) or ``"qlognei"``. Only ``"qlognei"``
            accepts trials that run in parallel.
        num_initial_trials: Trials before the model takes over. Attached trials count; failed and
            abandoned ones do not.
        seed: Seed of the design, as above. The optimizer follows ``Client(random_seed=...)``.

    Returns:
        A strategy whose suggestions carry the generator key ``"gp-"`` and the acquisition's name.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("acquisition", acquisition, _GP_ACQUISITIONS)
    spec = GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs={
            "botorch_acqf_class": _GP_ACQUISITIONS[acquisition],
            "botorch_acqf_options": {"beta": 4.0} if acquisition == "ucb" else {},
            # Ax's own but for the one-hot relaxation of categories, whose candidates round to
            # points already evaluated; here the kernel handles categories.
            "transforms": [MapKeyToFloat, *Mixed_transforms, *Y_trans],
        },
        generator_key_override=f"gp-{acquisition}",
    )
    model = GenerationNode(
        spec.generator_key, generator_specs=[spec], should_deduplicate=True, fallback_specs={}
    )
    return GenerationStrategy(nodes=[initial_node(model.name, num_initial_trials, seed), model])
