"""Names of arrays: what fits into a superblock, which names are taken, and mdadm's spelling of a UUID."""

import re
from typing import Final

from raidtui.model.config_lines import set_name
from raidtui.model.errors import BadInput
from raidtui.model.machine import Machine
from raidtui.model.text import harmless
from raidtui.model.uuids import bare

_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_SET_NAME: Final = 32  # bytes of ``homehost:name`` in a version-1 superblock, the final NUL included
ANY_HOST: Final = "any"  # mdadm treats such an array as local on every computer
LONGEST_NAME: Final = _SET_NAME - 1 - len(f"{ANY_HOST}:")


def home_host(name: str, hostname: str) -> str:
    """The value of mdadm's ``--homehost`` for an array called ``name``: the host's name, or ``any``.

    A superblock has 31 bytes for ``host:name``. mdadm silently drops a host that does not fit, and the array then
    counts as foreign (mdadm super1.c, ``init_super1``).
    """
    fits = len(f"{hostname}:{name}") < _SET_NAME and _HOST.fullmatch(hostname)
    return hostname if fits else ANY_HOST


def check_name_is_free(name: str, machine: Machine, *, erased: frozenset[str]) -> None:
    """Check that no other array has the name.

    Args:
        erased: paths of the disks that the plan erases; arrays on them do not count.

    Raises:
        BadInput: an assembled or stopped array, or a line of mdadm.conf, has the name.
    """
    for array in machine.arrays:
        if name in {array.name, array.path.removeprefix("/dev/md/")}:
            raise BadInput(
                f"the name {name} is used by the array {array.node} of this computer; choose another"
            )
    for line in machine.system.mdadm_conf_arrays:
        words = line.split()[1:]
        if {name, f"/dev/md/{name}"} & set(words[:1]) or any(set_name(word) == name for word in words):
            raise BadInput(
                f"the name {name} is used by a line of {machine.system.mdadm_conf}: {harmless(line)}; "
                "choose another, or remove the line"
            )
    for disk in machine.disks:
        if disk.path in erased:
            continue
        for signature in disk.every_signature:
            if (
                signature.type == "linux_raid_member"
                and signature.label.removeprefix(f"{machine.system.hostname}:") == name
            ):
                raise BadInput(
                    f"the name {name} is used by an array that is not running; {signature.device} is a member of it. "
                    "Choose another name"
                )


def md_spelling(text: str) -> str:
    """A UUID as mdadm writes it: four groups of eight digits, ``6f1d9b0e:3d5a4c2b:9a580d7c:1e2f3a4b``."""
    digits = bare(text)
    return ":".join(digits[start : start + 8] for start in range(0, 32, 8))
