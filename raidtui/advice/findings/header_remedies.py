"""What opens a LUKS container again whose header was overwritten. Pure."""

import shlex
from collections.abc import Iterator
from typing import Final

from raidtui.model.device import Device
from raidtui.model.finding import Remedy

_NAMES: Final = ("/dev/md/", "/dev/mapper/")
_BACK: Final = "put it back (cryptsetup luksHeaderRestore)"
ONLY_A_COPY: Final = Remedy(
    text=f"only a copy of the header opens it again: look for one made by cryptsetup luksHeaderBackup, and {_BACK}"
)
A_COPY: Final = Remedy(text=f"if you have a copy of its header, {_BACK}")


def written_to_a_file(device: Device) -> Iterator[Remedy]:
    """The command that writes to a file what is left of the header on ``device``, if a passphrase opens that."""
    if device.luks is not None and device.luks.keys:
        path = next((one for name in _NAMES for one in device.links if one.startswith(name)), device.path)
        yield Remedy(
            text="write its header as it was to a file on another disk. Nothing is written to what it is on",
            commands=(f"raidtui recover {shlex.quote(path)} --luks-header FILE",),
        )
