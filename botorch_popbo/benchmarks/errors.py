"""The errors that a user can mend, reported as a message and never as a traceback."""


class UsageError(ValueError):
    """The request cannot be carried out as it was made; the message says what to change."""


class RecordError(RuntimeError):
    """A file of records does not hold what its name promises; the message names the file."""
