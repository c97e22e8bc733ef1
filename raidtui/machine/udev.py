"""Read udev's properties of block devices from its database; empty on systems without udev.

The database is a file for each device, ``/run/udev/data/b8:0``: ``E:NAME=value`` is a property, ``S:disk/by-id/…`` a
link. libudev reads the same files, and costs more than the rest of a reading: Python finds it by running ldconfig,
and asks it for each value of each device.
"""

from collections.abc import Mapping
from typing import Final

from raidtui.machine.tree import HERE, Tree

Properties = Mapping[str, str]
"""The properties of one device: ID_SERIAL_SHORT, ID_WWN, ID_MODEL_ENC, DEVLINKS …"""

NONE: Final[Properties] = {}
_DATA: Final = "/run/udev/data"


def udev_runs(tree: Tree = HERE) -> bool:
    """Whether a udev daemon is running."""
    return tree.exists("/run/udev/control")


def read_properties(tree: Tree = HERE) -> Mapping[str, Properties]:
    """The properties of every block device that udev has seen, by device number; empty without udev."""
    if not udev_runs(tree):
        return {}
    numbers = (name[1:] for name in tree.names(_DATA) if name.startswith("b"))
    return {number: found for number in numbers if (found := _properties(tree, number))}


def properties_of(number: str, tree: Tree = HERE) -> Properties:
    """The properties of one block device, by number; empty without udev or if it is gone."""
    return _properties(tree, number) if udev_runs(tree) else NONE


def _properties(tree: Tree, number: str) -> Properties:
    kernel = tree.text(f"/sys/dev/block/{number}/uevent")  # MAJOR, DEVNAME …
    if not kernel:
        return NONE  # removed in the meantime
    found = dict(line.split("=", 1) for line in kernel.split("\n") if "=" in line)
    if "DEVNAME" in found:
        found["DEVNAME"] = f"/dev/{found['DEVNAME']}"
    links = []
    for line in tree.text(f"{_DATA}/b{number}").split("\n"):  # labels may contain other line ends
        kind, _, rest = line.partition(":")
        if kind == "S":
            links.append(f"/dev/{rest}")
        elif kind == "E" and "=" in rest:
            name, _, value = rest.partition("=")
            found[name] = value
    return found | {"DEVLINKS": " ".join(links)} if links else found


def unescape(text: str) -> str:
    r"""Decode a value that udev encoded, such as ``ID_MODEL_ENC``: ``WDC\x20WD40`` is ``WDC WD40``."""
    if "\\x" not in text:
        return text
    first, *rest = text.split("\\x")
    raw = first.encode() + b"".join(_character(part) for part in rest)
    return raw.decode("utf-8", "replace")


def escape(text: str) -> str:
    """Encode a label as udev does in the name of a link: ``my data`` is ``my\\x20data``."""
    return "".join(
        one
        if (one.isascii() and (one.isalnum() or one in "#+-.:=@_")) or not one.isascii()
        else f"\\x{ord(one):02x}"
        for one in text
    )


def _character(part: str) -> bytes:
    try:
        return bytes([int(part[:2], 16)]) + part[2:].encode()
    except ValueError:
        return b"\\x" + part.encode()
