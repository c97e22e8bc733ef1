"""Commands that jobs and scripts retry when a device is briefly busy, and how to recognize that.

udev opens a disk and its partitions on every event, a monitor opens an array, and systemd units a mount point, each
only briefly. A command that fails because of that has changed nothing and can be repeated.
"""

from collections.abc import Sequence
from typing import Final

WAITS: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)  # seconds between two attempts
_PROGRAMS: Final = frozenset({"blockdev", "partx", "umount", "wipefs"})
_WORDS: Final = ("busy", "exclusive access")  # strerror(EBUSY), and the wording of some tools


def may_be_busy(argv: Sequence[str]) -> bool:
    """Whether the command ``argv`` can simply be repeated after EBUSY: it stops, unmounts, rereads or wipes something."""
    return argv[0] in _PROGRAMS or any("--stop" in word for word in argv)


def says_busy(text: str) -> bool:
    """Whether a command's output, in the C locale, reports a busy device or mount point."""
    lowered = text.lower()
    return any(words in lowered for words in _WORDS)
