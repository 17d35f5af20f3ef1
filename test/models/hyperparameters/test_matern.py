import torch
from helpers.gaussian import hyperparameters
from torch.autograd import gradcheck


def test_the_log_prior_of_the_closed_form_is_differentiable() -> None:
    closed = hyperparameters(2)
    theta = torch.tensor([-0.5, 0.4, -1.2, -0.9, -5.0], dtype=torch.float64)
    at = theta.clone().requires_grad_()
    assert gradcheck(lambda x: closed.log_prior(x)[0], at)
    assert torch.equal(closed.log_prior(theta)[1], -theta)
