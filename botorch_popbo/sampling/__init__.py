"""Samplers and sample paths of the posteriors, which importing this registers with BoTorch."""

from botorch_popbo.sampling import _get_sampler, _pathwise  # noqa: F401
