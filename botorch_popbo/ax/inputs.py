"""Constructor arguments of a rank model from Ax's search space."""

from collections.abc import Mapping
from typing import Any

import torch
from ax.core.search_space import SearchSpaceDigest
from botorch.models.transforms.input import ChainedInputTransform, InputTransform, Normalize
from torch import Tensor

from botorch_popbo.models.transforms import OneHotCategories
from botorch_popbo.presets import get_preset


def rank_model_inputs(
    digest: SearchSpaceDigest, X: Tensor, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments that do not depend on the outcomes.

    Args:
        digest: The search space.
        X: Evaluated points, an ``N x d`` tensor.
        options: The ``model_options`` of Ax's ``ModelConfig``: a preset and a seed.

    Returns:
        Keyword arguments of :class:`~botorch_popbo.models.poisson_rank.PoissonRankModel`.
    """
    scale = get_preset(options.get("preset", "default")).category_scale
    return {**options, "input_transform": _input_transform(digest, X, scale)}


def _input_transform(digest: SearchSpaceDigest, X: Tensor, scale: float) -> InputTransform:
    """Map the search space to the unit cube, with one-hot columns for its categories."""
    d = len(digest.feature_names)
    numeric = [i for i in range(d) if i not in digest.categorical_features]
    categories = {
        i: values
        for i in digest.categorical_features
        if len(values := digest.discrete_choices[i]) > 1
    }
    transforms: dict[str, InputTransform] = {}
    if numeric:
        bounds = torch.tensor(digest.bounds, dtype=X.dtype, device=X.device).T
        transforms["unit_cube"] = Normalize(d=d, indices=numeric, bounds=bounds)
    if categories:
        transforms["one_hot"] = OneHotCategories(d, categories, scale)
    return ChainedInputTransform(**transforms)
