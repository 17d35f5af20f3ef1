"""The text of a file with a problem of a user's own."""

OWN_PROBLEM = """
from botorch_popbo.benchmarks.problems import Problem
from botorch_popbo.space import Space
class Own(Problem):
    def score(self, parameters):
        return parameters["x"]
def own(name="own"):
    return Own(name=name, space=Space.read({"x": (0.0, 1.0)}), label="loss")
"""
