"""Test environments beside the pinned one of ``.ci/run``: ``nox`` runs them all."""

import glob
import shutil

import nox

nox.options.default_venv_backend = "uv"


@nox.session
def minimum(session: nox.Session) -> None:
    """The tests with the lowest versions that the package declares to do."""
    session.install("--resolution", "lowest-direct", "-e", ".[test]")
    session.run("python", "-m", "pytest", "-m", "", *session.posargs)


@nox.session
def newest(session: nox.Session) -> None:
    """The tests with the newest versions that the package declares to do."""
    session.install("--upgrade", "-e", ".[test]")
    session.run("python", "-m", "pytest", "-m", "", *session.posargs)


@nox.session
def core(session: nox.Session) -> None:
    """The built wheel alone, without Ax or any extra."""
    session.install("build", "twine")
    shutil.rmtree("dist", ignore_errors=True)  # archives of another version
    session.run("python", "-m", "build", "--outdir", "dist")
    archives = glob.glob("dist/*")
    session.run("python", "-m", "twine", "check", "--strict", *archives)
    wheels = [path for path in archives if path.endswith(".whl")]
    session.run("python", ".ci/check_wheel.py", *wheels)
    session.install(*wheels)
    # -P: import what is installed, not the folder that this is run in.
    session.run("python", "-P", ".ci/check_core.py", "docs/botorch.md")
    session.run("popbo", "doctor")


@nox.session
def main(session: nox.Session) -> None:
    """Whether Ax and BoTorch still have the private names that we use, in their newest commits."""
    session.install("-e", ".[test]")
    theirs = ("pytorch/botorch", "facebook/Ax")
    session.install("--upgrade", *(f"git+https://github.com/{name}" for name in theirs))
    session.run("python", "-m", "pytest", "test/test_private_names.py", *session.posargs)
