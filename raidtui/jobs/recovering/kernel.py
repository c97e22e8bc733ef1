"""What the kernel shows in /sys: write a setting, read the size of a device."""

import os
from pathlib import Path

from raidtui.model.errors import StepFailed


def write_kernel_file(path: str, value: str) -> None:
    """Write ``value`` to a file in /sys. Raises StepFailed: there is none, or the kernel refuses it."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError as error:
        raise StepFailed(f"{path} cannot be opened: {error.strerror}") from error
    try:
        os.write(fd, value.encode())
    except OSError as error:
        raise StepFailed(f"the kernel does not take {value!r} for {path}: {error.strerror}") from error
    finally:
        os.close(fd)


def sectors_of(node: str) -> int:
    """The size of the block device ``node``, in sectors."""
    return int(Path(f"/sys/block/{os.path.basename(os.path.realpath(node))}/size").read_text())
