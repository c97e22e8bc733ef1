"""mdadm in the modes whose first device is the array.

In these it checks the array's path before it opens it, and since version 4.3 takes only names such as /dev/md127 and
/dev/md/tank: a link by UUID is too long. A node may be another array's after a boot, so a plan names the link, and the
command gets the node to which it leads then.
"""

from typing import Final

from raidtui.backends.md.array_names import address
from raidtui.model.machine import Array
from raidtui.model.plan import Run

LONGEST_SECONDS: Final = 60 * 86400  # a check of large disks in use takes days


def managed(array: Array, *words: str, ok: tuple[int, ...] = (0,)) -> Run:
    """``mdadm ARRAY`` with these words: add or remove a member."""
    path = address(array)
    return Run(argv=("mdadm", path, *words), by_node=path, ok=ok)


def regrown(array: Array, *words: str) -> Run:
    """``mdadm --grow ARRAY`` with these words."""
    path = address(array)
    return Run(argv=("mdadm", "--grow", path, *words), by_node=path, timeout_seconds=600)
