"""Measurements that were not made."""

from botorch_popbo.benchmarks.suggestion_speed.measurement import Measurement

EXAMPLE = Measurement("popbo", 25, 0.25, 0.5, 0.75, 400.0, 0.4)


def example(method: str, num_points: int, total: float = 1.0) -> Measurement:
    return Measurement(method, num_points, None, None, total, 300.0, None)
