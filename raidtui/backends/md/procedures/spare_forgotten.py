"""Erase the superblock of a spare on its disk just before md rebuilds onto it.

As a rebuild begins, md writes the slot of the spare into the superblocks of all members at once. If a power cut comes when
the others have theirs and the spare does not, Linux takes the slot from the others, and as the spare's own superblock says
nothing of a rebuild, the spare counts as in sync with nothing on it: super_1_validate() in drivers/md/md.c asks the freshest
device since 6.8, and in stable kernels since February 2024. Files are read wrong then. Measured on 6.1.176 and on 7.2: in 5
of 8 power cuts at this moment. Without a superblock the spare is not a member after such a power cut, and the array lacks one
as before. md needs none while it runs: it writes a new one as the rebuild begins.
"""

from typing import Final

from raidtui.model.plan import Run

_BLOCK: Final = 4096
_NOWHERE: Final = "-"
# Where it is, in blocks; empty: at the end. md(4), and super_1_load() in drivers/md/md.c. Metadata 0.90 says of each member in
# every superblock whether it is in sync, and is not concerned.
_PLACES: Final = {"1.2": "1", "1.1": "0", "1.0": ""}
_AT_END: Final = '$((($(blockdev --getsz "$2") - 16) / 8))'
# md writes it once more after mdadm has: with the number of its events, which mdadm leaves 0.
FORGET: Final = (
    'events() { mdadm --examine --export "$1" | sed -n "s/^MD_EVENTS=//p"; }; '
    f'forget() {{ [ "$1" != {_NOWHERE} ] || return 0; '
    'for wait in 1 2 3 4 5 6 7 8 9; do now=$(events "$2"); [ "${now:-0}" = 0 ] || break; sleep 0.5; done; '
    f'dd if=/dev/zero of="$2" bs={_BLOCK} seek="${{1:-{_AT_END}}}" count=1 oflag=direct conv=notrunc,fsync status=none; }}; '
)
"""Shell functions: ``forget PLACE DEVICE`` erases the superblock; ``events DEVICE`` prints the events of one."""


def place_of(metadata: str) -> str:
    """Where the superblock of a member is, as ``forget`` takes it; a word for "leave it" where that is not needed."""
    return _PLACES.get(metadata, _NOWHERE)


def forgotten(metadata: str, device: str) -> Run:
    """The command that does it; ``device`` is a spare of an array with this metadata that runs and lacks no member."""
    return Run(argv=("sh", "-c", f'{FORGET}forget "$1" "$2"', "forget-spare", place_of(metadata), device))
