"""The nodes of a generation strategy: an initial design, a rank model, a Gaussian process.

They are joined in any order, as in Sobol, then PoPBO, then a Gaussian process:

.. code-block:: python

    GenerationStrategy(
        nodes=[
            initial_node(next_node_name="popbo-logei", num_trials=8),
            popbo_node(next_node_name="gp-qlognei", num_trials=20),
            gp_node("qlognei"),
        ]
    )
"""

from botorch_popbo.ax.nodes._gp import GPAcquisitionName, gp_node
from botorch_popbo.ax.nodes._initial import InitialDesign, initial_node
from botorch_popbo.ax.nodes._options import NodeOptions
from botorch_popbo.ax.nodes._popbo import PresetName, RankAcquisitionName, popbo_node
from botorch_popbo.ax.nodes._transforms import RANK_TRANSFORM_CONFIGS, RANK_TRANSFORMS

__all__ = [
    "RANK_TRANSFORMS",
    "RANK_TRANSFORM_CONFIGS",
    "GPAcquisitionName",
    "InitialDesign",
    "NodeOptions",
    "PresetName",
    "RankAcquisitionName",
    "gp_node",
    "initial_node",
    "popbo_node",
]
