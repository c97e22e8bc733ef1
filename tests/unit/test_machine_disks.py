"""What identifies a disk: udev's word, or sysfs alone; and which devices are disks at all."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from raidtui.machine import udev
from raidtui.machine.udev import shared_names, without_shared
from raidtui.model.config_lines import decoded
from raidtui.model.controller import Controller
from raidtui.model.disk_label import label_of
from raidtui.model.machine import (
    Disk,
)
from raidtui.model.smart import Smart
from tests.unit.machine_trees import GIB, MadeTree


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    return MadeTree(tmp_path)


def test_udev_tells_serial_wwn_model_and_links(made: MadeTree) -> None:
    made.disk(
        "sda",
        size=4_000_787_030_016,
        udev={
            "ID_BUS": "ata",
            "ID_MODEL": "WDC_WD40EFRX-68N32N0",
            "ID_MODEL_ENC": r"WDC\x20WD40EFRX-68N32N0\x20\x20",
            "ID_SERIAL": "WDC_WD40EFRX-68N32N0_WD-WCC7K1A",
            "ID_SERIAL_SHORT": "WD-WCC7K1A",
            "ID_WWN": "0x50014ee20b1c2d3e",
            "ID_REVISION": "82.00A82",
            "DEVLINKS": "/dev/disk/by-id/wwn-0x50014ee20b1c2d3e /dev/disk/by-path/pci-0000:00:1f.2-ata-1 "
            "/dev/disk/by-id/lvm-pv-uuid-abc /dev/disk/by-id/ata-WDC_WD40EFRX-68N32N0_WD-WCC7K1A",
        },
        queue__logical_block_size="512",
        queue__physical_block_size="4096",
        queue__rotational="1",
        device__timeout="30",
        device__vendor="ATA     ",
        diskseq="9",
    )
    for link in ("wwn-0x50014ee20b1c2d3e", "ata-WDC_WD40EFRX-68N32N0_WD-WCC7K1A", "lvm-pv-uuid-abc"):
        made.link(f"/dev/disk/by-id/{link}", "../../sda")
    disk = made.read_disk("sda")
    assert disk.serial == "WD-WCC7K1A"
    assert disk.identity == "WD-WCC7K1A"
    assert disk.wwn == "0x50014ee20b1c2d3e"
    assert disk.model == "WDC WD40EFRX-68N32N0"
    assert disk.vendor == ""
    assert disk.firmware == "82.00A82"
    assert disk.by_id == ("ata-WDC_WD40EFRX-68N32N0_WD-WCC7K1A", "wwn-0x50014ee20b1c2d3e")
    assert disk.stable_path == "/dev/disk/by-id/ata-WDC_WD40EFRX-68N32N0_WD-WCC7K1A"
    assert (disk.logical_sector_bytes, disk.physical_sector_bytes) == (512, 4096)
    assert disk.rotational
    assert disk.scsi_timeout_seconds == 30
    assert disk.sequence == 9
    assert disk.size_bytes == 4_000_787_030_016


def test_a_link_that_leads_to_another_disk_now_is_not_this_disks(made: MadeTree) -> None:
    made.disk("sda", udev={"DEVLINKS": "/dev/disk/by-id/wwn-0x1"})
    made.link("/dev/disk/by-id/wwn-0x1", "../../sdb")
    assert made.read_disk("sda").by_id == ()


@pytest.mark.parametrize(
    "wwn",
    [
        "0x0000000000000000",
        "0xffffffffffffffff",
        "0xFFFFFFFFFFFFFFFF",
        "0x",
        "eui.0000000000000000",
        "0x5000000000000000",
        "0x6000000000000000",
        "0x5000c50000000000",
    ],
)
def test_an_empty_wwn_is_not_an_identity(made: MadeTree, wwn: str) -> None:
    links = f"/dev/disk/by-id/wwn-{wwn} /dev/disk/by-id/ata-X_1"
    made.disk("sda", udev={"ID_WWN": wwn, "DEVLINKS": links})
    for link in ("wwn-" + wwn, "ata-X_1"):
        made.link(f"/dev/disk/by-id/{link}", "../../sda")
    made.disk("sdb", udev={}, wwid=wwn.replace("0x", "naa."))
    assert (made.read_disk("sda").wwn, made.read_disk("sda").by_id) == ("", ("ata-X_1",))
    assert made.read_disk("sdb").wwn == ""


@pytest.mark.parametrize(
    "serial",
    ["000000000000", "FFFFFFFF", "0123456789ABCDEF", "123456789", "None", "N/A", "----", "xxxxxxxxxxxx"],
)
def test_what_stands_in_the_place_of_a_serial_number_is_not_one(made: MadeTree, serial: str) -> None:
    made.disk("sda", udev={"ID_SERIAL_SHORT": serial, "ID_WWN": "0x5000c500a1b2c3d4"})
    disk = made.read_disk("sda")
    assert (disk.serial, disk.identity) == ("", "0x5000c500a1b2c3d4")


@pytest.mark.parametrize("serial", ["WD-WCC4N0000000", "QM00001", "1", "20000000", "S1000000000000F"])
def test_a_serial_number_with_many_zeros_is_one(made: MadeTree, serial: str) -> None:
    made.disk("sda", udev={"ID_SERIAL_SHORT": serial})
    assert made.read_disk("sda").serial == serial


def in_enclosure(made: MadeTree, name: str, *, bay: int, links: tuple[str, ...], path: str = "") -> None:
    """Create the disk in a bay of a USB enclosure whose bridge has one serial number for all."""
    udev = {
        "DEVTYPE": "disk",
        "DEVNAME": f"/dev/{name}",
        "ID_BUS": "usb",
        "ID_PATH": path or f"pci-0000:00:14.0-usb-0:3:1.0-scsi-0:0:0:{bay}",
        "ID_MODEL": "Disk",
        "ID_SERIAL": f"JMicron_Disk_DB9876543214E-0:{bay}",
        "ID_SERIAL_SHORT": "DB9876543214E",
        "ID_WWN": "0x3044564198838121",
        "DEVLINKS": " ".join(f"/dev/disk/by-id/{link}" for link in links),
    }
    made.disk(name, udev=udev)
    for link in links:
        where = made.root / f"dev/disk/by-id/{link}"
        where.unlink(missing_ok=True)
        made.link(f"/dev/disk/by-id/{link}", f"../../{name}")


def of_their_own(made: MadeTree) -> None:
    """Leave out of udev's properties what `read_properties` leaves out."""
    shared = shared_names(made.properties.values())
    made.properties = {number: without_shared(one, shared) for number, one in made.properties.items()}


def test_what_names_every_bay_of_a_usb_enclosure_names_no_disk_in_it(made: MadeTree) -> None:
    for bay, name in enumerate(("sda", "sdb")):
        in_enclosure(made, name, bay=bay, links=(f"usb-JMicron_Disk_DB9876543214E-0:{bay}",))
    made.disk("sdc", udev={"DEVTYPE": "disk", "ID_BUS": "ata", "ID_SERIAL_SHORT": "DB9876543214E"})
    of_their_own(made)
    first, second, other = (made.read_disk(name) for name in ("sda", "sdb", "sdc"))
    assert (first.serial, first.wwn, first.identity) == ("", "", "usb-JMicron_Disk_DB9876543214E-0:0")
    assert (second.serial, second.wwn, second.identity) == ("", "", "usb-JMicron_Disk_DB9876543214E-0:1")
    assert other.serial == "DB9876543214E"  # it is on SATA: the number is its own


def test_a_link_that_two_usb_disks_claim_names_neither(made: MadeTree) -> None:
    """udev gives it to one of them, and after the next start to the other."""
    for name in ("sda", "sdb"):
        in_enclosure(made, name, bay=0, links=("usb-JMicron_Disk_DB9876543214E-0:0",), path=f"pci-usb-{name}")
    of_their_own(made)
    assert [made.read_disk(name).identity for name in ("sda", "sdb")] == ["", ""]


def test_a_disk_that_came_back_while_its_old_device_is_in_use_keeps_its_names(made: MadeTree) -> None:
    for name in ("sda", "sdb"):
        in_enclosure(made, name, bay=0, links=("usb-JMicron_Disk_DB9876543214E-0:0",), path="pci-usb-0:3")
    assert shared_names(made.properties.values()) == frozenset()


def test_one_usb_disk_alone_keeps_its_names(made: MadeTree) -> None:
    in_enclosure(made, "sda", bay=0, links=("usb-JMicron_Disk_DB9876543214E-0:0",))
    part = {"DEVTYPE": "partition", "ID_BUS": "usb", "ID_SERIAL_SHORT": "DB9876543214E"}
    made.properties["8:99"] = part  # a partition has the names of its disk
    of_their_own(made)
    assert made.read_disk("sda").serial == "DB9876543214E"
    assert made.properties["8:99"] == part


def test_the_label_is_told_where_a_bridge_hides_it(made: MadeTree) -> None:
    in_enclosure(made, "sda", bay=0, links=("usb-JMicron_Disk_DB9876543214E-0:0",))
    disk = structs.replace(made.read_disk("sda"), smart=Smart(serial="K1GZ601D"))
    assert label_of(structs.replace(disk, transport="usb")) == "K1GZ601D"
    assert label_of(structs.replace(disk, serial="")) == "K1GZ601D"
    assert label_of(structs.replace(disk, transport="sas")) == ""  # SAS: smartctl prints more of the number
    assert label_of(structs.replace(disk, transport="usb", serial="K1GZ601D")) == ""
    assert label_of(structs.replace(disk, transport="usb", smart=None)) == ""


def test_a_sas_disk_has_the_serial_of_its_label(made: MadeTree) -> None:
    made.disk("sda", udev={"ID_SCSI_SERIAL": "ZR500ABC", "ID_SERIAL_SHORT": "5000c500a1b2c3d4"})
    assert made.read_disk("sda").serial == "ZR500ABC"


def test_a_virtio_disk_has_only_its_long_serial(made: MadeTree) -> None:
    made.disk("vda", udev={"ID_SERIAL": "disk-one"}, device__vendor="0x1af4")
    disk = made.read_disk("vda")
    assert (disk.serial, disk.vendor, disk.transport) == ("disk-one", "", "virtio")


def test_without_udev_sysfs_tells_what_it_can(made: MadeTree) -> None:
    made.disk(
        "sda",
        udev={},
        device__model="WDC WD40EFRX-68N",
        device__wwid="naa.50014ee20b1c2d3e",
        device__rev="82.0",
    )
    page = made.root / "sys/block/sda/device/vpd_pg80"
    page.write_bytes(b"\x00\x80\x00\x14     WD-WCC7K1A     ")
    made.disk(
        "nvme0n1", udev={}, device__serial="S4EWNX0R  ", device__firmware_rev="2B2QEXM7", wwid="eui.0025385b"
    )
    disk, nvme = made.read_disk("sda"), made.read_disk("nvme0n1")
    assert (disk.serial, disk.wwn, disk.model) == ("WD-WCC7K1A", "0x50014ee20b1c2d3e", "WDC WD40EFRX-68N")
    assert (disk.firmware, disk.transport) == ("82.0", "scsi")
    assert (nvme.serial, nvme.wwn, nvme.firmware) == ("S4EWNX0R", "eui.0025385b", "2B2QEXM7")
    assert nvme.transport == "nvme"


def test_partitions_have_place_type_and_name(made: MadeTree) -> None:
    made.disk("sda")
    made.partition(
        "sda",
        1,
        udev={
            "ID_PART_ENTRY_TYPE": "A19D880F-05FC-4D3B-A006-743F0F84911E",
            "ID_PART_ENTRY_NAME": r"my\x20part",
            "ID_PART_ENTRY_UUID": "0b1c2d3e",
        },
    )
    (part,) = made.read_disk("sda").partitions
    assert (part.name, part.number, part.start_bytes, part.size_bytes) == ("sda1", 1, 1024**2, GIB)
    assert (part.type, part.label, part.uuid) == (
        "a19d880f-05fc-4d3b-a006-743f0f84911e",
        "my part",
        "0b1c2d3e",
    )


@pytest.mark.parametrize(
    "name", ["loop0", "ram0", "zram0", "sr0", "fd0", "dm-0", "md127", "md_d0", "mmcblk0boot0"]
)
def test_virtual_and_optical_devices_are_no_disks(made: MadeTree, name: str) -> None:
    made.disk(name)
    assert made.read().disks == ()


def test_hidden_paths_of_an_nvme_disk_are_no_disks(made: MadeTree) -> None:
    made.disk("nvme0c0n1", hidden="1")
    assert made.read().disks == ()


def test_the_lab_hides_its_own_disks_and_may_show_any_device(made: MadeTree) -> None:
    made.disk("ubda", udev={"RAIDTUI_LAB_INTERNAL": "1"})
    made.disk("dm-0", udev={"RAIDTUI_LAB_DISK": "1", "ID_SERIAL_SHORT": "SHELF-0001"})
    assert [disk.serial for disk in made.read().disks] == ["SHELF-0001"]


def test_disks_come_in_the_order_of_counting(made: MadeTree) -> None:
    for name in ("sdaa", "sdb", "nvme10n1", "sda", "nvme2n1"):
        made.disk(name)
    assert [disk.name for disk in made.read().disks] == ["nvme2n1", "nvme10n1", "sda", "sdb", "sdaa"]


def test_an_exclamation_mark_in_sysfs_is_a_slash_in_dev(made: MadeTree) -> None:
    made.disk("cciss/c0d0")
    assert made.read().disks[0].path == "/dev/cciss/c0d0"


@pytest.mark.parametrize(
    ("where", "transport"),
    [
        ("pci0000:00/0000:00:1f.2/ata1/host0", "sata"),
        ("pci0000:00/0000:00:14.0/usb2/2-1/host6", "usb"),
        ("pci0000:00/0000:01:00.0/host1/port-1:0/end_device-1:0/target1:0:0", "sas"),
        ("pci0000:00/0000:01:00.0/virtio2", "virtio"),
        ("pci0000:00/0000:00:05.0/virtio2/host2/target2:0:0/2:0:0:0", "scsi"),
    ],
)
def test_transport_is_what_the_device_hangs_on(made: MadeTree, where: str, transport: str) -> None:
    folder = made.root / "sys/devices" / where / "block/sda"
    folder.mkdir(parents=True)
    for name, text in {"dev": "8:0", "size": "8192"}.items():
        (folder / name).write_text(text)
    made.link("/sys/block/sda", f"../devices/{where}/block/sda")
    assert made.read_disk("sda").transport == transport


def test_encoded_values_of_udev_are_decoded() -> None:
    assert decoded(r"WDC\x20WD40") == "WDC WD40"
    assert decoded(r"caf\xc3\xa9") == "café"
    assert decoded(r"odd\xzz") == r"odd\xzz"


@given(st.text())
def test_every_value_of_udev_can_be_decoded(text: str) -> None:
    decoded(text)


def connected(made: MadeTree, where: str, **bus: dict[str, str]) -> Disk:
    """The disk sda at ``where`` under /sys/devices; ``bus`` has the PCI functions on its way and their files."""
    folder = f"/sys/devices/{where}/block/sda"
    for name, text in {"dev": "8:0", "size": "8192"}.items():
        made.write(f"{folder}/{name}", text)
    made.link("/sys/block/sda", f"..{folder.removeprefix('/sys')}")
    for driver, files in bus.items():
        function = files["at"]
        above = f"/sys/devices/{where[: where.index(function)]}{function}"
        for name in ("class", "vendor"):
            made.write(f"{above}/{name}", f"{files[name]}\n")
        made.link(f"{above}/driver", f"../../../bus/pci/drivers/{driver}")
    return made.read_disk("sda")


def test_a_disk_knows_its_controller_and_its_port(made: MadeTree) -> None:
    disk = connected(
        made,
        "pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0",
        ahci={"at": "0000:00:17.0", "class": "0x010601", "vendor": "0x8086"},
    )
    assert disk.controller == Controller(
        driver="ahci", pci_class="0106", pci_vendor="8086", address="0000:00:17.0"
    )
    assert disk.port == "ata3"


def test_a_controller_in_raid_mode_counts_before_the_drives_own(made: MadeTree) -> None:
    disk = connected(
        made,
        "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e1:00.0/nvme/nvme0",
        vmd={"at": "0000:00:0e.0", "class": "0x010400", "vendor": "0x8086"},
        nvme={"at": "10000:e1:00.0", "class": "0x010802", "vendor": "0x144d"},
    )
    assert disk.controller == Controller(
        driver="vmd", pci_class="0104", pci_vendor="8086", address="0000:00:0e.0"
    )
    assert disk.port == ""


def test_usb_is_no_storage_controller(made: MadeTree) -> None:
    disk = connected(
        made,
        "pci0000:00/0000:00:14.0/usb2/2-1/host6",
        xhci_hcd={"at": "0000:00:14.0", "class": "0x0c0330", "vendor": "0x8086"},
    )
    assert disk.controller is None


def test_the_kernel_and_the_drive_each_tell_of_the_cache(made: MadeTree) -> None:
    made.disk(
        "sda",
        queue__write_cache="write through",
        device__scsi_disk__address__cache_type="write back",
        alignment_offset="3584",
    )
    disk = made.read_disk("sda")
    assert (disk.write_cache, disk.cache_type) == ("write through", "write back")
    assert disk.alignment_offset_bytes == 3584


def test_a_disk_keeps_its_name_when_its_neighbor_is_pulled(
    made: MadeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a search for the neighbor would say that this disk was pulled."""
    for bay, name in enumerate(("sda", "sdb")):
        in_enclosure(made, name, bay=bay, links=(f"usb-JMicron_Disk_DB9876543214E-0:{bay}",))
    here = dict(made.properties)
    monkeypatch.setattr(udev, "_shared_before", set())
    monkeypatch.setattr(udev, "_read_all", lambda _: here)
    assert [one.get("ID_SERIAL_SHORT") for one in udev.read_properties().values()] == [None, None]
    here.popitem()
    assert [one.get("ID_SERIAL_SHORT") for one in udev.read_properties().values()] == [None]
