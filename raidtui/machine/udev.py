"""Read udev's properties of block devices from its database; empty on systems without udev.

It has a file for each device, which udev renames into place: a line that begins with ``S:`` is a link, with ``E:`` a
property. Asking libudev for the same takes ten times as long.
"""

from collections.abc import Mapping
from typing import Final

from raidtui.machine.tree import HERE, Tree

Properties = Mapping[str, str]
"""The properties of one device: ID_SERIAL_SHORT, ID_WWN, ID_MODEL_ENC, DEVLINKS …"""

NONE: Final[Properties] = {}
DATABASE: Final = "/run/udev/data"


def udev_runs(tree: Tree = HERE) -> bool:
    """Whether a udev daemon is running."""
    return tree.exists("/run/udev/control")


def read_properties(tree: Tree = HERE) -> Mapping[str, Properties]:
    """The properties of every block device, by device number; empty without udev."""
    numbers = [name[1:] for name in tree.names(DATABASE) if name.startswith("b")] if udev_runs(tree) else []
    return {number: found for number in numbers if (found := _read(tree, number))}


def properties_of(number: str, tree: Tree = HERE) -> Properties:
    """The properties of one block device, by number; empty without udev or if it is gone."""
    return _read(tree, number) if udev_runs(tree) else NONE


def _read(tree: Tree, number: str) -> Properties:
    kernel = dict(line.partition("=")[::2] for line in tree.lines(f"/sys/dev/block/{number}/uevent"))
    if "DEVNAME" not in kernel:
        return NONE  # removed in the meantime
    stored = [line.partition(":")[::2] for line in tree.lines(f"{DATABASE}/b{number}")]
    links = " ".join(f"/dev/{value}" for kind, value in stored if kind == "S")
    return {
        **kernel,
        "DEVNAME": f"/dev/{kernel['DEVNAME']}",
        **({"DEVLINKS": links} if links else {}),
        **dict(value.partition("=")[::2] for kind, value in stored if kind == "E"),
    }
