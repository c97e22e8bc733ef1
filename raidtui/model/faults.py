"""What can be done to a virtual disk of the lab: the words of its command ``lab``, and what each does."""

from typing import Final, NamedTuple


class Fault(NamedTuple):
    """One thing that is done to a disk."""

    title: str
    text: str
    needs_disk: bool = True


FAULTS: Final = {
    "pull": Fault("Pull a disk", "without notice; its arrays run on without it, as far as they can"),
    "plug": Fault(
        "Plug in again", "every disk that was pulled, or the named one; it is sound", needs_disk=False
    ),
    "slow": Fault("Make a disk slow", "each read and write takes 50 ms longer; pull and plug end it"),
    "bad": Fault("Give a disk bad sectors", "16 times 4 KiB cannot be read until they are written"),
    "corrupt": Fault("Corrupt a disk", "64 KiB are overwritten with random bytes, which no array notices"),
    "power": Fault(
        "Cut the power", "of the whole lab; only with --disk-dir, which keeps the disks", needs_disk=False
    ),
}
