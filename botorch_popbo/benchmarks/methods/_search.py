"""Encoded points of a search space: their features, random ones, and the best one."""

import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim import optimize_acqf
from torch import Tensor

from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.models.input_transforms import OneHotCategories
from botorch_popbo.optim._maximize import maximize as maximize_in_domain
from botorch_popbo.optim._tables import MAX_CANDIDATES


def one_hot(encoding: Encoding, scale: float = 2**-0.5) -> OneHotCategories | None:
    """The transform of encoded points that models take, or None where there is no category.

    With the default scale two categories are as far apart as the ends of a range.
    """
    categories = {i: encoding.choices[i].tolist() for i in encoding.categorical}
    categories = {i: values for i, values in categories.items() if len(values) > 1}
    return OneHotCategories(len(encoding.parameters), categories, scale) if categories else None


def features(encoding: Encoding, X: Tensor) -> Tensor:
    """Encoded points, ``batch_shape x n x d``, as the models see them: categories one-hot."""
    transform = one_hot(encoding)
    return X if transform is None else transform.transform(X)


def uniform_points(encoding: Encoding, number: int) -> Tensor:
    """``number x d`` encoded points drawn from the global generator."""
    points = torch.rand(number, len(encoding.parameters), dtype=torch.float64)
    for i, codes in encoding.choices.items():
        points[:, i] = codes[(points[:, i] * len(codes)).long()]
    return points


def drop_known(encoding: Encoding, candidates: Tensor, X: Tensor) -> Tensor:
    """The candidates, whole numbers rounded, without the evaluated points; all if all are known."""
    candidates = encoding.domain.snap(candidates)
    is_new = (candidates.unsqueeze(1) != X).any(-1).all(-1)
    return candidates[is_new] if is_new.any() else candidates


def maximize(
    acquisition: AcquisitionFunction,
    encoding: Encoding,
    X: Tensor,
    seed: int,
    max_candidates: int = MAX_CANDIDATES,
) -> Tensor:
    """The best point of a search space, of shape ``d``.

    Where all is a choice, up to ``max_candidates`` random ones of the points beside ``X``, or of
    all once none is left.
    """
    if not encoding.is_box:
        return maximize_in_domain(acquisition, encoding.domain, X, max_candidates, seed)
    best, _ = optimize_acqf(
        acquisition,
        encoding.bounds,
        q=1,
        num_restarts=4,
        raw_samples=512,
        retry_on_optimization_warning=False,
    )
    return best[0]
