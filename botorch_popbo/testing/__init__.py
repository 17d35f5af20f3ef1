"""Contracts that any model, posterior or acquisition function for BoTorch can be tested against.

Each contract is a mixin of test methods about BoTorch's interface, in single and double precision,
on the CPU and on CUDA where there is one. A subclass says how to build the thing that is tested,
and which optional capabilities it has. pytest and unittest both run it; neither is imported.

Example:
    With pytest, in ``test_my_package.py``:

    >>> from botorch.acquisition import LogExpectedImprovement
    >>> from botorch.models import SingleTaskGP
    >>> from botorch_popbo.testing import AcquisitionContract, ModelContract, PosteriorContract
    >>>
    >>> class TestModel(ModelContract):
    ...     def make_model(self, train_X, train_Y, input_transform=None):
    ...         return SingleTaskGP(train_X, train_Y, input_transform=input_transform)
    >>>
    >>> class TestPosterior(PosteriorContract):
    ...     def make_posterior(self, X):
    ...         return SingleTaskGP(*self.make_data(dtype=X.dtype, device=X.device)).posterior(X)
    >>>
    >>> class TestAcquisition(AcquisitionContract):
    ...     supports_X_pending = False
    ...
    ...     def make_model(self, train_X, train_Y):
    ...         return SingleTaskGP(train_X, train_Y)
    ...
    ...     def make_acquisition(self, model):
    ...         _, train_Y = self.make_data(dtype=model.train_targets.dtype)
    ...         return LogExpectedImprovement(model, best_f=train_Y.max())

    >>> TestAcquisition().test_optimize_acqf()  # a method can also be called by itself

    With unittest:

    >>> import unittest
    >>> class TestModelWithUnittest(TestModel, unittest.TestCase): ...
"""

from botorch_popbo.testing.acquisition import AcquisitionContract
from botorch_popbo.testing.model import ModelContract
from botorch_popbo.testing.posterior import PosteriorContract

__all__ = ["AcquisitionContract", "ModelContract", "PosteriorContract"]
