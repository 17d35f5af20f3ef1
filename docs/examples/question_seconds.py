"""Seconds until the next thing is on a judge's page, up to 200 answers, with a database.

A simulated judge says which of two or four points is the worst by Hartmann-6, with noise 0.2.
Prints the mean and the largest of the last ten questions.
"""

import argparse
import logging
import math
import tempfile
import time
import warnings

import optuna
import torch
from botorch.test_functions import Hartmann
from optuna.distributions import FloatDistribution
from optuna_dashboard.preferential import create_study

from botorch_popbo.optuna import PreferentialPoPBOSampler

HARTMANN = Hartmann(6)
SPACE = {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(6)}


def interview(items: int, folder: str) -> None:
    """Ask and print."""
    study = create_study(
        n_generate=items,
        sampler=PreferentialPoPBOSampler(seed=0),
        storage=f"sqlite:///{folder}/{items}.db",
    )
    generator, shown, seconds = torch.Generator().manual_seed(0), [], [math.nan]
    for answer in range(1, 201):
        while len(shown) < items:
            start = time.perf_counter()
            shown.append(study.ask(SPACE))
            seconds.append(time.perf_counter() - start)
        points = torch.tensor([[trial.params[name] for name in SPACE] for trial in shown])
        noise = 0.2 * torch.randn(items, generator=generator)
        worst = shown.pop(int((HARTMANN(points) + noise).argmax()))
        study.report_preference(shown, [worst])
        if answer % 50 == 0:
            last = seconds[-10:]
            mean = sum(last) / len(last)
            print(f"{items} items, {answer}: mean {mean:.2f}, largest {max(last):.2f}", flush=True)


def main() -> None:
    """Pairs, and questions of four."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        for items in (2, 4):
            interview(items, folder)


if __name__ == "__main__":
    main()
