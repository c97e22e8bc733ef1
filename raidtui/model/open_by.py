"""The words of a claim on a device that a program has open."""

from typing import Final

WRITTEN: Final = "open for writing by "
"""How `Claim.detail` begins where a program writes to a device by itself."""
VIRTUAL_MACHINE: Final = "a virtual machine"
ISCSI: Final = "an iSCSI target"
NVME: Final = "an NVMe target"
SERVER: Final = "a network block device server"
FOR_OTHERS: Final = tuple(f", {what})" for what in (VIRTUAL_MACHINE, ISCSI, NVME, SERVER))
"""How it ends where what is on the device belongs to another system."""
