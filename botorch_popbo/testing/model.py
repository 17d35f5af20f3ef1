"""What BoTorch expects of a model."""

import copy

import torch
from botorch.posteriors import Posterior

from botorch_popbo.testing.base import each_case
from botorch_popbo.testing.checks import (
    Tkwargs,
    moments,
    random_state_untouched,
    require,
    require_gradient,
    require_moments,
    seeded,
)
from botorch_popbo.testing.memory import LargestTensor
from botorch_popbo.testing.model_setup import ModelSetup

_LARGE = 100_000


class ModelContract(ModelSetup):
    """Tests of a :class:`~botorch.models.model.Model`; a subclass supplies :meth:`make_model`."""

    @each_case()
    def test_posterior_has_the_shape_of_the_points(self, tkwargs: Tkwargs) -> None:
        """Moments are finite, of shape ``batch_shape x q x m``, in the dtype of the points."""
        model = self.build(tkwargs)
        for lead in ((), (2,), (2, 3)):
            X = self.some_points(*lead, **tkwargs)
            posterior = model.posterior(X)
            require(isinstance(posterior, Posterior), f"{type(posterior)} is not a Posterior.")
            batch = torch.broadcast_shapes(X.shape[:-2], self.batch_shape)
            shape = (*batch, X.shape[-2], self.num_outputs)
            require_moments(posterior, shape, tkwargs, f"of X {tuple(X.shape)}")

    @each_case()
    def test_a_batch_equals_single_evaluations(self, tkwargs: Tkwargs) -> None:
        """A t-batch is a number of independent evaluations."""
        model = self.build(tkwargs)
        X = self.some_points(2, 2, **tkwargs)
        batched = self.moments(model, X)
        for i in range(4):
            single = self.moments(model, X[i // 2, i % 2])
            self.require_close(batched[:, i // 2, i % 2], single, "One of a batch, and alone")

    @each_case("differentiable")
    def test_gradients_reach_the_points(self, tkwargs: Tkwargs) -> None:
        """Mean and variance are differentiable in the points."""
        model, X = self.build(tkwargs), self.some_points(2, **tkwargs).requires_grad_()
        for i, name in enumerate(("mean", "variance")):
            require_gradient(moments(model.posterior(X))[i], X, f"The {name}")

    @each_case()
    def test_outputs_can_be_chosen(self, tkwargs: Tkwargs) -> None:
        """``num_outputs``, ``batch_shape``, ``subset_output`` and ``output_indices`` agree."""
        model, X = self.build(tkwargs), self.some_points(**tkwargs)
        require(model.num_outputs == self.num_outputs, f"num_outputs is {model.num_outputs}.")
        require(model.batch_shape == self.batch_shape, f"batch_shape is {model.batch_shape}.")
        if not self.supports_subset_output:
            return
        expected, every = self.moments(model, X), list(range(self.num_outputs))
        for chosen in [[i] for i in every] + [every[::-1]]:
            subset, what = self.build(tkwargs).subset_output(chosen), f"subset_output({chosen})"
            require(subset.num_outputs == len(chosen), f"{what} has {subset.num_outputs} outputs.")
            self.require_close(self.moments(subset, X), expected[..., chosen], what)
        found = self.moments(model, X, output_indices=every[::-1])
        self.require_close(found, expected.flip(-1), f"output_indices={every[::-1]}")

    @each_case()
    def test_a_state_dict_carries_the_model(self, tkwargs: Tkwargs) -> None:
        """The state dict holds all that a model of the same data does not know."""
        model, X = self.changed(self.build(tkwargs)), self.some_points(**tkwargs)
        fresh = self.build(tkwargs, seed=1)
        fresh.load_state_dict(model.state_dict())
        self.require_close(self.moments(fresh, X), self.moments(model, X), "A restored model")

    @each_case()
    def test_a_deep_copy_is_equal_and_independent(self, tkwargs: Tkwargs) -> None:
        """A copy predicts the same and shares no parameter."""
        model, X = self.build(tkwargs), self.some_points(**tkwargs)
        before = self.moments(model, X)
        duplicate = copy.deepcopy(model)
        self.require_close(self.moments(duplicate, X), before, "A copy")
        self.changed(duplicate)
        self.require_close(self.moments(model, X), before, "A model whose copy was changed")

    @each_case()
    def test_it_converts_to_other_dtypes(self, tkwargs: Tkwargs) -> None:
        """``to(dtype)`` converts the data too."""
        X = self.some_points(**tkwargs)
        for dtype in self.dtypes:
            before = self.moments(self.build(tkwargs), X)
            after = self.moments(self.build(tkwargs).to(dtype), X.to(dtype))
            rough = max((dtype, X.dtype), key=self.tolerances.__getitem__)
            require(after.dtype == dtype, f"After .to({dtype}) the posterior is in {after.dtype}.")
            self.require_close(after.to(rough), before.to(rough), f"A model after .to({dtype})")

    @each_case()
    def test_modes_do_not_change_the_posterior(self, tkwargs: Tkwargs) -> None:
        """``train`` and ``eval`` change neither the data nor the predictions."""
        X, transform = self.some_points(**tkwargs), self.make_transform(tkwargs)
        for option in (None, transform) if self.supports_input_transform else (None,):
            model = self.build(tkwargs, option)
            before = self.moments(model, X)
            self.require_close(self.moments(model.train().eval(), X), before, "train(), eval()")
            self.require_close(self.moments(model.train(), X), before, "Training mode")

    @each_case("supports_input_transform")
    def test_the_input_transform_is_applied(self, tkwargs: Tkwargs) -> None:
        """Training and test points pass through the transform, once."""
        transform, X = self.make_transform(tkwargs), self.some_points(**tkwargs)
        train_X, train_Y = self.make_data(**tkwargs)
        with seeded(0):
            by_hand = self.make_model(transform(train_X), train_Y)
        expected = self.moments(by_hand, transform(X))
        model = self.build(tkwargs, self.make_transform(tkwargs))
        self.require_close(self.moments(model, X), expected, "Normalize, and points normalised")

    @each_case("supports_construct_inputs")
    def test_it_is_built_from_a_data_set(self, tkwargs: Tkwargs) -> None:
        """The class can be built from what ``construct_inputs`` returns."""
        kind = type(self.build(tkwargs))
        model = kind(**kind.construct_inputs(self.make_dataset(**tkwargs)))
        posterior = model.posterior(self.some_points(**tkwargs))
        shape = (*self.batch_shape, 3, self.num_outputs)
        require_moments(posterior, shape, tkwargs, "of a model from a data set")

    @each_case("leaves_random_state")
    def test_global_random_numbers_are_left_alone(self, tkwargs: Tkwargs) -> None:
        """A seed set by the user is not spent, and does not matter."""
        X = self.some_points(**tkwargs)
        with random_state_untouched("Building and predicting"):
            first = self.moments(self.make_model(*self.make_data(**tkwargs)), X)
        self.require_close(self.moments(self.build(tkwargs, seed=1), X), first, "Another seed")

    @each_case("linear_memory")
    def test_memory_is_linear_in_the_number_of_points(self, tkwargs: Tkwargs) -> None:
        """Many points can be predicted in one call."""
        model, num_bytes = self.build(tkwargs), []
        for num_points in (1_000, 4_000, _LARGE):  # stops before the large one where it must
            X = self.points(num_points, **tkwargs)
            with LargestTensor() as watch:
                require(bool(self.moments(model, X).isfinite().all()), "Not finite.")
            num_bytes.append(watch.num_bytes)
            limit = 1.25 * num_points / 1_000 * num_bytes[0]
            require(watch.num_bytes <= limit, f"{num_points} points: {num_bytes[-1]} bytes.")
