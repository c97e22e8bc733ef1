"""Partitions whose type shows that the volume manager of another system has them; few of these write a signature.

Types: "sfdisk --list-types" of util-linux; 0x42 is that of dynamic disks on MBR disks.
"""

from typing import Final

_WINDOWS: Final = "dynamic disk of Windows (LDM)"
_CEPH: Final = "disk of a Ceph OSD"
MANAGERS: Final = {
    "0x42": _WINDOWS,
    "5808c8aa-7e8f-42e0-85d2-e1e90434cfb3": _WINDOWS,
    "af9b60a0-1431-4f62-bc68-3311714a69ad": _WINDOWS,
    "e75caf8f-f680-4cee-afa3-b001e56efc2d": "disk of a storage pool of Windows (Storage Spaces)",
    "52414944-0000-11aa-aa11-00306543ecac": "member of an Apple RAID",
    "52414944-5f4f-11aa-aa11-00306543ecac": "member of an Apple RAID",
    "53746f72-6167-11aa-aa11-00306543ecac": "physical volume of Apple Core Storage",
    "aa31e02a-400f-11db-9590-000c2911d1b8": "datastore of VMware (VMFS)",
    "381cfccc-7288-11e0-92ee-000c2911d0b2": "disk of VMware vSAN",
    "516e7cb8-6ecf-11d6-8ff8-00022d09712b": "disk of FreeBSD's Vinum",
    "49f48daa-b10e-11dc-b99b-0019d1879648": "member of a NetBSD RAID",
    "4fbd7e29-9d25-41b8-afd0-062c0ceff05d": _CEPH,
    "4fbd7e29-9d25-41b8-afd0-5ec00ceff05d": _CEPH,
    "45b0969e-9b03-4f30-b4c6-b4b80ceff106": _CEPH,
}
"""By type in lower case: what the disk is to that system."""
