"""The storage controllers on the PCI bus."""

from typing import Final

from raidtui.model.struct import Record

RAID_CLASS: Final = "0104"


class Controller(Record, frozen=True, kw_only=True):
    """The storage controller on the PCI bus that a disk is connected to."""

    driver: str = ""  # kernel driver: ahci, mpt3sas, megaraid_sas, nvme, vmd
    pci_class: str = ""  # 0106 SATA, 0107 SAS, 0108 NVMe, `RAID_CLASS` …
    pci_vendor: str = ""  # 8086 Intel
    address: str = ""  # on the PCI bus: 0000:01:00.0
