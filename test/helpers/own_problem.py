"""The text of a file with a problem of a user's own."""

OWN_PROBLEM = """
from botorch_popbo.ax import parameter_configs
from botorch_popbo.benchmarks.problems import Problem
class Own(Problem):
    def score(self, parameters):
        return parameters["x"]
def own(name="own", optimal_value=None):
    return Own(name=name, parameters=parameter_configs({"x": (0.0, 1.0)}), label="loss",
               metric_name="loss", minimize=True, optimal_value=optimal_value)
"""
