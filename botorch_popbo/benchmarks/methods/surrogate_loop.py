"""Methods that fit a model to the outcomes and maximise an acquisition function, on any space."""

from abc import abstractmethod
from typing import Any

import torch
from botorch.acquisition import AcquisitionFunction, LogExpectedImprovement
from botorch.models.model import Model
from botorch.optim import optimize_acqf, optimize_acqf_discrete
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from torch import Tensor

from botorch_popbo.benchmarks.methods.tensor_loop import TensorLoop
from botorch_popbo.benchmarks.search_space.encoding import Encoding
from botorch_popbo.models.transforms import OneHotCategories
from botorch_popbo.optim import unseen_candidates


def one_hot(encoding: Encoding, scale: float = 2**-0.5) -> OneHotCategories | None:
    """The transform of encoded points that models take, or None where there is no category.

    With the default scale two categories are as far apart as the ends of a range.
    """
    categories = {i: encoding.choices[i].tolist() for i in encoding.categorical}
    if not any(len(values) > 1 for values in categories.values()):
        return None
    categories = {i: values for i, values in categories.items() if len(values) > 1}
    return OneHotCategories(len(encoding.parameters), categories, scale=scale)


def features(encoding: Encoding, X: Tensor) -> Tensor:
    """Encoded points, ``batch_shape x n x d``, as the models see them: categories one-hot."""
    transform = one_hot(encoding)
    return X if transform is None else transform.transform(X)


def uniform_points(encoding: Encoding, number: int) -> Tensor:
    """Draw encoded points from the global generator, ``number x d``."""
    points = torch.rand(number, len(encoding.parameters), dtype=torch.float64)
    for i, codes in encoding.choices.items():
        points[:, i] = codes[(points[:, i] * len(codes)).long()]
    return points


def maximize(
    acquisition: AcquisitionFunction,
    encoding: Encoding,
    X: Tensor,
    seed: int,
    max_candidates: int = 100_000,
) -> Tensor:
    """Find the best point of a search space.

    Args:
        acquisition: What to maximise, a function of encoded points.
        encoding: The search space. Where every parameter is a choice, all points that were not
            evaluated are compared, as long as there are no more than ``max_candidates``, else so
            many random ones.
        X: The evaluated points, ``N x d``.
        seed: Seed of the random ones.
        max_candidates: See above.

    Returns:
        A point, of shape ``d``.
    """
    choices, categorical = encoding.choices, encoding.categorical
    if encoding.is_discrete:
        generator = torch.Generator().manual_seed(seed)
        values = [choices[i] for i in range(len(choices))]
        unseen = unseen_candidates(values, X, max_candidates, generator)
        best, _ = optimize_acqf_discrete(acquisition, q=1, choices=unseen, unique=False)
    elif choices:
        best, _ = optimize_acqf_mixed_alternating(
            acquisition,
            encoding.bounds,
            discrete_dims={i: v.tolist() for i, v in choices.items() if i not in categorical},
            cat_dims={i: choices[i].tolist() for i in categorical},
            num_restarts=4,
            raw_samples=256,
        )
    else:
        best, _ = optimize_acqf(
            acquisition,
            encoding.bounds,
            q=1,
            num_restarts=4,
            raw_samples=512,
            retry_on_optimization_warning=False,
        )
    return best[0]


class SurrogateLoop(TensorLoop):
    """Fit a model, maximise what it says of new points; by default log expected improvement."""

    max_candidates = 100_000

    def choose(self, X: Tensor, Y: Tensor, seed: int) -> tuple[Tensor, int]:
        """See the base class."""
        model = self.fit(X, Y, seed)
        with torch.no_grad():
            fitted = self.predict(model, X)
        # With noise the best observation is a lucky one; the best fitted value is not.
        acquisition = self.acquisition(model, X, fitted)
        best = maximize(acquisition, self.encoding, X, seed, self.max_candidates)
        return best, int(fitted.argmax())

    @abstractmethod
    def fit(self, X: Tensor, Y: Tensor, seed: int) -> Model:
        """Fit the model.

        Args:
            X: Encoded points, ``N x d``.
            Y: Outcomes, ``N x 1``, larger being better.
            seed: A seed of this trial; the global generator of torch starts from it, too.

        Returns:
            A model of the outcomes, or of a function that increases with them.
        """

    def acquisition(self, model: Any, X: Tensor, fitted: Tensor) -> AcquisitionFunction:
        """Make the acquisition function.

        Args:
            model: The fitted model.
            X: The points it was fitted to, ``N x d``.
            fitted: Its prediction at these, of shape ``N``.

        Returns:
            A function of ``b x 1 x d`` encoded points.
        """
        return LogExpectedImprovement(model, best_f=fitted.max())

    def predict(self, model: Any, X: Tensor) -> Tensor:
        """The posterior mean at ``N x d`` points, of shape ``N``."""
        mean: Tensor = model.posterior(X).mean.squeeze(-1)
        return mean
