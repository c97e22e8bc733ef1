"""What brings a volume group back at boot, in words."""

from typing import Final

from raidtui.model.spec import Spec

_UDEV: Final = (
    "After a reboot udev activates the volume group once all its disks are there. With one missing it stays down; "
    "start it with 'vgchange -ay --activationmode degraded'."
)


def boot_note(spec: Spec) -> str:
    """udev, and fstab where there is a filesystem. Nothing is configured for the group itself."""
    mounted = spec.filesystem.type != "none"
    return f"{_UDEV}{' fstab mounts the filesystem by UUID with nofail.' if mounted else ''}"
