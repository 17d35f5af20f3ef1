from dataclasses import replace

import pytest
import torch
from helpers.gaussian import conditional_law, dense_law, kernel, ranked, unit_points
from torch.autograd import gradcheck

from botorch_popbo.models._law.differences import (
    Differences,
    KernelDifferences,
    MaternDifferences,
    make_differences,
)

X = unit_points(12)
TEST_X = unit_points(5, seed=1)
PREDICTOR = conditional_law(X, ranked(-(X - 0.3).square().sum(-1)))
EACH_KIND = pytest.mark.parametrize("kind", [MaternDifferences.from_predictor, KernelDifferences])


def test_the_closed_form_is_used_where_there_is_one() -> None:
    assert isinstance(make_differences(PREDICTOR, X[0]), MaternDifferences)
    rough = kernel(torch.ones(2).double())
    rough.nu = 1.5
    law = make_differences(replace(PREDICTOR, kernel=rough), X[0])
    assert isinstance(law, KernelDifferences)


@EACH_KIND
def test_they_have_the_moments_of_the_conditional_law(kind: type[Differences]) -> None:
    utility, joint = dense_law(PREDICTOR, TEST_X)
    mean, variance, own = kind(PREDICTOR, TEST_X[2]).moments(TEST_X)
    contrast = torch.eye(5, dtype=torch.float64) - torch.eye(5, dtype=torch.float64)[2]
    expected = (contrast @ joint @ contrast.T).diagonal()
    torch.testing.assert_close(variance, expected, rtol=0, atol=1e-6)
    torch.testing.assert_close(mean, utility - utility[2], rtol=0, atol=1e-8)
    assert variance[2].item() == pytest.approx(0.0, abs=1e-12)
    # Without what the order leaves open, and relative to the records' average.
    torch.testing.assert_close(own, PREDICTOR.unexplained(TEST_X), rtol=0, atol=1e-10)


@pytest.mark.parametrize("reference", [X[0], TEST_X[1] + 1.0])
def test_the_closed_form_equals_the_generic_path(reference: torch.Tensor) -> None:
    laws = (
        MaternDifferences.from_predictor(PREDICTOR, reference),
        KernelDifferences(PREDICTOR, reference),
    )
    points = torch.cat([TEST_X, X, reference.unsqueeze(0) + 0.01])
    found, expected = (law.moments(points) for law in laws)
    for values, others in zip(found, expected, strict=True):
        torch.testing.assert_close(values, others, rtol=0, atol=1e-10)


@EACH_KIND
def test_slopes_are_those_of_autograd(kind: type[Differences]) -> None:
    differences = kind(PREDICTOR, X[0])
    slopes = unit_points(5, 3, seed=3).unbind(-1)
    points = TEST_X.clone().requires_grad_()
    moments = differences.moments(points)
    found, pullback = differences.moments_and_pullback(TEST_X)
    torch.testing.assert_close(found, moments)
    [expected] = torch.autograd.grad(moments, points, slopes)
    torch.testing.assert_close(pullback(*slopes), expected, rtol=1e-10, atol=1e-10)


@EACH_KIND
def test_a_batch_is_many_single_evaluations(kind: type[Differences]) -> None:
    differences = kind(PREDICTOR, X[0])
    batch = unit_points(24, seed=2).reshape(2, 3, 4, 2)
    flat = differences.moments(batch.reshape(24, 2))
    for values, expected in zip(differences.moments(batch), flat, strict=True):
        assert values.shape == (2, 3, 4)
        torch.testing.assert_close(values.flatten(), expected)


@EACH_KIND
@pytest.mark.parametrize("reference", [X[0], TEST_X[1] + 1.0])
def test_gradients(kind: type[Differences], reference: torch.Tensor) -> None:
    differences = kind(PREDICTOR, reference)
    points = torch.cat([TEST_X, reference.unsqueeze(0) + 0.01]).requires_grad_()
    assert gradcheck(differences.moments, points, eps=1e-6, atol=1e-6)
