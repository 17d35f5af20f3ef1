"""Time and memory of one suggestion.

The points are uniform on the domain of Hartmann-6. Every method and size has a process of its own
with one thread, one after the other, so that each has its own peak memory, libraries included.
"""
