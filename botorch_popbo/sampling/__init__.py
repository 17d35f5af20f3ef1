"""Samplers and sample paths of the posteriors, which importing this registers with BoTorch."""

from botorch.sampling.get_sampler import GetSampler
from gpytorch.distributions import MultivariateNormal

from botorch_popbo.posteriors.rank_posterior import RankPosterior
from botorch_popbo.sampling import _pathwise  # noqa: F401

# That of a normal law: base samples are scores of a utility, and a certain rate ignores them.
GetSampler.register(RankPosterior)(GetSampler.dispatch(MultivariateNormal))
