"""How well models that were fitted to few noisy observations rank all points.

Figure 1 of Wang et al. (2023), repeated and measured.
"""
