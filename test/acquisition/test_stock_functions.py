"""BoTorch's own acquisition functions on the models, and theirs in place of ours."""

import re
from pathlib import Path

import pytest
import torch
from botorch.acquisition import (
    AcquisitionFunction,
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qSimpleRegret,
    qUpperConfidenceBound,
)
from botorch.exceptions import UnsupportedError
from botorch.generation import MaxPosteriorSampling
from botorch.optim import optimize_acqf
from helpers.toy import BOUNDS, toy_data
from torch import Tensor

from botorch_popbo import NegatedRank, PoissonRankModel, RankingGP, rank_initial_conditions

X_TEST = toy_data(50, seed=3)[0].unsqueeze(-2)

NEGATED = {
    "LogEI": lambda model: LogExpectedImprovement(model, -1.0, posterior_transform=NegatedRank()),
    "UCB": lambda model: UpperConfidenceBound(model, 1.0, posterior_transform=NegatedRank()),
    "qLogEI": lambda model: qLogExpectedImprovement(model, -1.0, posterior_transform=NegatedRank()),
    "qUCB": lambda model: qUpperConfidenceBound(model, 1.0, posterior_transform=NegatedRank()),
    "qSimpleRegret": lambda model: qSimpleRegret(model, posterior_transform=NegatedRank()),
}
