"""Read udev's properties of block devices through libudev; empty on systems without udev.

pyudev watches for changes, see `raidtui.machine.watch`. Here it is left out: it takes three times as long to load, and
runs ldconfig, which is much of the time in which all disks of a computer are read.
"""

import ctypes
import functools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from raidtui.machine.tree import HERE, Tree

Properties = Mapping[str, str]
"""The properties of one device: ID_SERIAL_SHORT, ID_WWN, ID_MODEL_ENC, DEVLINKS …"""

NONE: Final[Properties] = {}
DATABASE: Final = "/run/udev/data"
"""The folder that changes with every event of udev. Only libudev reads what is in it: its format is not public."""

_LIBRARY: Final = "libudev.so.1"  # since systemd 183; eudev and libudev-zero have the same
# What is called: whether it returns a pointer, and its arguments; see libudev(3).
_FUNCTIONS: Final = {
    "udev_new": (True, ()),
    "udev_unref": (True, (ctypes.c_void_p,)),
    "udev_enumerate_new": (True, (ctypes.c_void_p,)),
    "udev_enumerate_add_match_subsystem": (False, (ctypes.c_void_p, ctypes.c_char_p)),
    "udev_enumerate_scan_devices": (False, (ctypes.c_void_p,)),
    "udev_enumerate_get_list_entry": (True, (ctypes.c_void_p,)),
    "udev_enumerate_unref": (True, (ctypes.c_void_p,)),
    "udev_device_new_from_syspath": (True, (ctypes.c_void_p, ctypes.c_char_p)),
    "udev_device_new_from_devnum": (True, (ctypes.c_void_p, ctypes.c_char, ctypes.c_uint64)),
    "udev_device_get_properties_list_entry": (True, (ctypes.c_void_p,)),
    "udev_device_unref": (True, (ctypes.c_void_p,)),
    "udev_list_entry_get_next": (True, (ctypes.c_void_p,)),
}
_TEXTS: Final = ("udev_list_entry_get_name", "udev_list_entry_get_value")


def udev_runs(tree: Tree = HERE) -> bool:
    """Whether a udev daemon is running."""
    return tree.exists("/run/udev/control")


def read_properties(tree: Tree = HERE) -> Mapping[str, Properties]:
    """The properties of every block device, by device number; empty without udev or libudev."""
    found: dict[str, Properties] = {}
    with _udev(tree) as (library, context):
        every = library.udev_enumerate_new(context) if library is not None else None
        if library is None or not every:
            return found
        try:
            library.udev_enumerate_add_match_subsystem(every, b"block")
            library.udev_enumerate_scan_devices(every)
            for path, _ in _entries(library, library.udev_enumerate_get_list_entry(every)):
                properties = _properties(library, library.udev_device_new_from_syspath(context, path))
                if properties:  # else removed in the meantime
                    found[f"{properties.get('MAJOR', '')}:{properties.get('MINOR', '')}"] = properties
        finally:
            library.udev_enumerate_unref(every)
    return found


def properties_of(number: str) -> Properties:
    """The properties of one block device of this computer, by number; empty without udev or if it is gone."""
    major, _, minor = number.partition(":")
    if not (major.isdecimal() and minor.isdecimal()):
        return NONE
    try:
        wanted = os.makedev(int(major), int(minor))
    except OverflowError:
        return NONE
    with _udev() as (library, context):
        if library is None:
            return NONE
        return _properties(library, library.udev_device_new_from_devnum(context, b"b", wanted))


@contextmanager
def _udev(tree: Tree = HERE) -> Iterator[tuple[ctypes.CDLL | None, int | None]]:
    """libudev, and a context of it for this use alone: one must not be used by two threads. None without udev."""
    library = _library() if udev_runs(tree) else None
    context = library.udev_new() if library is not None else None
    try:
        yield (library, context) if context else (None, None)
    finally:
        if library is not None and context:
            library.udev_unref(context)


def _properties(library: ctypes.CDLL, device: int | None) -> Properties:
    """The properties of a device of libudev, which is released; empty if it is gone."""
    if not device:
        return NONE
    try:
        entries = _entries(library, library.udev_device_get_properties_list_entry(device))
        return {name.decode(errors="replace"): value.decode(errors="replace") for name, value in entries}
    finally:
        library.udev_device_unref(device)


def _entries(library: ctypes.CDLL, entry: int | None) -> Iterator[tuple[bytes, bytes]]:
    """The names and values of a list of libudev."""
    while entry:
        yield library.udev_list_entry_get_name(entry) or b"", library.udev_list_entry_get_value(entry) or b""
        entry = library.udev_list_entry_get_next(entry)


@functools.cache
def _library() -> ctypes.CDLL | None:
    """libudev; None if it is not there."""
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        return None
    for name, (pointer, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = ctypes.c_void_p if pointer else ctypes.c_int
        function.argtypes = arguments
    for name in _TEXTS:
        getattr(library, name).restype = ctypes.c_char_p
        getattr(library, name).argtypes = (ctypes.c_void_p,)
    return library
