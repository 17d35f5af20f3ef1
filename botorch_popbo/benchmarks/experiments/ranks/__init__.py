"""How well models that were fitted to few observations rank other points.

``_agreement`` repeats figure 1 of Wang et al. (2023): how far the predicted ranking agrees with the
true one. ``_calibration`` asks whether predicted ranks are as uncertain as they are said to be.
"""
