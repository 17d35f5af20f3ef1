"""Which point is ranked where: an order as records and the comparisons between them."""
