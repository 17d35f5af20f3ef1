"""What BoTorch expects of an acquisition function of single points."""

import warnings
from typing import Any

import pytest
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.models.model import Model
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed
from botorch.utils.sampling import manual_seed
from torch import Tensor

from contracts.contract import Contract, Tkwargs, assert_close, assert_gradient, assert_tensor

# Small enough for a test, and the same starting points every time.
SEARCH: dict[str, Any] = {
    "num_restarts": 2,
    "raw_samples": 8,
    "options": {"maxiter": 5, "seed": 0},
}


class AcquisitionContract(Contract):
    def make_model(self, train_X: Tensor, train_Y: Tensor) -> Model:
        raise NotImplementedError

    def make_acquisition(self, model: Model) -> AcquisitionFunction:
        raise NotImplementedError

    def build(self, tkwargs: Tkwargs) -> AcquisitionFunction:
        return self.make_acquisition(self.make_model(*self.make_data(**tkwargs)))

    def cube(self, tkwargs: Tkwargs) -> Tensor:
        return torch.tensor([[0.0] * self.dim, [1.0] * self.dim], **tkwargs)

    def test_a_batch_equals_single_evaluations(self, tkwargs: Tkwargs) -> None:
        function, X = self.build(tkwargs), self.points(2, 3, 1, seed=1, **tkwargs)
        values = function(X)
        assert_tensor(values, (2, 3), tkwargs)
        single = torch.stack([function(x).reshape(()) for x in X.flatten(0, 1)])
        assert_close(values, single.reshape(2, 3))

    def test_gradients_reach_new_and_evaluated_points(self, tkwargs: Tkwargs) -> None:
        known = self.make_data(**tkwargs)[0][:1].unsqueeze(0)
        X = torch.cat([self.points(4, 1, seed=1, **tkwargs), known]).requires_grad_()
        assert_gradient(self.build(tkwargs)(X), X)

    @pytest.mark.usefixtures("rng_untouched")
    def test_the_value_depends_on_nothing_but_the_points(self, tkwargs: Tkwargs) -> None:
        function, X = self.build(tkwargs), self.points(4, 1, seed=1, **tkwargs)
        first = function(X)
        function(self.points(3, 1, seed=2, **tkwargs))
        with manual_seed(1):
            assert torch.equal(function(X), first)

    def test_botorchs_optimizers_return_points_of_the_domain(self, tkwargs: Tkwargs) -> None:
        cube, choices = self.cube(tkwargs), self.points(9, seed=1, **tkwargs)
        function, fixed = self.build(tkwargs), [{0: 0.25}, {0: 0.75}]
        with warnings.catch_warnings(), manual_seed(0):
            warnings.simplefilter("ignore")  # few steps may not converge
            anywhere, _ = optimize_acqf(function, cube, 1, **SEARCH)
            mixed, _ = optimize_acqf_mixed(function, cube, 1, fixed_features_list=fixed, **SEARCH)
            chosen, value = optimize_acqf_discrete(function, 1, choices)
        with warnings.catch_warnings(), manual_seed(0):
            warnings.simplefilter("ignore")
            again, _ = optimize_acqf(function, cube, 1, **SEARCH)
        for X in (anywhere, mixed, chosen):
            assert_tensor(X, (1, self.dim), tkwargs)
            assert ((X >= 0) & (X <= 1)).all()
        assert_close(again, anywhere)
        assert mixed[0, 0] in (0.25, 0.75)
        assert_close(value.max(), function(choices.unsqueeze(-2)).max())
