"""Registers the sampler that BoTorch's Monte Carlo acquisition functions use."""

from botorch.sampling.get_sampler import GetSampler
from gpytorch.distributions import MultivariateNormal

from botorch_popbo.posteriors.rank_posterior import RankPosterior

# That of a normal law: base samples are scores of a utility, and a certain rate ignores them.
GetSampler.register(RankPosterior)(GetSampler.dispatch(MultivariateNormal))
