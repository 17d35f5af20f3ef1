import pytest
from ax.exceptions.core import UserInputError

from botorch_popbo.ax import popbo_node


def test_who_takes_over_and_when_go_together() -> None:
    with pytest.raises(UserInputError, match="go together"):
        popbo_node(next_node_name="gp-logei")
