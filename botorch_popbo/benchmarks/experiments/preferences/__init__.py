"""Choices alone: `PreferenceSearch` against BoTorch's PairwiseGP with EUBO, and chance.

A simulated judge prefers the point with the lower noisy Hartmann-3 value; every method sees one
answer per question. Scored is the noise-free regret of the point that the method holds for the
best.
"""
