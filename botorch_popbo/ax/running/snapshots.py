"""Keep a client in a JSON file that is whole at every moment, and go on from it."""

import os
import warnings
from json import JSONDecodeError
from pathlib import Path

from ax.api.client import Client
from ax.exceptions.core import UserInputError
from botorch.exceptions import InputDataError

from botorch_popbo._replacing import replacing
from botorch_popbo.ax.best_point import fit_model
from botorch_popbo.ax.running._exact import note_outcomes, restore_outcomes
from botorch_popbo.ax.running._parameters import note_late_parameters, restore_late_parameters


def save_client(client: Client, path: str | os.PathLike[str]) -> None:
    """Save a client so that a process killed meanwhile leaves the previous file whole.

    ``Client.load_from_json_file`` reads it, with ten decimals of each outcome; :func:`load_client`
    reads every digit. Import :mod:`botorch_popbo.ax` first.

    Args:
        client: The client to save. A runner or metric of your own must be known to Ax's registries.
        path: The JSON file to write or replace.

    Raises:
        OSError: If the file cannot be written.
    """
    note_outcomes(client._experiment)
    note_late_parameters(client._experiment)
    with replacing(Path(path)) as partial:
        client.save_to_json_file(str(partial))


def load_client(path: str | os.PathLike[str]) -> Client:
    """Load a client and fit its model, so that it predicts at once.

    Ax stores the experiment but no model, and ``client.predict`` would refuse until the next
    suggestion. A warning names an outcome that no model can learn from, such as an infinitely good
    one; the client is then there to correct it.

    Args:
        path: A JSON file that :func:`save_client` or ``Client.save_to_json_file`` wrote.

    Returns:
        The client; its next candidates are those that the stored one would have suggested.

    Raises:
        OSError: If the file cannot be read.
        UserInputError: If it is empty, damaged, or no client.
    """
    try:
        client = Client.load_from_json_file(str(path))
    except (JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        raise UserInputError(
            f"{os.fspath(path)!r} is no stored client, or damaged ({type(error).__name__}: "
            f"{error}). Load a copy of it, or attach its trials to a new client."
        ) from error
    restore_late_parameters(client._experiment)
    restore_outcomes(client._experiment)
    try:
        fit_model(client)
    except InputDataError as error:
        warnings.warn(f"The model is not fitted yet. {error}", stacklevel=2)
    return client
