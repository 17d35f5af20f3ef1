"""What BoTorch expects of an acquisition function."""

from collections.abc import Mapping
from typing import Any

import torch
from botorch.acquisition.input_constructors import get_acqf_input_constructor
from botorch.exceptions import UnsupportedError
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed

from botorch_popbo.testing.acquisition_setup import AcquisitionSetup
from botorch_popbo.testing.base import each_case
from botorch_popbo.testing.checks import (
    Tkwargs,
    random_state_untouched,
    require,
    require_gradient,
    require_tensor,
    seeded,
)

# Small enough for a test, and the same starting points every time.
_SEARCH: Mapping[str, Any] = {
    "num_restarts": 2,
    "raw_samples": 8,
    "options": {"maxiter": 5, "seed": 0},
}


class AcquisitionContract(AcquisitionSetup):
    """Tests of an :class:`~botorch.acquisition.AcquisitionFunction`.

    A subclass supplies :meth:`make_model` and :meth:`make_acquisition`.
    """

    @each_case()
    def test_values_have_the_shape_of_the_batch(self, tkwargs: Tkwargs) -> None:
        """One finite value for each t-batch, in the dtype of the points."""
        function = self.build(tkwargs)
        for lead in ((4,), (2, 3)):
            values = function(self.points(*lead, self.q, seed=1, **tkwargs))
            require_tensor(values, lead, tkwargs, f"The value of a batch {lead}")
        value = function(self.points(self.q, seed=1, **tkwargs))
        require_tensor(value.reshape(1), (1,), tkwargs, "The value of q x d points")
        require(value.ndim <= 1, f"The value of q x d points has shape {tuple(value.shape)}.")

    @each_case()
    def test_a_batch_equals_single_evaluations(self, tkwargs: Tkwargs) -> None:
        """A t-batch is a number of independent evaluations."""
        function, X = self.build(tkwargs), self.points(2, 3, self.q, seed=1, **tkwargs)
        single = torch.stack([function(x).reshape(()) for x in X.flatten(0, 1)])
        self.require_close(function(X), single.reshape(2, 3), "A batch, and one by one")

    @each_case("differentiable")
    def test_gradients_reach_the_points(self, tkwargs: Tkwargs) -> None:
        """The value is differentiable in the points, evaluated ones among them."""
        known = self.make_data(**tkwargs)[0][: self.q].unsqueeze(0)
        X = torch.cat([self.points(4, self.q, seed=1, **tkwargs), known]).requires_grad_()
        require_gradient(self.build(tkwargs)(X), X, "The value")

    @each_case()
    def test_repeated_calls_agree(self, tkwargs: Tkwargs) -> None:
        """The value depends on nothing but the points."""
        function, X = self.build(tkwargs), self.points(4, self.q, seed=1, **tkwargs)
        first = function(X).detach()
        function(self.points(3, self.q, seed=2, **tkwargs))  # what came between does not matter
        with seeded(1):
            require(torch.equal(function(X), first), "The same points have other values later.")
        if self.leaves_random_state:
            with random_state_untouched("Evaluation"):
                function(X)

    @each_case()
    def test_pending_points_are_known_or_refused(self, tkwargs: Tkwargs) -> None:
        """Pending points are taken, and forgotten again, or refused by name."""
        function, X = self.build(tkwargs), self.points(4, self.q, seed=1, **tkwargs)
        before = function(X)
        try:
            function.set_X_pending(self.points(2, seed=2, **tkwargs))
        except UnsupportedError:
            require(not self.supports_X_pending, "set_X_pending is refused.")
            return
        require(self.supports_X_pending, "set_X_pending is not refused.")
        require_tensor(function(X), (4,), tkwargs, "The value with pending points")
        function.set_X_pending(None)
        self.require_close(function(X), before, "Values without pending points, before and after")

    @each_case("has_input_constructor")
    def test_the_input_constructor_builds_it(self, tkwargs: Tkwargs) -> None:
        """The registered input constructor builds an equal function."""
        expected, X = self.build(tkwargs), self.points(4, self.q, seed=1, **tkwargs)
        options = {"model": expected.model, "training_data": self.make_dataset(**tkwargs)}
        construct = get_acqf_input_constructor(type(expected))
        built = type(expected)(**construct(**options, **self.constructor_options()))
        self.require_close(built(X), expected(X), "The function that was constructed")

    @each_case()
    def test_optimize_acqf(self, tkwargs: Tkwargs) -> None:
        """Multi-start gradient search returns points within the bounds, the same every time."""
        X = self.optimized(tkwargs, optimize_acqf, self.q, bounds=self.cube(tkwargs), **_SEARCH)
        again = self.optimized(tkwargs, optimize_acqf, self.q, bounds=self.cube(tkwargs), **_SEARCH)
        self.require_close(again, X, "A second optimization")

    @each_case()
    def test_optimize_acqf_discrete(self, tkwargs: Tkwargs) -> None:
        """The best of a list is found."""
        choices = self.points(9, seed=1, **tkwargs)
        X = self.optimized(tkwargs, optimize_acqf_discrete, 1, choices=choices)
        require(bool((choices == X).all(-1).any()), "The best choice is not one of the choices.")
        function = self.build(tkwargs)
        best = torch.stack([function(x.unsqueeze(0)).reshape(()) for x in choices]).max()
        self.require_close(function(X).reshape(()), best, "The value of the best choice")

    @each_case()
    def test_optimize_acqf_mixed(self, tkwargs: Tkwargs) -> None:
        """Fixed features keep one of their values."""
        fixed = [{0: 0.25}, {0: 0.75}]
        options = {**_SEARCH, "bounds": self.cube(tkwargs), "fixed_features_list": fixed}
        X = self.optimized(tkwargs, optimize_acqf_mixed, 1, **options)
        require(X[0, 0].item() in (0.25, 0.75), "A fixed feature has another value.")
