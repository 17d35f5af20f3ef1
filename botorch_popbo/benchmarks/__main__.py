"""Makes ``python -m botorch_popbo.benchmarks`` the same as the console script ``popbo``."""

import sys

from botorch_popbo.benchmarks.cli import main

if __name__ == "__main__":
    sys.exit(main())
