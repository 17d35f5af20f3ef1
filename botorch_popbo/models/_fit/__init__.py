"""How it is fitted: the evidence of an order, its outliers, and sources that say nothing."""
