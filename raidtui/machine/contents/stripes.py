"""Read the stripe geometry that a filesystem was made for."""

import re
from collections.abc import Container
from typing import Final

from raidtui.machine.ask import ask

EXT: Final = {"stride": r"RAID stride:\s+(\d+)", "stripe_width": r"RAID stripe width:\s+(\d+)"}
XFS: Final = {"sunit": r"\bdata\b.*?\bsunit=(\d+)", "swidth": r"\bdata\b.*?\bswidth=(\d+)"}


def reported_geometry(device: str, keys: Container[str]) -> dict[str, str]:
    """Read the geometry of the filesystem on ``device``, in its blocks: stride, stripe_width (ext4); sunit, swidth (XFS).

    A missing value is 0: both tools leave out stripes that the filesystem was not made for. Empty if the tool fails, or
    describes no filesystem.

    Args:
        keys: the wanted values, which also decide the filesystem type.
    """
    argv, about, patterns = (
        (["xfs_info", device], "meta-data", XFS)
        if "sunit" in keys
        else (["dumpe2fs", "-h", device], "Filesystem UUID", EXT)
    )
    answer = ask(argv)
    known = answer.returncode == 0 and about in answer.stdout
    return find_geometry(answer.stdout, patterns) if known else {}


def find_geometry(text: str, patterns: dict[str, str]) -> dict[str, str]:
    """The first match of each pattern in a tool's output; "0" without a match."""
    matches = {key: re.search(pattern, text, re.DOTALL) for key, pattern in patterns.items()}
    return {key: match[1] if match else "0" for key, match in matches.items()}
