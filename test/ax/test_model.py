from itertools import pairwise

import pytest
import torch
from ax.core.search_space import SearchSpaceDigest
from ax.generators.torch.botorch_modular.surrogate import (
    ModelConfig,
    Surrogate,
    submodel_input_constructor,
)
from ax.generators.torch.botorch_modular.utils import fit_botorch_model
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from botorch.posteriors import GPyTorchPosterior
from botorch.utils.datasets import SupervisedDataset

from botorch_popbo.ax import OutcomePoissonRankModel
from botorch_popbo.presets import PresetName

EACH_PRESET = pytest.mark.parametrize("preset", ["default", "paper"])


def make_model(num_points: int = 9, preset: PresetName = "default") -> OutcomePoissonRankModel:
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(num_points, 2, generator=generator, dtype=torch.float64)
    return OutcomePoissonRankModel(X, 100.0 - X.sum(-1, keepdim=True), preset=preset).fit()


@EACH_PRESET
def test_mean_and_variance_match_the_law_of_the_rank_on_order_statistics(
    preset: PresetName,
) -> None:
    model = make_model(9, preset)
    X = torch.tensor([[0.2, 0.7]], dtype=torch.float64)
    falling = model.train_targets.sort(descending=True).values.tolist()
    levels = [falling[0], *((a + b) / 2 for a, b in pairwise(falling))]
    levels.append(falling[-1])
    p = [model.rank_posterior(X).density(torch.tensor(float(k))).item() for k in range(10)]
    assert abs(sum(p) - 1.0) < 1e-12
    mean = sum(q * level for q, level in zip(p, levels, strict=True))
    variance = sum(q * (level - mean) ** 2 for q, level in zip(p, levels, strict=True))
    posterior = model.posterior(X)
    assert isinstance(posterior, GPyTorchPosterior)
    torch.testing.assert_close(posterior.mean.item(), mean)
    torch.testing.assert_close(posterior.variance.item(), variance)


def test_mass_beyond_the_worst_rank_is_the_worst_outcome() -> None:
    model = make_model(20, "paper")
    for parameter in model.rate.parameters():
        parameter.data.zero_()
    model.rate.network[-1].bias.data.fill_(100.0)  # a rate far beyond every exposure
    X = torch.full((1, 2), 0.5, dtype=torch.float64)
    torch.testing.assert_close(model.posterior(X).mean.item(), model.train_targets.min().item())


@EACH_PRESET
def test_posterior_shapes_and_transform(preset: PresetName) -> None:
    model = make_model(preset=preset)
    X = torch.rand(3, 4, 2, dtype=torch.float64)
    assert model.posterior(X).mean.shape == (3, 4, 1)
    negated = model.posterior(
        X, posterior_transform=ScalarizedPosteriorTransform(torch.tensor([-1.0]).double())
    )
    torch.testing.assert_close(negated.mean, -model.posterior(X).mean)


@EACH_PRESET
def test_failures_leave_predictions_finite(preset: PresetName) -> None:
    X = torch.rand(6, 1, dtype=torch.float64)
    Y = torch.tensor([[1.0], [2.0], [-torch.inf], [3.0], [-torch.inf], [0.5]], dtype=torch.float64)
    posterior = OutcomePoissonRankModel(X, Y, preset=preset).fit().posterior(X)
    assert posterior.mean.isfinite().all()
    assert (posterior.mean >= 0.5).all()
    assert posterior.variance.isfinite().all()


@EACH_PRESET
def test_ax_builds_the_input_transform_from_the_search_space(preset: PresetName) -> None:
    digest = SearchSpaceDigest(
        feature_names=["x", "kind"],
        bounds=[(-5.0, 10.0), (2.0, 7.0)],
        categorical_features=[1],
        discrete_choices={1: [2.0, 3.0, 7.0]},
    )
    X = torch.tensor([[-5.0, 2.0], [10.0, 7.0], [2.5, 3.0]], dtype=torch.float64)
    dataset = SupervisedDataset(X, X[:, :1], feature_names=["x", "kind"], outcome_names=["y"])
    inputs = submodel_input_constructor(
        OutcomePoissonRankModel,
        model_config=ModelConfig(
            botorch_model_class=OutcomePoissonRankModel, model_options={"seed": 3, "preset": preset}
        ),
        dataset=dataset,
        search_space_digest=digest,
        surrogate=Surrogate(),
    )
    model = OutcomePoissonRankModel(**inputs)
    # To a kernel, two categories are as far apart as the ends of the unit interval.
    own = 0.5**0.5 if preset == "default" else 1.0
    expected = torch.tensor(
        [[0.0, own, 0.0, 0.0], [1.0, 0.0, 0.0, own], [0.5, 0.0, own, 0.0]], dtype=torch.float64
    )
    torch.testing.assert_close(model.encode(X), expected)


@EACH_PRESET
def test_ax_fitting_is_the_models_own(preset: PresetName) -> None:
    by_ax, direct = make_model(preset=preset), make_model(preset=preset)
    fit_botorch_model(by_ax, mll_class=None, mll_options={})
    direct.fit()
    for one, other in zip(by_ax.parameters(), direct.parameters(), strict=True):
        assert torch.equal(one, other)
