"""Random Fourier features of a kernel that is rough in part."""

import torch
from botorch.sampling.pathwise.features.generators import GenKernelFeatures
from botorch.sampling.pathwise.features.maps import KernelFeatureMap
from gpytorch.kernels import MaternKernel

from botorch_popbo.models.kernels import RoughMaternKernel


@GenKernelFeatures.register(RoughMaternKernel)
def rough_features(
    kernel: RoughMaternKernel, *, num_inputs: int, num_outputs: int
) -> KernelFeatureMap:
    """Draw the frequencies of either part by its share, for :func:`gen_kernel_features`.

    Args:
        kernel: The kernel.
        num_inputs: Number of columns of a point.
        num_outputs: Number of features.

    Returns:
        The features, whose inner product is the kernel on average.
    """
    smooth = GenKernelFeatures.dispatch(MaternKernel)
    features: KernelFeatureMap = smooth(kernel, num_inputs=num_inputs, num_outputs=num_outputs)
    roughness, fineness = kernel.raw_roughness.sigmoid(), kernel.raw_fineness.exp()
    weight, number = features.weight, len(features.weight)
    drawn = torch.randperm(number, device=weight.device)
    weight[drawn < round(float(roughness) * number)] /= float(fineness)
    if kernel.rotation is not None:  # which BoTorch, that divides by the lengthscales, knows not of
        lengthscale = kernel.lengthscale
        features.weight = (features.weight / lengthscale) @ kernel.rotation.T * lengthscale
    return features
