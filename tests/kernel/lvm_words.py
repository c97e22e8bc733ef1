"""How lvcreate is asked for each type of logical volume over all disks of a group."""


def lvcreate_type(level: str, disks: int, stripe: int | None = None) -> list[str]:
    """Its options for ``level``, in LVM's own word, over that many disks; ``stripe`` in bytes."""
    shape = {
        "linear": [],
        "striped": ["-i", str(disks)],
        "raid0": ["-i", str(disks)],
        "raid1": ["-m", str(disks - 1)],
        "raid4": ["-i", str(disks - 1)],
        "raid5": ["-i", str(disks - 1)],
        "raid6": ["-i", str(disks - 2)],
        "raid10": ["-i", str(disks // 2), "-m", "1"],
    }[level]
    return ["--type", level, *shape, *(["-I", f"{stripe}b"] if stripe else [])]
