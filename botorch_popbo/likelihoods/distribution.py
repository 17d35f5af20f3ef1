r"""Distribution function, quantiles, entropy and samples of the truncated Poisson law.

With :math:`Z_k = \sum_{i \le k} \lambda^i / i!` the distribution function is
:math:`F(k) = Z_k / Z_n`, so everything here rests on the exact log-normaliser.
"""

import torch
from torch import Tensor

from botorch_popbo.likelihoods import truncated_poisson

_DEVIATIONS = 40.0  # no count of a Poisson law in float64 lies further above its mean
_NEGLIGIBLE = -700.0  # of a log-probability: its exponential underflows
_MAX_TERMS = 2**22  # at a time, to bound the memory of a sum over the support


def cdf(counts: Tensor, log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Probability of a count of at most ``counts``.

    Args:
        counts: Counts; the fractional part has no effect.
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Probabilities of the broadcast shape, differentiable with respect to ``log_rate``.
    """
    counts, log_rate, exposure = torch.broadcast_tensors(
        counts.to(log_rate).floor(), log_rate, exposure.to(log_rate)
    )
    inside = (counts >= 0) & (counts < exposure)
    upper = torch.where(inside, counts, 0.0)
    log_ratio = truncated_poisson.log_normalizer(log_rate.double(), upper)
    log_ratio = log_ratio - truncated_poisson.log_normalizer(log_rate.double(), exposure)
    value = torch.where(inside, log_ratio.clamp_max(0.0).exp(), (counts >= exposure).double())
    return value.to(log_rate.dtype)


def quantile(probability: Tensor, log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Smallest count whose distribution function reaches a probability.

    Args:
        probability: Probabilities in [0, 1].
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Whole numbers of the broadcast shape, without gradient.

    Raises:
        ValueError: If a probability is out of range.
    """
    if not bool(((probability >= 0) & (probability <= 1)).all()):
        raise ValueError("Probabilities are between 0 and 1: pass 0.9 for 90 %.")
    with torch.no_grad():
        probability, log_rate, exposure = torch.broadcast_tensors(
            probability.to(log_rate.device).double(),
            log_rate.double(),
            exposure.to(log_rate).double(),
        )
        low = torch.full_like(probability, -1.0)
        high = _upper_end(log_rate, exposure)
        while True:
            middle = ((low + high) / 2).floor()
            is_open = (low < middle) & (middle < high)
            if not bool(is_open.any()):
                return high
            reached = cdf(middle, log_rate, exposure) >= probability
            low = torch.where(is_open & ~reached, middle, low)
            high = torch.where(is_open & reached, middle, high)


def entropy(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """Entropy of the rank count, by summation over the support.

    Args:
        log_rate: Natural logarithms of the rates.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.

    Returns:
        Entropies in nats, of the broadcast shape, differentiable with respect to ``log_rate``.
    """
    log_rate, exposure = torch.broadcast_tensors(log_rate, exposure.to(log_rate))
    if log_rate.numel() == 0:
        return log_rate
    num_terms = int(_upper_end(log_rate.detach().double(), exposure.double()).max()) + 1
    support = torch.arange(num_terms, device=log_rate.device, dtype=torch.float64)
    chunks = [
        _entropy(
            truncated_poisson.log_prob(support, rates.double().unsqueeze(-1), n.unsqueeze(-1))
        ).sum(-1)
        for rates, n in zip(
            log_rate.reshape(-1).split(max(_MAX_TERMS // num_terms, 1)),
            exposure.reshape(-1).split(max(_MAX_TERMS // num_terms, 1)),
            strict=True,
        )
    ]
    return torch.cat(chunks).reshape(log_rate.shape).to(log_rate.dtype)


def _entropy(log_prob: Tensor) -> Tensor:
    """Terms of an entropy. Those of probability zero are left out, for their slope is infinite."""
    present = log_prob > _NEGLIGIBLE
    log_prob = torch.where(present, log_prob, 0.0)
    return torch.where(present, -log_prob.exp() * log_prob, 0.0)


def sample(log_rate: Tensor, exposure: Tensor, sample_shape: torch.Size) -> Tensor:
    """Draw counts by inversion, from torch's global generator.

    Args:
        log_rate: Natural logarithms of the rates, of shape ``batch_shape``.
        exposure: Numbers of points compared with; ``inf`` for the untruncated law.
        sample_shape: Shape of the draws.

    Returns:
        A ``sample_shape x batch_shape`` tensor of whole numbers.
    """
    shape = torch.Size((*sample_shape, *log_rate.shape))
    uniform = torch.rand(shape, device=log_rate.device, dtype=torch.float64)
    return quantile(uniform, log_rate, exposure).to(log_rate.dtype)


def _upper_end(log_rate: Tensor, exposure: Tensor) -> Tensor:
    """A count that is exceeded with probability below 1e-16, at most the exposure."""
    rate = log_rate.clamp_max(43.0).exp()  # from 36.7 on, float64 leaves out whole numbers
    reach = (rate + _DEVIATIONS * (rate.sqrt() + 1.0)).ceil()
    return torch.minimum(exposure, reach)
