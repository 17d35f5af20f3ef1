"""Which point is ranked where: an order as records and the relations between them."""
