"""Tables of real evaluations: their files, which are not part of the package, and making them."""
