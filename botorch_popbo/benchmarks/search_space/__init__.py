"""Points of a search space: drawn, as rows of a tensor, and checked."""
