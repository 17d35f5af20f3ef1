"""How it is fitted: priors, the evidence of an order, its outliers, directions and sources."""
