"""Commands that find a device busy for a moment, and what they say then: the job and the script try them again.

udev opens a disk and its partitions whenever it hears of them, a monitor an array, and systemd's units a mount point:
each for a moment only. Such a command has changed nothing when it fails so, and doing it again is doing it once.
"""

from collections.abc import Sequence
from typing import Final

WAITS: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)  # seconds between two tries
_PROGRAMS: Final = frozenset({"blockdev", "partx", "umount", "wipefs"})
_WORDS: Final = ("busy", "exclusive access")  # the kernel's EBUSY, and the words of tools for it


def may_be_busy(argv: Sequence[str]) -> bool:
    """Whether the command ``argv`` can be done again as it is when something was busy: stops and frees and wipes can."""
    return argv[0] in _PROGRAMS or any("--stop" in word for word in argv)


def says_busy(text: str) -> bool:
    """Whether what a command wrote, in the C locale, says that a device or mount point was busy."""
    lowered = text.lower()
    return any(words in lowered for words in _WORDS)
