"""Tables of real evaluations, read from files that are not part of the package."""
