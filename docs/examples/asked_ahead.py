"""What a page loses that looks for challengers before the last answer has come.

Pairs of four test functions are compared with a noise of a tenth of the deviation, 24 seeds each.
Prints the lead of such questions over questions that know all answers, in decades of the regret.
"""

import argparse
import math
import warnings

import torch
from botorch.test_functions import Branin, Hartmann, Levy, StyblinskiTang
from torch import Tensor

from botorch_popbo.search.answers import Answer, Interview
from botorch_popbo.settings import Settings
from botorch_popbo.space import Space

FUNCTIONS = [Branin(), Levy(2), Hartmann(3), StyblinskiTang(3)]
ASKED = 6, 9, 12, 18, 24, 36
SETTINGS = Settings()


def regrets(place: int, seed: int, is_ahead: bool) -> list[float]:
    """Of the champion after some answers each, in deviations over the space."""
    function = FUNCTIONS[place]
    space = Space.read(function.bounds.double())
    scale = float(function(space.draw(2048, 99)).std())
    generator = torch.Generator().manual_seed(7 * seed + 1)
    num_initial = SETTINGS.search.questions_of_design(function.dim)
    answers, found = list[Answer](), list[float]()

    def interview() -> Interview:
        return Interview(space, tuple(answers), SETTINGS, seed, num_initial)

    items = interview().question(2, space.bounds[:0], 0)
    while len(answers) < max(ASKED):
        before, turn = interview(), len(answers) + 1
        ahead = space.draw(3, seed)[1:]  # of the design, before anything is known
        if answers:
            ahead = before.question(2, torch.cat([before.met(), items]), turn)
        utility = -function(items) / scale
        err = 0.1 * torch.randn(2, generator=generator, dtype=torch.double)
        answers.append(Answer.read(items, "winner", int((utility + err).argmax()), ""))
        now = interview()
        if len(answers) in ASKED:
            gap = function(now.champion.unsqueeze(0)).item() - function.optimal_value
            found.append(gap / scale)
        items = now.question(2, now.met(), turn)
        if is_ahead:
            items = torch.stack([now.champion, ahead[1]])
    return found


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=24)
    warnings.simplefilter("ignore")
    leads = list[Tensor]()
    for seed in range(parser.parse_args().seeds):
        for place in range(len(FUNCTIONS)):
            both = torch.tensor([regrets(place, seed, is_ahead) for is_ahead in (False, True)])
            known, ahead = both.clamp_min(1e-4).log10()
            leads.append(known - ahead)
        lead = torch.stack(leads)
        error = lead.std(0) / math.sqrt(len(lead))
        print(seed + 1, *(f"{x:+.2f} ± {e:.2f}" for x, e in zip(lead.mean(0), error, strict=True)))


if __name__ == "__main__":
    main()
