"""Which names an array may have.

Sources: mdadm's superblock has 32 bytes for ``homehost:name``; a name that does not fit is stored without its
host, and the array then counts as foreign at the next boot (super1.c). ``md`` and digits are the kernel's own
names.
"""

import re
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.text import harmless

_GOOD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_ROOM: Final = 31  # bytes of "homehost:name" in the superblock, the last one being zero


def check_name(name: str, machine: Machine) -> None:
    """Refuse a name that an array cannot have, or that is taken here.

    Raises:
        BadInput: with what would be right.
    """
    shown = harmless(name if len(name) <= 40 else name[:37] + "...")
    if not _GOOD.fullmatch(name):
        raise BadInput(
            f"the name {shown!r} is not possible; use letters, digits, '.', '_' and '-', and begin with a letter or digit"
        )
    if name.isdigit() or re.fullmatch(r"md_?\d+", name):
        raise BadInput(
            f"the name {shown!r} is one that the kernel gives by itself; take a word, such as 'tank'"
        )
    host = machine.system.hostname
    room = _ROOM - len(host.encode()) - 1
    if len(name.encode()) > room:
        raise BadInput(
            f"the name {shown!r} has {len(name)} characters, and beside the host name {host!r} there is room for {room}"
        )
    for array in machine.arrays:
        if name in {array.name, array.node.removeprefix("/dev/")}:
            raise BadInput(f"an array called {shown!r} is there already ({array.node}); take another name")
    for line in machine.system.mdadm_conf_arrays:
        words = line.split()
        if len(words) > 1 and words[1].rsplit("/", 1)[-1] == name:
            raise BadInput(
                f"{machine.system.mdadm_conf} already has an array called {shown!r}; take another name, or remove that line"
            )
