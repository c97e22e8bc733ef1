"""What a filesystem itself says of the stripes it was made for."""

import re
from collections.abc import Container
from typing import Final

from raidtui.machine.ask import ask

EXT: Final = {"stride": r"RAID stride:\s+(\d+)", "stripe_width": r"RAID stripe width:\s+(\d+)"}
XFS: Final = {"sunit": r"\bdata\b.*?\bsunit=(\d+)", "swidth": r"\bdata\b.*?\bswidth=(\d+)"}


def reported_geometry(device: str, keys: Container[str]) -> dict[str, str]:
    """What the filesystem on ``device`` reports, in its blocks: stride and stripe_width (ext4), sunit and swidth (XFS).

    What it does not report is 0: neither filesystem mentions stripes that it was not made for.

    Args:
        keys: which of these are wanted; they say which filesystem it is.
    """
    if "sunit" in keys:
        return find_geometry(ask(["xfs_info", device]).stdout, XFS)
    return find_geometry(ask(["dumpe2fs", "-h", device]).stdout, EXT)


def find_geometry(text: str, patterns: dict[str, str]) -> dict[str, str]:
    """The first match of each pattern in what the tool printed."""
    matches = {key: re.search(pattern, text, re.DOTALL) for key, pattern in patterns.items()}
    return {key: match[1] if match else "0" for key, match in matches.items()}
