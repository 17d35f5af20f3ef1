"""What is fitted: lengthscales, noise and correlations, with priors, limits and derivatives."""
