"""A recorded machine with drives behind a virtual MegaRAID card: what `raidtui inspect` has of them."""

from pathlib import Path

from raidtui.machine.reader import load_machine

MACHINES = Path(__file__).parent.parent / "machines"


def test_a_drive_behind_a_megaraid_card_names_the_cards_driver() -> None:
    """Recorded on QEMU's virtual card with the kernel's own driver, without the card's program."""
    machine = load_machine(str(MACHINES / "megaraid.json"))
    disks = {disk.serial: disk for disk in machine.disks}
    for serial in ("LAB-0001", "LAB-0002", "LAB-0003"):
        behind = disks[serial]
        assert behind.controller is not None
        assert (behind.controller.driver, behind.controller.pci_class) == ("megaraid_sas", "0104")
        # The card hides the drive's own link; serial number and WWN are those of the drive.
        assert (behind.transport, behind.port, behind.slot) == ("scsi", "", "")
        assert behind.wwn.startswith("0x3")
    plain = disks["LAB-0004"]
    assert plain.controller is not None
    assert (plain.controller.driver, plain.transport, plain.port) == ("ahci", "sata", "ata1")
