"""What BoTorch expects of models, posteriors and acquisition functions, as classes of tests.

A subclass says how to build the thing that is tested; pytest runs its methods in both precisions,
on the CPU and on CUDA where there is one.
"""

from contracts.acquisition import AcquisitionContract
from contracts.memory import LargestTensor
from contracts.model import ModelContract
from contracts.posterior import PosteriorContract

__all__ = ["AcquisitionContract", "LargestTensor", "ModelContract", "PosteriorContract"]
