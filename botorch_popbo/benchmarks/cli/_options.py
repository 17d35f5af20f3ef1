"""The options of ``popbo compare`` and ``popbo report``.

They are None unless given: a campaign file may say the same, and the experiment has defaults and
knows which values are valid.
"""

import os
from argparse import ArgumentParser
from pathlib import Path


def add_selection(parser: ArgumentParser) -> None:
    """Add the options that say what is compared."""
    add = parser.add_argument
    add(
        "--campaign",
        metavar="FILE_OR_NAME",
        help="a .toml file with the keys problems, methods, trials, seeds, initial, jobs, limit "
        "and experiment, which may have others; or a name printed by popbo list; the options "
        "below take precedence",
    )
    add("--smoke", action="store_true", help="try the campaign with 3 trials and 1 seed")
    add("--problems", nargs="+", help="default: sklearn-digits hartmann6")
    add("--methods", nargs="+", help="default: popbo-logei gp-logei")
    add("--trials", type=int, help="evaluations after the initial design (default: 20)")
    add("--initial", type=int, help="initial points (default: 12, on rosenbrock6 30)")
    seeds = "replications of each method on each problem (default: 3)"
    add("--seeds", type=int, help=seeds)
    folder = "folder of records, numbers and plots (default: %(default)s)"
    add("--output", type=Path, default=Path("popbo-results"), help=folder)
    add_data_folder(parser)


def add_data_folder(parser: ArgumentParser) -> None:
    """Add the option that says where tables are."""
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("POPBO_DATA") or None,
        help="folder of table files (default: the environment variable POPBO_DATA)",
    )


def add_execution(parser: ArgumentParser) -> None:
    """Add the options that say how it is run."""
    add = parser.add_argument
    add("--jobs", type=int, help="replications at a time (default: one a core)")
    add(
        "--limit",
        type=float,
        metavar="SECONDS",
        help="time limit of one suggestion, after which its replication is given up; native code "
        "is interrupted when it returns, or its process is ended (default: 600)",
    )
    add(
        "--backend",
        choices=("local", "ray"),
        default="local",
        help="where replications run: processes of this machine, or the Ray cluster named by "
        "RAY_ADDRESS, without which one is started here (default: %(default)s)",
    )
