"""Ax's adapter for a model that learns from every trial, and from sources."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import torch
from ax.adapter.data_utils import ExperimentData, extract_experiment_data
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
from ax.generators.random.sobol import SobolGenerator
from ax.generators.random.uniform import UniformGenerator
from ax.generators.torch.botorch_modular.generator import BoTorchGenerator
from ax.generators.types import TConfig
from botorch.utils.datasets import SupervisedDataset

from botorch_popbo.ax._design_adapter import DesignAdapter
from botorch_popbo.ax._pending_adapter import PendingAdapter
from botorch_popbo.ax._source_datasets import DatasetWithSources
from botorch_popbo.ax._source_points import check_numbers, points_of
from botorch_popbo.ax.sources import Evaluations, check_columns
from botorch_popbo.ax.transforms import MaximizeObjective


class RankAdapter(PendingAdapter, TorchAdapter):
    """Knows every trial, and encodes earlier experiments as the experiment itself.

    Ax widens the space of the model to trials outside of the search space when an adapter is made
    and leaves later ones out, so that an experiment would go on otherwise once it was loaded. And
    it forgets where abandoned trials with data were: a model without noise suggests them for ever.

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

    def _process_and_transform_data(
        self, experiment: Experiment, data: Data | None = None
    ) -> tuple[ExperimentData, SearchSpace]:
        is_known = partial(self._model_space.check_membership, check_all_parameters_present=False)
        if not all(is_known(arm.parameters) for arm in experiment.arms_by_name.values()):
            known = extract_experiment_data(experiment, self._data_loader_config, data)
            self._set_model_space(known.arm_data)
        return super()._process_and_transform_data(experiment, data)

    def _forgotten(self) -> dict[str, list[ObservationFeatures]]:
        """Abandoned points with data."""
        with_data = {*self._experiment.lookup_data().df["trial_index"]}
        trials = self._experiment.trials.values()
        abandoned = [t for t in trials if t.status.is_abandoned and t.index in with_data]
        return dict.fromkeys(self.outcomes, self._points_of(abandoned))

    def _get_fit_args(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        datasets, metadata, digest = super()._get_fit_args(*args, **kwargs)
        if not self._sources:
            return datasets, metadata, digest
        goal = self._optimization_config
        wanted = set() if goal is None else goal.metric_signatures  # of no tracking metric
        with_sources = [
            DatasetWithSources(
                dataset, [*filter(None, (self._encoded(dataset, one) for one in self._sources))]
            )
            if wanted.issuperset(dataset.outcome_names)
            else dataset
            for dataset in datasets
        ]
        return with_sources, metadata, digest

    def _encoded(self, target: SupervisedDataset, source: pd.DataFrame) -> SupervisedDataset | None:
        """What a source tells of one metric, encoded, larger being better: two points or more."""
        [metric], parameters = target.outcome_names, self._search_space.parameters
        check_columns(source, [*parameters, metric])
        sign = -1.0 if metric in self._negated else 1.0
        check_numbers(source, metric, allowed=-sign * math.inf)
        points = points_of(source[source[metric].notna()], parameters)
        if not points:
            return None
        outcomes = source.loc[[*points], [metric]].to_numpy(float)
        X = self.transform_observation_features([*map(ObservationFeatures, points.values())])
        if bool((X[:1] == X).all()):
            return None
        return SupervisedDataset(
            X=X,
            Y=torch.tensor(sign * outcomes).to(target.Y),
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

    RANKS = "PoPBO"
    SOBOL = "PoPBO Sobol"
    UNIFORM = "PoPBO Uniform"


GENERATOR_KEY_TO_GENERATOR_SETUP |= {
    RankGenerators.RANKS.value: GeneratorSetup(RankAdapter, BoTorchGenerator, transforms=[]),
    RankGenerators.SOBOL.value: GeneratorSetup(DesignAdapter, SobolGenerator, transforms=[]),
    RankGenerators.UNIFORM.value: GeneratorSetup(DesignAdapter, UniformGenerator, transforms=[]),
}
