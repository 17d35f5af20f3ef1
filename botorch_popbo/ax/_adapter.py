"""Ax's adapter for a model that learns from sources, too."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import torch
from ax.adapter.registry import (
    GENERATOR_KEY_TO_GENERATOR_SETUP,
    GeneratorRegistryBase,
    GeneratorSetup,
)
from ax.adapter.torch import TorchAdapter
from ax.adapter.transforms.base import Transform
from ax.core.data import Data
from ax.core.experiment import Experiment
from ax.core.observation import ObservationFeatures
from ax.core.search_space import SearchSpace
from ax.generators.torch.botorch_modular.generator import BoTorchGenerator
from ax.generators.types import TConfig
from botorch.utils.datasets import SupervisedDataset
from torch import Tensor

from botorch_popbo.ax._source_points import points_of
from botorch_popbo.ax.sources import Evaluations, check_columns
from botorch_popbo.ax.transforms import MaximizeObjective


class DatasetWithSources(SupervisedDataset):
    """Evaluations of one metric, and those of earlier experiments.

    Args:
        target: The evaluations of the experiment itself.
        sources: Those of the sources.
    """

    def __init__(self, target: SupervisedDataset, sources: list[SupervisedDataset]) -> None:
        super().__init__(
            X=target.X,
            Y=target.Y,
            Yvar=target.Yvar,
            feature_names=target.feature_names,
            outcome_names=target.outcome_names,
            group_indices=target.group_indices,
        )
        self.sources = sources


def at_points(dataset: SupervisedDataset, encode: Callable[[Tensor], Tensor]) -> SupervisedDataset:
    """The same evaluations of other points.

    Args:
        dataset: The evaluations.
        encode: What becomes of the points.

    Returns:
        Another data set.
    """
    moved = SupervisedDataset(
        X=encode(dataset.X),
        Y=dataset.Y,
        Yvar=dataset.Yvar,
        feature_names=dataset.feature_names,
        outcome_names=dataset.outcome_names,
        group_indices=dataset.group_indices,
    )
    if not isinstance(dataset, DatasetWithSources):
        return moved
    return DatasetWithSources(moved, [at_points(source, encode) for source in dataset.sources])


class AdapterWithSources(TorchAdapter):
    """Encodes earlier experiments as the experiment itself.

    Args:
        experiment: See :class:`ax.adapter.torch.TorchAdapter`, like all others but the last.
        generator: See above.
        search_space: See above.
        data: See above.
        transforms: See above.
        transform_configs: See above.
        torch_device: See above.
        fit_tracking_metrics: See above.
        sources: Evaluations of each earlier experiment.
    """

    def __init__(
        self,
        *,
        experiment: Experiment,
        generator: BoTorchGenerator,
        search_space: SearchSpace | None = None,
        data: Data | None = None,
        transforms: Sequence[type[Transform]] | None = None,
        transform_configs: dict[str, TConfig] | None = None,
        torch_device: torch.device | None = None,
        fit_tracking_metrics: bool = True,
        sources: Sequence[Evaluations] = (),
    ) -> None:
        self._sources = [pd.DataFrame(source) for source in sources]
        super().__init__(
            experiment=experiment,
            generator=generator,
            search_space=search_space,
            data=data,
            transforms=transforms,
            transform_configs=transform_configs,
            torch_device=torch_device,
            fit_tracking_metrics=fit_tracking_metrics,
        )

    def _get_fit_args(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        datasets, metadata, digest = super()._get_fit_args(*args, **kwargs)
        goal = self._optimization_config
        wanted = set() if goal is None else goal.metric_signatures  # of no tracking metric
        with_sources = [
            DatasetWithSources(
                dataset, [self._encoded(dataset, source) for source in self._sources]
            )
            if wanted.issuperset(dataset.outcome_names)
            else dataset
            for dataset in datasets
        ]
        return with_sources, metadata, digest

    def _encoded(self, target: SupervisedDataset, source: pd.DataFrame) -> SupervisedDataset:
        """The evaluations of one metric of a source, encoded, larger being better."""
        [metric], parameters = target.outcome_names, self._search_space.parameters
        check_columns(source, [*parameters, metric])
        measured = source[source[metric].notna()]
        points = [*map(ObservationFeatures, points_of(measured, parameters).values())]
        sign = -1.0 if metric in self._negated else 1.0
        Y = torch.tensor(sign * measured[[metric]].to_numpy(float))
        return SupervisedDataset(
            X=self.transform_observation_features(points),
            Y=Y.to(target.Y),
            feature_names=target.feature_names,
            outcome_names=target.outcome_names,
        )

    @property
    def _negated(self) -> set[str]:
        transform = self.transforms[MaximizeObjective.__name__]
        assert isinstance(transform, MaximizeObjective)
        return transform.negated


class RankGenerators(GeneratorRegistryBase):
    """What Ax makes generators of, beside its own."""

    WITH_SOURCES = "PoPBO with sources"


GENERATOR_KEY_TO_GENERATOR_SETUP[RankGenerators.WITH_SOURCES.value] = GeneratorSetup(
    adapter_class=AdapterWithSources, generator_class=BoTorchGenerator, transforms=[]
)
