"""Methods that optimize problems: which one finds the better point, and how fast."""
