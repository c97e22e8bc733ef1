"""Names of pools: what ZFS allows."""

from typing import Final

from raidtui.backends.names import LONGEST_NAME, check_form, quoted
from raidtui.model.errors import BadInput

_BEGINNINGS: Final = ("mirror", "raidz", "draid", "spare")  # vdev types: zpoolconcepts(7)


def check_name(name: str) -> None:
    """Check that ``name`` can be a pool (zpool-create(8)).

    Raises:
        BadInput: it is empty, too long, has a character that ZFS does not take, or begins with a vdev type.
    """
    check_form(name, of="a pool", marks="_.:-", longest=LONGEST_NAME, digit_first=False)
    if name == "log":
        raise BadInput("'log' is a word of zpool for a vdev; choose a name such as tank")
    for word in _BEGINNINGS:
        if name.startswith(word):
            raise BadInput(
                f"{quoted(name)} begins with {word!r}, zpool's word for a vdev; choose a name such as tank"
            )
