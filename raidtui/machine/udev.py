"""Read udev's properties of block devices through pyudev; empty on systems without udev."""

import functools
import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from raidtui.machine.tree import HERE, Tree

if TYPE_CHECKING:
    import pyudev

Properties = Mapping[str, str]
"""The properties of one device: ID_SERIAL_SHORT, ID_WWN, ID_MODEL_ENC, DEVLINKS …"""

NONE: Final[Properties] = {}
DATABASE: Final = "/run/udev/data"
"""The folder that changes with every event of udev. Only libudev reads what is in it: its format is not public."""
_ON, _USB, _LINKS = "ID_BUS", "usb", "DEVLINKS"
_NUMBERS: Final = ("ID_SERIAL", "ID_SERIAL_SHORT", "ID_WWN", "ID_WWN_WITH_EXTENSION")
UEVENTS: Final = "/sys/kernel/uevent_seqnum"
"""The number of the kernel's last event."""

_TICK_NANOSECONDS: Final = (
    1_000_000_000  # far longer than the kernel's clock for the times of files stands still
)
_T = TypeVar("_T")


class UntilEvent(Generic[_T]):
    """What ``read`` finds, read again only after an event of a device: for what is asked every second or minute.

    ``read`` may use udev's database, what it links in ``/dev/disk``, and which block devices the kernel has. Without
    udev, and within a second of an event, it is read each time.
    """

    def __init__(self, read: Callable[[Tree], _T]) -> None:
        self._read = read
        self._found: dict[str, tuple[int, str, _T]] = {}  # by the root of the tree

    def __call__(self, tree: Tree = HERE) -> _T:
        """What ``read`` returned for ``tree`` since the last event."""
        # The kernel counts an event before udev has seen it; udev renames a new file into its folder when it has.
        changed, events = tree.modified(DATABASE), tree.text(UEVENTS)
        kept = self._found.get(tree.root)
        if kept is not None and kept[:2] == (changed, events):
            return kept[2]
        found = self._read(tree)
        if changed and time.time_ns() - changed > _TICK_NANOSECONDS:
            self._found[tree.root] = changed, events, found
        else:
            self._found.pop(tree.root, None)
        return found


def udev_runs(tree: Tree = HERE) -> bool:
    """Whether a udev daemon is running."""
    return tree.exists("/run/udev/control")


def read_properties(tree: Tree = HERE) -> Mapping[str, Properties]:
    """The properties of every block device, by device number; empty without udev or libudev.

    Names that several USB disks share are left out: see `shared_names`.
    """
    found = _read_all(tree)
    shared = _ever_shared(found.values())
    return {number: without_shared(one, shared) for number, one in found.items()} if shared else found


def properties_of(number: str) -> Properties:
    """The properties of one block device of this computer, by number; empty without udev or if it is gone.

    Names that several USB disks share are left out: see `shared_names`.
    """
    found = _properties_of(number)
    return without_shared(found, _shared_here()) if found.get(_ON) == _USB else found


def shared_names(every: Iterable[Properties]) -> frozenset[str]:
    """Serial numbers, WWNs and links that udev gives to several USB disks.

    They name the enclosure, whose bridge hides the numbers of the disks in it, and say nothing about one disk. Two
    devices in one place are one disk, the first of them gone after a reset and still in use. ``every``: the properties
    of all block devices.
    """
    places: dict[str, set[str]] = {}
    for one in every:
        if one.get(_ON) == _USB and one.get("DEVTYPE") == "disk":
            place = one.get("ID_PATH") or one.get("DEVNAME", "")
            for name in (*(one[key] for key in _NUMBERS if key in one), *one.get(_LINKS, "").split()):
                places.setdefault(name, set()).add(place)
    return frozenset(name for name, those in places.items() if len(those) > 1)


def without_shared(properties: Properties, shared: frozenset[str]) -> Properties:
    """The ``properties`` of a device without what names others too; unchanged unless it is on USB."""
    if properties.get(_ON) != _USB or not shared:
        return properties
    kept = {key: value for key, value in properties.items() if key not in _NUMBERS or value not in shared}
    links = " ".join(link for link in properties.get(_LINKS, "").split() if link not in shared)
    return kept | ({_LINKS: links} if _LINKS in properties else {})


def _read_all(tree: Tree) -> Mapping[str, Properties]:
    # Twice as fast as Context.list_devices(), in which libudev opens each device once more to sort them.
    every = tree.names("/sys/dev/block") if udev_runs(tree) else []
    return {number: found for number in every if (found := _properties_of(number))}


_shared_before: Final[set[str]] = set()


def _ever_shared(every: Iterable[Properties]) -> frozenset[str]:
    """What is shared, and what was while this process ran: a disk keeps its name when its neighbor is pulled."""
    _shared_before.update(shared_names(every))
    return frozenset(_shared_before)


_shared_here: Final = UntilEvent(lambda tree: _ever_shared(_read_all(tree).values()))


def _properties_of(number: str) -> Properties:
    if not udev_runs():
        return NONE
    try:
        import pyudev
    except ImportError:
        return NONE
    major, _, minor = number.partition(":")
    try:
        device = pyudev.Devices.from_device_number(_context(), "block", os.makedev(int(major), int(minor)))
        return dict(device.properties)
    except (pyudev.DeviceNotFoundError, OSError, ValueError, KeyError, OverflowError):
        return NONE


@functools.cache
def _context() -> "pyudev.Context":
    import pyudev

    return pyudev.Context()
