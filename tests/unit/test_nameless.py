"""What gives a disk a name of its own: it depends on what hides it."""

import pytest

from raidtui.advice.nameless import how_to_name
from tests.unit.plan_machines import disk


@pytest.mark.parametrize(
    ("hypervisor", "transport", "how"),
    [
        ("vmware", "scsi", "disk.EnableUUID"),
        ("kvm", "virtio", "serial=NAME"),
        ("hyper-v", "scsi", "settings of the virtual machine"),
        ("kvm", "usb", "usb-storage.quirks"),
        ("", "usb", "usb-storage.quirks"),
        ("", "sata", "Connect it directly"),
    ],
)
def test_a_virtual_disk_gets_its_name_from_its_machine(hypervisor: str, transport: str, how: str) -> None:
    assert how in how_to_name(disk(1, serial="", wwn="", transport=transport), hypervisor)
