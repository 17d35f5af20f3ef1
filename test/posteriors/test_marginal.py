import torch
from botorch.acquisition.objective import ScalarizedPosteriorTransform
from helpers.toy import toy_data

from botorch_popbo import RankingGP


def test_the_variance_that_came_with_the_mean_is_that_of_the_joint_law(
    gaussian_model: RankingGP,
) -> None:
    X, double = toy_data(4, seed=2)[0], torch.tensor([-2.0], dtype=torch.double)
    posterior = gaussian_model.posterior(X)
    joint = posterior.distribution.covariance_matrix.diagonal(dim1=-2, dim2=-1)
    torch.testing.assert_close(posterior.variance.squeeze(-1), joint)
    doubled = gaussian_model.posterior(X, posterior_transform=ScalarizedPosteriorTransform(double))
    torch.testing.assert_close(doubled.variance, 4.0 * posterior.variance)
