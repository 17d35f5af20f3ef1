import torch
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from gpytorch.distributions import MultivariateNormal

from botorch_popbo.posteriors._marginal import MarginalPosterior

MEAN = torch.tensor([1.0, 2.0], dtype=torch.double)
COVARIANCE = torch.tensor([[2.0, 0.5], [0.5, 3.0]], dtype=torch.double)


def test_the_variance_is_known_and_all_else_is_that_of_the_joint_law() -> None:
    joint = MultivariateNormal(MEAN, COVARIANCE)
    posterior = MarginalPosterior(joint, COVARIANCE.diagonal())
    assert posterior.variance.tolist() == [[2.0], [3.0]]
    assert posterior.mean.squeeze(-1).equal(MEAN)
    assert posterior.distribution is joint
    transform = ScalarizedPosteriorTransform(torch.tensor([-2.0], dtype=torch.double))
    torch.testing.assert_close(transform(posterior).variance, 4.0 * posterior.variance)
