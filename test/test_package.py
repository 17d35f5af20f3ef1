import subprocess
import sys

import botorch_popbo


def test_public_names_exist() -> None:
    assert all(hasattr(botorch_popbo, name) for name in botorch_popbo.__all__)


def test_core_needs_neither_ax_nor_benchmark_dependencies() -> None:
    code = """
import sys
for name in ("ax", "joblib", "matplotlib", "plotly", "sklearn", "tqdm", "pandas"):
    sys.modules[name] = None  # importing it raises ImportError
import botorch_popbo
"""
    subprocess.run([sys.executable, "-c", code], check=True)
