"""What BoTorch expects of a model of one output."""

import copy
from typing import Any

import pytest
import torch
from botorch.models.model import Model
from botorch.models.transforms.input import Normalize
from botorch.posteriors import Posterior
from botorch.utils.sampling import manual_seed
from torch import Tensor

from contracts.contract import Contract, Tkwargs, assert_close, assert_gradient, assert_tensor
from contracts.memory import LargestTensor


class ModelContract(Contract):
    #: Whether mean and variance of many points take memory in proportion to their number.
    linear_memory = False

    def make_model(self, train_X: Tensor, train_Y: Tensor, **options: Any) -> Model:
        """The model, fitted or not; of an ``input_transform`` if there is one in the options."""
        raise NotImplementedError

    def build(self, tkwargs: Tkwargs, **options: Any) -> Model:
        return self.make_model(*self.make_data(**tkwargs), **options)

    def queries(self, *lead: int, **tkwargs: Any) -> Tensor:
        return self.points(*lead, 3, seed=1, **tkwargs)

    @staticmethod
    def moments(model: Model, X: Tensor, **options: Any) -> Tensor:
        posterior: Any = model.posterior(X, **options)
        return torch.stack([posterior.mean, posterior.variance])

    @staticmethod
    def change(model: Model) -> Model:
        with torch.no_grad():
            for parameter in model.train().parameters():
                parameter.add_(0.1)
        return model.eval()

    @pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
    def test_the_posterior_has_the_shape_of_the_points(
        self, lead: tuple[int, ...], tkwargs: Tkwargs
    ) -> None:
        X = self.queries(*lead, **tkwargs)
        posterior: Any = self.build(tkwargs).posterior(X)
        assert isinstance(posterior, Posterior)
        for values in (posterior.mean, posterior.variance):
            assert_tensor(values, (*lead, 3, 1), tkwargs)
        assert (posterior.variance >= 0).all()

    def test_a_batch_equals_single_evaluations(self, tkwargs: Tkwargs) -> None:
        model, X = self.build(tkwargs), self.queries(4, **tkwargs)
        batched = self.moments(model, X)
        for i in range(4):
            assert_close(batched[:, i], self.moments(model, X[i]))

    def test_gradients_reach_the_points(self, tkwargs: Tkwargs) -> None:
        X = self.queries(2, **tkwargs).requires_grad_()
        model: Any = self.build(tkwargs)
        assert_gradient(model.posterior(X).mean, X)
        assert_gradient(model.posterior(X).variance, X)

    def test_there_is_one_output(self, tkwargs: Tkwargs) -> None:
        model, X = self.build(tkwargs), self.queries(**tkwargs)
        assert (model.num_outputs, model.batch_shape) == (1, torch.Size())
        expected = self.moments(model, X)
        assert_close(self.moments(model.subset_output([0]), X), expected)
        assert_close(self.moments(model, X, output_indices=[0]), expected)

    def test_a_state_dict_carries_the_model(self, tkwargs: Tkwargs) -> None:
        model, X = self.change(self.build(tkwargs)), self.queries(**tkwargs)
        fresh = self.build(tkwargs)
        fresh.load_state_dict(model.state_dict())
        assert_close(self.moments(fresh.eval(), X), self.moments(model, X))

    def test_a_copy_is_equal_and_independent(self, tkwargs: Tkwargs) -> None:
        model, X = self.build(tkwargs), self.queries(**tkwargs)
        before, duplicate = self.moments(model, X), copy.deepcopy(model)
        assert_close(self.moments(duplicate, X), before)
        self.change(duplicate)
        assert_close(self.moments(model, X), before)

    def test_it_converts_to_the_other_precision(self, tkwargs: Tkwargs) -> None:
        X = self.queries(**tkwargs)
        other = torch.float64 if X.dtype == torch.float32 else torch.float32
        found = self.moments(self.build(tkwargs).to(other), X.to(other))
        assert found.dtype == other
        assert_close(found.float(), self.moments(self.build(tkwargs), X).float())

    def test_modes_do_not_change_the_posterior(self, tkwargs: Tkwargs) -> None:
        X, bounds = self.queries(**tkwargs), self.bounds(tkwargs)
        for transform in (None, Normalize(d=self.dim, bounds=bounds)):
            model = self.build(tkwargs, input_transform=transform)
            before = self.moments(model, X)
            assert_close(self.moments(model.train().eval(), X), before)
            assert_close(self.moments(model.train(), X), before)

    def test_the_input_transform_is_applied_once(self, tkwargs: Tkwargs) -> None:
        transform = Normalize(d=self.dim, bounds=self.bounds(tkwargs)).eval()
        (train_X, train_Y), X = self.make_data(**tkwargs), self.queries(**tkwargs)
        by_hand = self.make_model(transform(train_X), train_Y)
        model = self.build(tkwargs, input_transform=copy.deepcopy(transform))
        assert_close(self.moments(model, X), self.moments(by_hand, transform(X)))

    def test_it_is_built_from_a_data_set(self, tkwargs: Tkwargs) -> None:
        kind = type(self.build(tkwargs))
        model = kind(**kind.construct_inputs(self.make_dataset(**tkwargs)))
        posterior: Any = model.posterior(self.queries(**tkwargs))
        assert_tensor(posterior.mean, (3, 1), tkwargs)

    @pytest.mark.usefixtures("rng_untouched")
    def test_the_global_seed_neither_matters_nor_moves(self, tkwargs: Tkwargs) -> None:
        X = self.queries(**tkwargs)
        with manual_seed(1):
            first = self.moments(self.build(tkwargs), X)
        assert torch.equal(self.moments(self.build(tkwargs), X), first)

    def test_memory_is_linear_in_the_number_of_points(self, tkwargs: Tkwargs) -> None:
        if not self.linear_memory:
            return
        model, sizes = self.build(tkwargs), []
        for number in (1_000, 4_000, 100_000):
            with LargestTensor() as watch, torch.no_grad():
                assert self.moments(model, self.points(number, **tkwargs)).isfinite().all()
            sizes.append(watch.num_bytes)
            assert sizes[-1] <= 1.25 * number / 1_000 * sizes[0]

    def bounds(self, tkwargs: Tkwargs) -> Tensor:
        """Another box than the unit cube, that of every column different."""
        ends = torch.linspace(1.5, 2.0, self.dim, **tkwargs)
        return torch.stack([1.0 - ends, ends])
