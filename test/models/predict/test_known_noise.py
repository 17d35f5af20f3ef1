import torch
from botorch.sampling import SobolQMCNormalSampler
from helpers.gaussian import unit_points

from botorch_popbo.models._predict.known_noise import KnownNoiseGP

X = unit_points(6)
Y = (X - X.mean(0)).sum(-1, keepdim=True)
Y = Y / Y.std()
GIVEN, OUTCOME = 1e-4, 0.3


def model() -> KnownNoiseGP:
    made = KnownNoiseGP(
        torch.tensor(OUTCOME).double(),
        train_X=X,
        train_Y=Y,
        train_Yvar=torch.full_like(Y, GIVEN),
        outcome_transform=None,
    )
    return made.eval()


def test_an_outcome_is_as_noisy_as_any_whatever_was_given() -> None:
    exact, noisy = (model().posterior(X, observation_noise=n).variance for n in (False, True))
    torch.testing.assert_close(noisy - exact, torch.full_like(Y, OUTCOME))


def test_what_is_observed_later_has_the_noise_of_an_outcome_unless_another_is_known() -> None:
    x, y = X[:1] + 0.05, torch.ones(1, 1).double()
    variances = []
    for noise in (None, torch.full((1, 1), OUTCOME).double(), torch.full((1, 1), GIVEN).double()):
        first = model()
        first.posterior(X)
        conditioned = first.condition_on_observations(x, y, noise=noise)
        variances.append(conditioned.posterior(x).variance.detach())
    torch.testing.assert_close(variances[0], variances[1])
    assert variances[2] < variances[0]


def test_fantasies_are_as_noisy() -> None:
    sampler = SobolQMCNormalSampler(torch.Size([256]), seed=0)
    first = model()
    drawn = first.fantasize(X[:1], sampler).train_targets[..., -1]
    expected = first.posterior(X[:1], observation_noise=True).variance
    torch.testing.assert_close(drawn.var(0).reshape(1, 1), expected, rtol=0.1, atol=0.0)
