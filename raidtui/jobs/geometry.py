"""What a filesystem itself says of the stripes it was made for."""

import re
from typing import Final

from raidtui.jobs.commands import Commands
from raidtui.machine.signatures import read_signatures

EXT: Final = {"stride": r"RAID stride:\s+(\d+)", "stripe_width": r"RAID stripe width:\s+(\d+)"}
XFS: Final = {"sunit": r"\bdata\b.*?\bsunit=(\d+)", "swidth": r"\bdata\b.*?\bswidth=(\d+)"}


def reported_geometry(commands: Commands, device: str) -> dict[str, str]:
    """Stride and stripe width (ext4) or sunit and swidth (XFS), in blocks, as the filesystem on ``device`` reports.

    What it does not report is 0: neither filesystem mentions stripes that it was not made for.
    """
    types = {signature.type for signature in read_signatures(device)}
    if "xfs" in types:
        return find_geometry(commands.run(["xfs_info", device]).stdout, XFS)
    if types & {"ext2", "ext3", "ext4"}:
        return find_geometry(commands.run(["dumpe2fs", "-h", device]).stdout, EXT)
    return {}


def find_geometry(text: str, patterns: dict[str, str]) -> dict[str, str]:
    """The first match of each pattern in what the tool printed."""
    matches = {key: re.search(pattern, text, re.DOTALL) for key, pattern in patterns.items()}
    return {key: match[1] if match else "0" for key, match in matches.items()}
