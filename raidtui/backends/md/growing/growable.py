"""Which levels of md take a further member later, by what was measured with power cuts. Pure."""

from raidtui.model.text import spelled


def why_level_stays(level: str) -> str:
    """Why an array of this level takes no further member; empty if it does."""
    if level == "raid0":
        return "md makes it a RAID4 without parity on the way, which nothing turns back after a power cut"
    if level == "raid10":
        return "after a power cut all that it reads is wrong until it has grown (5 of 5: mdadm 4.2, Linux 6.1, layout n2)"
    if level not in {"raid1", "raid4", "raid5", "raid6"}:
        return f"{spelled(level)} has no redundancy, and a power cut while it grows has not been measured"
    return ""
