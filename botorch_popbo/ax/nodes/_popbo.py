"""The node of a rank model."""

from typing import Any, Literal, Unpack

from ax.exceptions.core import UserInputError
from ax.generation_strategy.generation_node import GenerationNode
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model

from botorch_popbo.acquisition import (
    ExpectedRankingImprovement,
    LogExpectedUtilityImprovement,
    RectifiedLowerConfidenceBound,
)
from botorch_popbo.ax._adapter import RankGenerators
from botorch_popbo.ax._checks import check_given_whole
from botorch_popbo.ax.acquisition import RankAcquisition
from botorch_popbo.ax.nodes._model_node import model_node
from botorch_popbo.ax.nodes._options import NodeOptions, check_name
from botorch_popbo.ax.nodes._transforms import RANK_TRANSFORM_CONFIGS, RANK_TRANSFORMS
from botorch_popbo.ax.sources import as_evaluations
from botorch_popbo.ax.surrogate import RankSurrogate
from botorch_popbo.models import PoissonRankModel, RankingGP
from botorch_popbo.settings import PaperSettings

PresetName = Literal["default", "paper", "exact"]
RankAcquisitionName = Literal["logei", "eri", "rlcb"]

_RANK_ACQUISITIONS: dict[str, type[AcquisitionFunction]] = {
    "logei": LogExpectedUtilityImprovement,
    "eri": ExpectedRankingImprovement,
    "rlcb": RectifiedLowerConfidenceBound,
}
# The model of each preset and its options, and options of the lower confidence bound.
_PRESETS: dict[str, tuple[type[Model], dict[str, Any], dict[str, Any]]] = {
    "default": (RankingGP, {}, {}),
    "paper": (
        PoissonRankModel,
        {"untruncated_from": PaperSettings.untruncated_from},
        {"poisson_deviation": True},
    ),
    "exact": (PoissonRankModel, {}, {}),
}


def popbo_node(
    acquisition: RankAcquisitionName | type[AcquisitionFunction] | None = None,
    seed: int = 0,
    preset: PresetName = "default",
    *,
    next_node_name: str | None = None,
    num_trials: int | None = None,
    **options: Unpack[NodeOptions],
) -> GenerationNode:
    """Search with a model of the order of the outcomes.

    Args:
        acquisition: ``"logei"`` (expected improvement of the utility behind the ranks, or of the
            front of several), ``"eri"`` (expected ranking improvement), ``"rlcb"`` (rectified lower
            confidence bound), or any acquisition function's class that Ax's storage knows. By
            default ``"logei"``, which needs ``preset="default"``; for the other presets ``"eri"``.
        seed: Seed of the model and the optimizer.
        preset: ``"default"``, a :class:`~botorch_popbo.RankingGP`; ``"paper"``, the network of Wang
            et al. (2023); or ``"exact"``, the same with the truncated law and its exact standard
            deviation throughout.
        next_node_name: Name of the node that takes over, if any does.
        num_trials: Trials of the whole experiment before that.
        **options: See :class:`NodeOptions`.

    Returns:
        The node, whose name and generator key is ``"popbo-"`` and the name of the acquisition
        function. It never falls back to another generator.

    Raises:
        UserInputError: If an option is unknown or out of range.
    """
    check_name("preset", preset, PresetName)
    seed = check_given_whole("seed", seed, 0)
    if acquisition is None:
        acquisition = "logei" if preset == "default" else "eri"
    name, acquisition_class = _rank_acquisition(acquisition)
    model_class, model_options, deviation = _PRESETS[preset]
    if acquisition_class is LogExpectedUtilityImprovement and model_class is not RankingGP:
        raise UserInputError(
            f'acquisition="logei" needs a model with uncertainty, which preset={preset!r} has not; '
            'use preset="default", or acquisition="eri" or "rlcb".'
        )
    acquisition_options: dict[str, Any] = {}
    if acquisition_class in (ExpectedRankingImprovement, RectifiedLowerConfidenceBound):
        acquisition_options["seed"] = seed
    if acquisition_class is RectifiedLowerConfidenceBound:
        acquisition_options |= deviation
    sources = as_evaluations(options.get("sources", ()))
    if sources and model_class is not RankingGP:
        raise UserInputError(f'sources need preset="default"; got preset={preset!r}.')
    if model_class is PoissonRankModel:
        model_options = {**model_options, "seed": seed}
    config = ModelConfig(botorch_model_class=model_class, model_options=model_options, name=preset)
    generator_kwargs = {
        # Predictions of held-out points would otherwise come from a model that saw them.
        "surrogate": RankSurrogate(
            SurrogateSpec(model_configs=[config]), refit_on_cv=True, warm_start_refit=False
        ),
        "botorch_acqf_class": acquisition_class,
        "botorch_acqf_options": acquisition_options,
        "acquisition_class": RankAcquisition,
        "acquisition_options": {"seed": seed},
        "transforms": RANK_TRANSFORMS,
        "transform_configs": RANK_TRANSFORM_CONFIGS,
        "fit_tracking_metrics": model_class is RankingGP,
        "refit_on_cv": True,
        "warm_start_refit": False,
    }
    if sources:
        generator_kwargs["sources"] = sources
    generator = RankGenerators.RANKS
    name = f"popbo-{name}"
    return model_node(name, generator, generator_kwargs, next_node_name, num_trials, options)


def _rank_acquisition(
    acquisition: str | type[AcquisitionFunction],
) -> tuple[str, type[AcquisitionFunction]]:
    """Name and class of an acquisition function."""
    if not isinstance(acquisition, type):
        check_name("acquisition", acquisition, RankAcquisitionName)
        return acquisition, _RANK_ACQUISITIONS[acquisition]
    if not issubclass(acquisition, AcquisitionFunction):
        raise UserInputError(f"{acquisition.__name__} is no acquisition function of BoTorch.")
    names = {known: name for name, known in _RANK_ACQUISITIONS.items()}
    return names.get(acquisition, acquisition.__name__), acquisition
