"""Which boot of the kernel this is."""

from pathlib import Path
from typing import Final

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """The kernel's name of this boot. Raises OSError: it cannot be read."""
    return _BOOT_ID.read_text(encoding="ascii").strip()


def is_this_boot(known: str) -> bool:
    """Whether ``known`` is the name of this boot; true if either is not known."""
    try:
        return not known or boot_id() in {known, ""}
    except OSError:
        return True
