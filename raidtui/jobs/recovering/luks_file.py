"""Write the repaired header of a LUKS container to a file, with which cryptsetup opens it while nothing is written to its device."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from raidtui.jobs.state_folder import disks_below
from raidtui.machine.blocks import whole_disks
from raidtui.machine.contents.luks_repaired import repaired_header
from raidtui.machine.devices import device_number
from raidtui.model.errors import Refused
from raidtui.model.text import harmless

_MODE = 0o600  # it holds the keys, behind the passphrase


def save_header(device: str, file: str) -> Iterator[str]:
    """Write the header of the container on ``device`` as it was to ``file``, a new one; yield what to do with it, in lines.

    Raises:
        Refused: ``device`` has no header that can be repaired, or ``file`` is on it, is there already, or cannot be written.
    """
    number = device_number(device)
    if not number:
        raise Refused(
            f"name the device with the container in place of UNIT, such as /dev/md/tank, not {device!r}"
        )
    if disks_below(Path(file).absolute().parent) & {number, *whole_disks(number)}:
        raise Refused(f"{file} would be on a disk of {device}; name a file on another disk")
    try:
        content = repaired_header(device)
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE)
        with open(fd, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(fd)
    except OSError as error:
        raise Refused(f"{error.filename or device} cannot be used: {error.strerror}") from error
    header, on = shlex.quote(harmless(file)), shlex.quote(harmless(device))
    yield f"{harmless(file)} has the header of the container, {len(content):,} bytes. Nothing was written to {harmless(device)}."
    yield "Keep it as secret as the container: its passphrase opens that with this file."
    yield "Open it, and mount what is in it read-only:"
    yield f"  cryptsetup open --readonly --header {header} {on} NAME"
    yield "If its files are right, close it again, and put the header back from this file (cryptsetup luksHeaderRestore)."
