"""The one-dimensional function of figure 1 of Wang et al. (2023)."""

import torch
from botorch.test_functions.synthetic import SyntheticTestFunction
from torch import Tensor


class Forrester(SyntheticTestFunction):
    r"""Forrester function, minimized on ``[0, 1]``.

    .. math:: f(x) = (6x - 2)^2 \sin(12x - 4)

    It has one global minimum of -6.0207 at 0.7572, a local one near 0.14, and a point of inflection
    at 1/3, around which it is flat. Of Forrester, Sóbester and Keane (2008), Engineering Design via
    Surrogate Modelling, appendix A.1.
    """

    dim = 1
    continuous_inds = [0]  # noqa: RUF012  (annotated in the base class)
    _bounds = [(0.0, 1.0)]  # noqa: RUF012
    _optimal_value = -6.0207400557670825
    _optimizers = [(0.7572487578418559,)]  # noqa: RUF012

    def _evaluate_true(self, X: Tensor) -> Tensor:
        x = X.squeeze(-1)
        return (6 * x - 2).square() * torch.sin(12 * x - 4)
