"""The actions in a PyTorch schedule's table: their kinds, and what Plumbline's notation calls them."""

from collections.abc import Iterable

# Today's spelling, by the name of PyTorch's enum member. The text that members print has changed: full backward was BW
# and its input half B before they became B and I.
LETTERS = {
    "FORWARD": "F",
    "FULL_BACKWARD": "B",
    "BACKWARD_INPUT": "I",
    "BACKWARD_WEIGHT": "W",
    "WEIGHT": "W",  # up to 2.5
    "SEND_F": "SEND_F",
    "RECV_F": "RECV_F",
    "SEND_B": "SEND_B",
    "RECV_B": "RECV_B",
    "UNSHARD": "UNSHARD",
    "RESHARD": "RESHARD",
    "REDUCE_GRAD": "REDUCE_GRAD",
}
OF_A_STAGE = ("UNSHARD", "RESHARD", "REDUCE_GRAD")  # These have no microbatch.
OVERLAP = "OVERLAP_F_B"
COMPUTE = ("FORWARD", "FULL_BACKWARD", "BACKWARD", "BACKWARD_INPUT", "BACKWARD_WEIGHT", "WEIGHT")
# Newer PyTorch says where a rank waits for what it began. CSV files as Plumbline reads them have no such cells.
WAITS = ("WAIT_SEND_F", "WAIT_SEND_B", "WAIT_REDUCE_GRAD")


def type_name(action):
    """The name of the enum member that says what the action is, if it is an action."""
    name = getattr(getattr(action, "computation_type", None), "name", None)
    return name if isinstance(name, str) else None


def parts(action):
    """The actions of an overlapped call, or the action alone."""
    overlapped = getattr(action, "sub_actions", None)
    return overlapped if isinstance(overlapped, Iterable) else (action,)
