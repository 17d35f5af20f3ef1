"""Who should meet the champion."""

import torch
from botorch.generation import MaxPosteriorSampling
from botorch.utils.sampling import draw_sobol_samples
from torch import Tensor

from botorch_popbo._seeds import derive_seed, seeded
from botorch_popbo._threads import one_thread
from botorch_popbo.acquisition._log_improvement import log_improvement
from botorch_popbo.data._rows import is_row_of
from botorch_popbo.search.answers import Interview
from botorch_popbo.settings import SearchSettings
from botorch_popbo.space import Space


@one_thread()
def draw_challengers(
    interview: Interview, champion: Tensor, number: int, turn: int, known: Tensor
) -> Tensor:
    """The most promising points near the champion.

    In even turns the first has the largest expected improvement on the champion, whose own utility
    is as uncertain as any. In odd turns it is the best in a sample of the utility (Thompson
    sampling), as the others always are.

    A few dozen answers say little of a whole space: from everywhere, challengers come from its
    corners, where nothing is known, and lose. Half of the candidates fill a box about the champion,
    the others are closer by a factor that is uniform on a logarithmic scale. A discrete column
    reaches the neighbouring value at least, and a categorical one changes as often as the box is
    wide.

    Args:
        interview: What was said, at least one comparison.
        champion: A point of shape ``d``.
        number: Number of challengers, at least one.
        turn: How many questions there were before.
        known: Points that are none, an ``n x d`` tensor with the champion among them.

    Returns:
        Distinct other points, ``n x d`` with ``n <= number``; fewer only where there are few others
        near.
    """
    space, model = interview.space, interview.model
    with seeded(derive_seed(interview.seed, turn)), torch.no_grad():
        unit = _near(space.to_unit(champion), space, interview.settings.search)
        points = space.filled(space.from_unit(unit))
        near: Tensor = points[~is_row_of(points, known)].unique(dim=0)
        chosen = near[:0]
        if turn % 2 == 0 and len(near):
            reference = model.encode(champion.unsqueeze(0)).squeeze(0)
            differences = model.differences_from(reference)
            mean, variance, _ = differences.moments(model.encode(near.unsqueeze(-2)))
            first = int(log_improvement(mean, variance).argmax())
            chosen, near = near[[first]], torch.cat([near[:first], near[first + 1 :]])
        left = min(number - len(chosen), len(near))
        if left == 0:
            return chosen
        sampled: Tensor = MaxPosteriorSampling(model, replacement=False)(near, num_samples=left)
        return torch.cat([chosen, sampled])


def _near(center: Tensor, space: Space, settings: SearchSettings) -> Tensor:
    """Points of the unit cube about one of its points."""
    number, widest = settings.num_challengers, settings.challenger_radius
    corners = torch.stack([-torch.ones_like(center), torch.ones_like(center)])
    box: Tensor = draw_sobol_samples(corners, n=number, q=1).squeeze(1)
    scale = 10.0 ** (settings.log10_closeness * torch.rand(number, 1, dtype=center.dtype))
    scale[::2] = 1.0
    radius = torch.maximum(widest * scale, 1.0 / space.size)
    moved = (center + radius * box).abs()
    moved = 1.0 - (1.0 - moved).abs()  # reflected at the faces
    is_new = torch.rand(moved.shape, dtype=torch.float32) < 2.0 * widest * scale
    category = torch.where(is_new, torch.rand_like(moved), center)
    return torch.where(space.is_categorical, category, moved)
