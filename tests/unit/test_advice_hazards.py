"""Every hazard on a made machine: seen where it is, silent where it is not, graded as it deserves."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui import backends
from raidtui.advice import hazards
from raidtui.advice.hazards import find_hazards, look_at
from raidtui.backends.resolve import place, place_sizes, resolve
from raidtui.commands.calc import parse_disks
from raidtui.model.controller import Controller
from raidtui.model.errors import BadInput
from raidtui.model.history import BurnIn, History, SlowPart
from raidtui.model.machine import Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import Hazard, Severity
from raidtui.model.smart import Smart
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.system import System
from raidtui.model.text import count_of, spelled
from raidtui.model.units import MIB, both
from tests.unit.test_backends_megaraid_build import SPEC as VIRTUAL_DRIVE
from tests.unit.test_backends_megaraid_build import free

TB4 = 4000787030016
HEALTHY = Smart(
    passed=True,
    reallocated_sectors=0,
    pending_sectors=0,
    crc_errors=0,
    power_on_hours=1000,
    rotation_rate=7200,
    write_cache=True,
    password_set=False,
    erc_read_deciseconds=70,
    erc_write_deciseconds=70,
    self_test="Completed without error",
)


FILES = (*Path(hazards.__file__).parent.glob("*.py"), *Path(backends.__file__).parent.glob("*/hazards.py"))


def disk(letter: str, **changes: Any) -> Disk:
    """A healthy SATA disk; ``sda`` has the serial ``S-a``."""
    made = Disk(
        name=f"sd{letter}",
        path=f"/dev/sd{letter}",
        device_number=f"8:{ord(letter)}",
        size_bytes=TB4,
        serial=f"S-{letter}",
        wwn=f"0x50014ee2b{ord(letter) * 65536:07x}",
        by_id=(f"ata-MODEL_S-{letter}",),
        model="MODEL",
        transport="sata",
        scsi_timeout_seconds=30,
        smart=HEALTHY,
    )
    return replace(made, **changes)


def machine(*disks: Disk, **system: Any) -> Machine:
    """A machine on which nothing but these disks is remarkable."""
    made = System(hostname="nas", kernel="6.12.0-amd64", mail_address="root@nas.example")
    return Machine(system=replace(made, **system), disks=disks, tools={"smartctl": "7.4"})


def spec(level: str = "raid6", letters: str = "abcd", **options: Any) -> Spec:
    """An array of the disks with these letters."""
    return Spec(name="tank", level=level, members=tuple(f"S-{letter}" for letter in letters), **options)


def hazards_of(wanted: Spec, on: Machine | None) -> tuple[Hazard, ...]:
    """The hazards of a spec that need not be finished or possible."""
    return find_hazards(place(wanted, on) if on else place_sizes(wanted, {}), on)


def found(wanted: Spec, on: Machine | None) -> dict[str, Hazard]:
    """The hazards by id; no id may come twice."""
    seen = hazards_of(wanted, on)
    by_id = {hazard.id: hazard for hazard in seen}
    assert len(by_id) == len(seen)
    return by_id


def claim(what: ClaimKind, weight: Weight, detail: str = "x", how: str = "umount /srv") -> Claim:
    return Claim(what=what, weight=weight, device="/dev/sda1", detail=detail, how_to_free=how)


def near(wwn: str) -> str:
    """The WWN of the disk that left the line a minute later."""
    return hex(int(wwn, 16) + 3)


GOOD = machine(*(disk(letter) for letter in "abcd"))


def with_first(**changes: Any) -> Machine:
    """Four healthy disks, the first of them changed."""
    return machine(disk("a", **changes), *(disk(letter) for letter in "bcd"))


def taken(kind: ClaimKind, weight: Weight, **words: str) -> Machine:
    return with_first(taken_by=(claim(kind, weight, **words),), free=False)


def smart(**changes: Any) -> Machine:
    return with_first(smart=replace(HEALTHY, **changes))


def test_good_disks_leave_only_information() -> None:
    seen = hazards_of(spec(), GOOD)

    assert {hazard.severity for hazard in seen} == {Severity.INFO}
    assert "not-a-backup" in {hazard.id for hazard in seen}


def burned_in(on: Machine = GOOD, **changes: Any) -> Machine:
    """All four disks were burned in; of the first, this was found."""
    results = tuple(
        BurnIn(
            subject=f"S-{letter}",
            at="2026-11-20T10:00:00+00:00",
            begun="",
            size_bytes=TB4,
            zone_bytes=MIB,
            sisters=3,
            **(changes if letter == "a" else {}),
        )
        for letter in "abcd"
    )
    return replace(on, history=History(burn_ins=results))


MEGARAID = Controller(driver="megaraid_sas", pci_class="0104", pci_vendor="1000")
INTEL_VMD = Controller(driver="vmd", pci_class="0104", pci_vendor="8086")
AHCI = Controller(driver="ahci", pci_class="0106", pci_vendor="8086")


@pytest.mark.parametrize(
    ("id", "severity", "on", "seen"),
    [
        ("system-disk", "BLOCK", taken(ClaimKind.SYSTEM, Weight.SYSTEM, detail="holds /"), "S-a: holds /"),
        ("busy", "BLOCK", taken(ClaimKind.MOUNT, Weight.BUSY, detail="mounted at /srv"), "mounted at /srv"),
        ("unusable", "BLOCK", taken(ClaimKind.READ_ONLY, Weight.UNUSABLE, detail="read-only"), "read-only"),
        ("foreign-array", "HIGH", taken(ClaimKind.MD_MEMBER, Weight.DATA, detail="of old:0"), "of old:0"),
        ("foreign-pool", "HIGH", taken(ClaimKind.ZFS, Weight.DATA, detail="pool data"), "pool data"),
        ("foreign-pool", "HIGH", taken(ClaimKind.BTRFS_POOL, Weight.DATA, detail="one of 2"), "one of 2"),
        ("firmware-raid", "HIGH", taken(ClaimKind.FIRMWARE_RAID, Weight.DATA, detail="isw"), "isw"),
        ("signatures", "WARN", taken(ClaimKind.FILESYSTEM, Weight.DATA, detail="ext4 photos"), "ext4 photos"),
        ("unknown-data", "WARN", taken(ClaimKind.UNKNOWN_DATA, Weight.DATA, detail="not blank"), "not blank"),
        (
            "overwritten",
            "WARN",
            taken(ClaimKind.OVERWRITTEN, Weight.DATA, detail="ext4 at 2 MiB"),
            "ext4 at 2 MiB",
        ),
        (
            "table-misfit",
            "WARN",
            taken(ClaimKind.TABLE_MISFIT, Weight.DATA, detail="GPT in sectors of 4,096 bytes"),
            "GPT in sectors of 4,096 bytes",
        ),
        (
            "table-damaged",
            "WARN",
            taken(ClaimKind.TABLE_DAMAGED, Weight.DATA, detail="GPT damaged at the start"),
            "GPT damaged at the start",
        ),
        ("old-data", "INFO", taken(ClaimKind.REMAINS, Weight.DATA, detail="remains"), "remains"),
        ("configured", "WARN", taken(ClaimKind.CONFIGURED, Weight.DATA, detail="in fstab"), "in fstab"),
        ("not-all-read", "WARN", replace(GOOD, complete=False), "without root"),
        ("duplicate", "BLOCK", with_first(wwn=disk("b").wwn), "same identity"),
        ("no-identity", "HIGH", with_first(wwn="0x5000000000000001"), "USB bridge"),
        (
            "no-identity",
            "HIGH",
            with_first(serial="", wwn="", by_id=("S-a",)),
            "neither serial number nor WWN",
        ),
        ("smr-host-managed", "BLOCK", with_first(zoned="host-managed"), "host-managed"),
        ("smr-host-aware", "HIGH", with_first(zoned="host-aware"), "host-aware"),
        ("smr", "HIGH", smart(zoned="device_managed"), "the drive says so"),
        ("smr", "HIGH", smart(zoned="Device managed"), "the drive says so"),
        ("smr", "HIGH", smart(family="Western Digital Red (SMR)"), "drive database"),
        ("erc-off", "HIGH", smart(erc_read_deciseconds=0), "limit off"),
        ("erc-missing", "HIGH", smart(erc_read_deciseconds=None), "timeout 30 s"),
        ("usb", "HIGH", with_first(transport="usb"), "on USB"),
        ("sector-sizes", "HIGH", with_first(logical_sector_bytes=4096), "S-a: 4096-byte"),
        ("mixed-speed", "WARN", with_first(rotational=False), "S-a: flash"),
        ("smart-failing", "BLOCK", smart(passed=False), "FAILED"),
        ("self-test-failed", "BLOCK", smart(self_test="Completed: read failure"), "read failure"),
        (
            "self-test-failed",
            "BLOCK",
            smart(failed_test="Extended offline: Completed: read failure"),
            "Extended",
        ),
        ("smart-unreadable", "HIGH", smart(pending_sectors=8), "8 pending"),
        ("smart-unreadable", "HIGH", smart(media_errors=2), "2 media errors"),
        ("smart-unreadable", "HIGH", smart(reported_uncorrectable=1), "1 reported uncorrectable"),
        ("smart-unreadable", "HIGH", smart(uncorrected_errors=4), "4 uncorrected errors"),
        ("smart-failing", "BLOCK", smart(passed=False, critical_warning=9), "below the threshold, read-only"),
        (
            "smart-temperature",
            "HIGH",
            smart(passed=False, critical_warning=2, temperature_celsius=91),
            "91 °C",
        ),
        ("spare-blocks", "HIGH", smart(available_spare=4, available_spare_threshold=10), "4 % of the spare"),
        (
            "smart-reset",
            "HIGH",
            smart(power_on_hours=12, farm_hours=31_000),
            "12 hours powered on, the maker's",
        ),
        ("smr", "HIGH", smart(recording="SMR"), "own log says so"),
        (
            "same-batch",
            "WARN",
            machine(
                *(disk(letter, smart=replace(HEALTHY, assembled="2314")) for letter in "ab"), *GOOD.disks[2:]
            ),
            "S-b: MODEL",
        ),
        ("smart-timeouts", "WARN", smart(command_timeouts=101), "101 commands"),
        (
            "slow-link",
            "WARN",
            smart(link_bits_per_second=1_500_000_000, link_best_bits_per_second=6_000_000_000),
            "1.5 Gb/s, the drive can do 6 Gb/s",
        ),
        ("ata-password", "HIGH", smart(password_set=True), "password is set"),
        ("smart-reallocated", "WARN", smart(reallocated_sectors=5), "5 reallocated"),
        ("smart-crc", "WARN", smart(crc_errors=12), "12 interface CRC"),
        ("age", "WARN", smart(power_on_hours=50_000), "50,000 hours"),
        ("age", "HIGH", smart(power_on_hours=75_000), "75,000 hours"),
        ("wear", "WARN", smart(percentage_used=93), "93 %"),
        ("smart-unread", "INFO", with_first(smart=None), "not read"),
        ("unequal-sizes", "HIGH", with_first(size_bytes=2 * TB4), "20 %"),
        ("unequal-sizes", "WARN", with_first(size_bytes=TB4 * 5 // 4), "5.9 %"),
        ("no-mail-address", "WARN", machine(*GOOD.disks, mail_address=""), "no MAILADDR"),
        ("not-monitored", "WARN", machine(*GOOD.disks, monitored_by=""), "no script starts"),
        ("never-scrubbed", "WARN", machine(*GOOD.disks, scrubbed_by=""), "no timer and no cron"),
        ("smr", "HIGH", with_first(model="WDC WD40EFAX-68JH4N0"), "maker's own statement"),
        ("smr", "HIGH", with_first(model="ST8000AS0003-1ZZ14A"), "kept by users"),
        ("smr-suspected", "HIGH", smart(trim_supported=True), "probably SMR"),
        ("raid-controller", "WARN", with_first(vendor="HP", model="LOGICAL VOLUME"), "LOGICAL VOLUME"),
        ("raid-controller", "WARN", with_first(smart=None, controller=MEGARAID), "megaraid_sas"),
        ("intel-raid-mode", "WARN", with_first(controller=INTEL_VMD), "RAID mode (vmd)"),
        (
            "shared-link",
            "WARN",
            machine(disk("a", port="ata3"), *GOOD.disks[1:3], disk("d", port="ata3")),
            "ata3",
        ),
        ("shifted-sectors", "HIGH", with_first(alignment_offset_bytes=3584), "3,584 bytes"),
        (
            "flushes-dropped",
            "HIGH",
            with_first(write_cache="write through", cache_type="write back"),
            "S-a: its write cache is on",
        ),
        (
            "no-power-loss-protection",
            "WARN",
            with_first(rotational=False, write_cache="write back"),
            "no sign",
        ),
        ("volatile-cache", "INFO", with_first(write_cache="write back"), "S-a: write cache on"),
        ("virtual-disks", "INFO", with_first(vendor="QEMU", model="QEMU HARDDISK"), "virtual"),
        (
            "virtual-disks",
            "INFO",
            machine(disk("a", smart=None), *GOOD.disks[1:], hypervisor="vmware"),
            "S-a: a virtual disk of vmware",
        ),
        ("mixed-speed", "WARN", smart(rotation_rate=5400), "S-a: 5400 revolutions"),
        ("container", "WARN", machine(*GOOD.disks, container="docker"), "docker"),
        ("level-missing", "HIGH", machine(*GOOD.disks, md_levels=("raid1",)), "has raid1"),
        ("no-ecc", "INFO", machine(*GOOD.disks, memory_corrects=False), "no memory controller"),
        ("odd-size", "INFO", with_first(size_bytes=TB4 - 2**20), "sectors"),
        ("same-batch", "WARN", with_first(wwn=near(disk("b").wwn)), "MODEL"),
        ("untested", "WARN", smart(self_test_hours=100, power_on_hours=1000), "900 power-on hours"),
        ("untested", "WARN", smart(self_test_hours=65000, power_on_hours=66536), "1536 power-on hours"),
        (
            "untested",
            "WARN",
            smart(self_tests_logged=0, power_on_hours=1000),
            "no self-test in the drive's log",
        ),
        (
            "untested",
            "WARN",
            smart(self_tests_logged=21, power_on_hours=1000),
            "none of the last 21 self-tests was a long one that passed",
        ),
        (
            "untested",
            "WARN",
            smart(self_tests_logged=21, self_test_hours=999, long_test_hours=200, power_on_hours=1000),
            "last long self-test 800 power-on hours",
        ),
        ("nearly-equal-sizes", "INFO", with_first(size_bytes=TB4 + 1953504 * 512), "differ by"),
        ("explicit-bitmap", "INFO", replace(GOOD, tools={"smartctl": "7.4", "mdadm": "4.4"}), "4.4"),
        ("new-superblock", "WARN", machine(*GOOD.disks, kernel="6.19.3"), "6.19.3"),
        ("new-superblock", "WARN", machine(*GOOD.disks, kernel="7.0.1"), "7.0.1"),
        ("burn-in-errors", "HIGH", burned_in(bad=((80, 87),)), "cannot be read: 8 sectors, 80-87"),
        ("burn-in-errors", "HIGH", burned_in(gave_up="no answer"), "S-a: 2026-11-20: gave up: no answer"),
        (
            "burn-in-slow",
            "WARN",
            burned_in(slow=(SlowPart(begin_bytes=0, end_bytes=TB4, share=0.5),)),
            "50 % of the others' speed everywhere",
        ),
        (
            "not-burned-in",
            "INFO",
            replace(smart(power_on_hours=3), history=History()),
            "S-a: 3 hours powered on",
        ),
    ],
)
def test_a_hazard_of_the_machine(id: str, severity: str, on: Machine, seen: str) -> None:  # noqa: A002
    hazard = found(spec(), on)[id]

    assert hazard.severity == severity
    assert seen in hazard.seen
    assert hazard.meaning.endswith(".")
    assert hazard.advice
    assert hazard.source
    assert id not in found(spec(), GOOD)


LARGE = machine(*(disk(letter, size_bytes=2 * TB4) for letter in "abcd"))
FLASH = machine(
    *(disk(letter, rotational=False, smart=replace(HEALTHY, percentage_used=3)) for letter in "abcd")
)
VOLATILE_FLASH = machine(*(disk(letter, rotational=False, write_cache="write back") for letter in "abcd"))


def at(mountpoint: str) -> FilesystemSpec:
    return FilesystemSpec(type="ext4", mountpoint=mountpoint)


MANY = machine(*(disk(letter) for letter in "abcdefghijklmn"))


def test_what_has_no_name_yet_is_not_given_one() -> None:
    """calc asks with sizes alone, and with a name of its own."""
    assert found(spec("raid5"), GOOD)["not-a-backup"].seen == "array of 4 disks"
    lvm = spec("raid5", "abc", backend=Backend.LVM)
    assert found(lvm, GOOD)["not-a-backup"].seen == "volume group of 3 disks"


@pytest.mark.parametrize(
    ("id", "severity", "wanted", "harmless_one", "on"),
    [
        ("same-disk", "BLOCK", spec(letters="abca"), spec(), GOOD),
        (
            "same-disk",
            "BLOCK",
            spec("raid5", "abc", spares=("S-a",)),
            spec("raid5", "abc", spares=("S-d",)),
            GOOD,
        ),
        ("no-redundancy", "WARN", spec("raid0"), spec(), GOOD),
        ("no-redundancy", "WARN", spec("linear"), spec(), GOOD),
        ("raid5-large", "WARN", spec("raid5"), spec(), LARGE),
        ("raid5-large", "WARN", spec("raid5", "abcdef"), spec("raid5", "abcde"), MANY),
        ("wide", "WARN", spec("raid5", "abcdefghi"), spec("raid6", "abcdefghi"), MANY),
        ("wide", "WARN", spec("raid6", "abcdefghijklm"), spec("raid10", "abcdefghijklm"), MANY),
        ("two-disk-parity", "WARN", spec("raid5", "ab"), spec("raid1", "ab"), GOOD),
        ("raid10-neighbours", "WARN", spec("raid10", layout="f2"), spec("raid10", layout="n2"), GOOD),
        ("raid10-neighbours", "WARN", spec("raid10", "abcde"), spec("raid10", "abcdef"), MANY),
        ("two-disk-raid10", "INFO", spec("raid10", "ab"), spec("raid10"), GOOD),
        ("level-missing", "HIGH", spec("raid5"), spec("raid1"), machine(*GOOD.disks, md_levels=("raid1",))),
        ("no-power-loss-protection", "INFO", spec("raid10"), None, VOLATILE_FLASH),
        ("raid6-or-raid10", "INFO", spec("raid6"), spec("raid5"), GOOD),
        ("no-spare", "INFO", spec("raid5", "abc"), spec("raid5", "abc", spares=("S-d",)), GOOD),
        ("write-hole", "WARN", spec("raid5"), spec("raid5", consistency="ppl"), GOOD),
        ("write-hole", "WARN", spec("raid4"), spec("raid1"), GOOD),
        ("write-hole", "INFO", spec("raid6"), spec("raid10"), GOOD),
        ("write-hole", "WARN", spec("raid5", backend=Backend.LVM), spec("raid10", backend=Backend.LVM), GOOD),
        (
            "write-hole",
            "INFO",
            spec("raid6", "abcde", backend=Backend.LVM),
            spec("striped", backend=Backend.LVM),
            MANY,
        ),
        ("no-bitmap", "WARN", spec(consistency="resync"), spec(consistency="bitmap"), GOOD),
        ("whole-disk", "INFO", spec(partition=False), spec(partition=True), GOOD),
        ("whole-disk", "WARN", spec(partition=False), spec(), machine(*GOOD.disks, uefi=True)),
        ("no-reserve", "INFO", spec(reserve=0), spec(reserve=2**20), GOOD),
        ("raid0-zones", "INFO", spec("raid0"), spec("linear"), with_first(size_bytes=2 * TB4)),
        (
            "pending-space",
            "INFO",
            spec("hybrid1", backend=Backend.HYBRID),
            spec("raid5"),
            with_first(size_bytes=2 * TB4),
        ),
        ("equal-wear", "WARN", spec("raid1", "ab"), spec("raid6"), FLASH),
        ("no-trim", "INFO", spec("raid6"), spec("raid10"), FLASH),
        (
            "late-start",
            "INFO",
            spec(backend=Backend.LVM_ON_MD),
            spec("raid0", backend=Backend.LVM_ON_MD),
            GOOD,
        ),
        (
            "boot-on-volume",
            "WARN",
            spec("raid1", backend=Backend.LVM_ON_MD, filesystem=at("/boot")),
            spec("raid1", filesystem=at("/boot")),
            GOOD,
        ),
        (
            "one-array-lost",
            "WARN",
            spec("raid50", "abcdef", backend=Backend.LVM_ON_MD),
            spec("raid5", "abcdef", backend=Backend.LVM_ON_MD),
            MANY,
        ),
        (
            "off-stripe",
            "INFO",
            spec("raid5", "abcdefgh", backend=Backend.LVM_ON_MD, options={"arrays": "2"}),
            spec("raid50", "abcdefgh", backend=Backend.LVM_ON_MD),
            MANY,
        ),
        ("btrfs-parity", "HIGH", spec("raid5", backend=Backend.BTRFS), spec("raid5"), GOOD),
        (
            "btrfs-metadata",
            "WARN",
            spec("raid1c3", backend=Backend.BTRFS, metadata="raid1"),
            spec("raid1c3", backend=Backend.BTRFS),
            GOOD,
        ),
        (
            "btrfs-on-array",
            "INFO",
            spec(filesystem=FilesystemSpec(type="btrfs")),
            spec("raid1", backend=Backend.BTRFS, filesystem=FilesystemSpec(type="btrfs")),
            GOOD,
        ),
        (
            "efi-on-array",
            "HIGH",
            spec("raid1", filesystem=at("/boot/efi")),
            spec("raid1", filesystem=at("/srv")),
            GOOD,
        ),
        ("efi-on-array", "WARN", spec("raid1", metadata="1.0", filesystem=at("/boot/efi")), None, GOOD),
        (
            "boot-on-array",
            "WARN",
            spec("raid5", filesystem=at("/boot")),
            spec("raid1", filesystem=at("/boot")),
            GOOD,
        ),
        (
            "little-memory",
            "WARN",
            spec("raidz1", backend=Backend.ZFS),
            spec(),
            machine(*GOOD.disks, memory_bytes=2**32),
        ),
        (
            "zfs-services",
            "HIGH",
            spec("raidz1", backend=Backend.ZFS),
            spec("raidz1", backend=Backend.ZFS, persistent=False),
            replace(GOOD, readings={"zfs": {"services": {"zfs-mount.service": "masked"}}}),
        ),
        (
            "zfs-hostid",
            "INFO",
            spec("raidz1", backend=Backend.ZFS),
            spec(),
            replace(GOOD, readings={"zfs": {"hostid": False}}),
        ),
        ("not-a-backup", "INFO", spec(), None, GOOD),
    ],
)
def test_a_hazard_of_the_choice(
    id: str,  # noqa: A002
    severity: str,
    wanted: Spec,
    harmless_one: Spec | None,
    on: Machine,
) -> None:
    assert found(wanted, on)[id].severity == severity
    if harmless_one is not None:
        assert id not in found(harmless_one, on)


@pytest.mark.parametrize(
    ("id", "on"),
    [
        ("smart-failing", smart(passed=False, critical_warning=2)),
        ("spare-blocks", smart(available_spare=10, available_spare_threshold=10)),
        ("smart-timeouts", smart(command_timeouts=100)),
        ("slow-link", smart(link_bits_per_second=6 * 10**9, link_best_bits_per_second=6 * 10**9)),
        ("slow-link", smart(link_best_bits_per_second=6 * 10**9)),
        ("ata-password", smart(password_set=False)),
        ("untested", smart(self_tests_logged=2, long_test_hours=900, power_on_hours=1000)),
        ("untested", smart(self_tests_logged=0, power_on_hours=12)),  # new
        ("smart-reset", smart(power_on_hours=31_000, farm_hours=31_040)),
        ("smr", with_first(model="ST8000AS0003-1ZZ14A", smart=replace(HEALTHY, recording="CMR"))),
        ("smart-unreadable", smart(reported_uncorrectable=0, uncorrected_errors=0)),
        ("raid-controller", with_first(controller=MEGARAID)),  # it hands the disk through, with its SMART
        (
            "raid-controller",
            replace(with_first(smart=None, controller=MEGARAID), tools={}),
        ),  # nobody asked it
        (
            "virtual-disks",
            replace(machine(disk("a", smart=None), *GOOD.disks[1:], hypervisor="kvm"), complete=False),
        ),
        ("intel-raid-mode", with_first(controller=AHCI)),
        ("intel-raid-mode", with_first(controller=MEGARAID)),
        ("shared-link", machine(*(disk(letter, port=f"ata{letter}") for letter in "abcd"))),
        ("flushes-dropped", with_first(write_cache="write back", cache_type="write back")),
        (
            "flushes-dropped",
            with_first(
                write_cache="write through",
                cache_type="write through",
                smart=replace(HEALTHY, write_cache=False),
            ),
        ),
        ("no-power-loss-protection", with_first(rotational=False, write_cache="write through")),
        (
            "no-power-loss-protection",
            with_first(
                rotational=False,
                write_cache="write back",
                smart=replace(HEALTHY, power_loss_protected=True),
            ),
        ),
        ("volatile-cache", with_first(write_cache="write back", transport="ubd")),
        (
            "virtual-disks",
            machine(*GOOD.disks, hypervisor="kvm"),
        ),  # handed through whole: they tell their health
        ("virtual-disks", machine(disk("a", smart=None, transport="ubd"), *GOOD.disks[1:], hypervisor="uml")),
        ("level-missing", machine(*GOOD.disks, md_levels=("raid6",))),
        ("level-missing", machine(*GOOD.disks, md_levels=("raid1",), container="lxc")),
        ("no-ecc", machine(*GOOD.disks, memory_corrects=False, hypervisor="kvm")),
        ("no-ecc", machine(*GOOD.disks, memory_corrects=True)),
        ("burn-in-errors", burned_in(slow=(SlowPart(begin_bytes=0, end_bytes=TB4, share=0.5),))),
        ("burn-in-slow", burned_in(bad=((80, 87),), slow=(SlowPart(begin_bytes=0, end_bytes=1, share=0.5),))),
        ("not-burned-in", burned_in(smart(power_on_hours=3))),
        ("not-burned-in", smart(power_on_hours=3)),  # the history was not read
        ("not-burned-in", replace(with_first(smart=None), history=History())),
    ],
)
def test_what_is_still_within_bounds_is_no_hazard(id: str, on: Machine) -> None:  # noqa: A002
    assert id not in found(spec(), on)


def test_raid5_on_shingled_disks_is_worse_than_raid5() -> None:
    shingled = replace(HEALTHY, zoned="device_managed")
    disks = machine(*(disk(letter, size_bytes=2 * TB4, smart=shingled) for letter in "abcd"))

    assert found(spec("raid5"), disks)["raid5-large"].severity is Severity.HIGH


def test_raid5_on_disks_of_one_batch_is_worse_than_raid5() -> None:
    assembled = replace(HEALTHY, assembled="2314")
    disks = machine(*(disk(letter, size_bytes=2 * TB4, smart=assembled) for letter in "abcd"))

    assert found(spec("raid5"), disks)["raid5-large"].severity is Severity.HIGH


def test_shingled_disks_under_zfs_stop_the_plan() -> None:
    on = smart(zoned="device_managed")

    assert found(spec("raidz1", backend=Backend.ZFS), on)["smr"].severity is Severity.BLOCK


@pytest.mark.parametrize("backend", [Backend.ZFS, Backend.BTRFS, Backend.MDADM])
def test_a_suspicion_of_shingles_is_accepted_by_its_word_and_never_stops_the_plan(backend: Backend) -> None:
    level = "raidz1" if backend is Backend.ZFS else "raid1"
    of = found(spec(level, backend=backend), smart(trim_supported=True))
    assert of["smr-suspected"].severity is Severity.HIGH
    assert "smr" not in of


@pytest.mark.parametrize(
    ("backend", "level", "severity", "says"),
    [
        (Backend.MDADM, "raid1", "HIGH", "XFS may no longer mount"),
        (Backend.LVM_ON_MD, "raid1", "HIGH", "XFS may no longer mount"),
        (Backend.LVM, "raid1", "BLOCK", "vgcreate refuses these disks together"),
        (Backend.BTRFS, "raid1", "INFO", "Btrfs takes these disks together"),
        (Backend.ZFS, "mirror", "INFO", "ZFS takes these disks together"),
        (Backend.MEGARAID, "raid1", "HIGH", "a virtual drive has one sector size"),
    ],
)
def test_mixed_sector_sizes_are_told_in_the_words_of_the_backend(
    backend: Backend, level: str, severity: str, says: str
) -> None:
    hazard = found(spec(level, "ab", backend=backend), with_first(logical_sector_bytes=4096))["sector-sizes"]
    assert hazard.severity == severity
    assert says in hazard.meaning
    assert backend in {Backend.MDADM, Backend.LVM_ON_MD} or "XFS" not in hazard.meaning + hazard.source


@pytest.mark.parametrize(("backend", "level"), [(Backend.BTRFS, "raid5"), (Backend.ZFS, "raidz1")])
def test_no_other_backend_is_given_the_manual_of_md(backend: Backend, level: str) -> None:
    on = machine(*(disk(letter, size_bytes=20 * TB4, rotational=letter > "b") for letter in "abcd"))
    of = found(spec(level, backend=backend), on)
    assert {"no-spare", "mixed-speed"} <= of.keys()
    assert [one.id for one in of.values() if "md(4)" in one.source or "mdadm" in one.source + one.advice] == [
        "btrfs-parity"
    ] * (backend is Backend.BTRFS)


def test_impatience_does_not_matter_without_redundancy() -> None:
    assert "erc-off" not in found(spec("raid0"), smart(erc_read_deciseconds=0))


def test_a_patient_kernel_needs_no_error_recovery_limit() -> None:
    on = with_first(smart=replace(HEALTHY, erc_read_deciseconds=None), scsi_timeout_seconds=180)

    assert "erc-missing" not in found(spec(), on)


def test_a_32_bit_kernel_cannot_reach_all_of_a_large_array() -> None:
    disks = [disk(letter, size_bytes=3 * TB4) for letter in "abcd"]

    assert found(spec(), machine(*disks, architecture="armv7l"))["32-bit"].severity is Severity.BLOCK
    assert "32-bit" not in found(spec(), machine(*disks, architecture="x86_64"))
    assert "32-bit" not in found(spec(), machine(*GOOD.disks, architecture="armv7l"))


@pytest.mark.parametrize(
    ("id", "wanted"),
    [
        ("raid6-or-raid10", spec("raid10", backend=Backend.LVM)),  # LVM's RAID6 takes five disks
        ("raid10-neighbours", spec("raid10", "abcde", backend=Backend.BTRFS)),  # it has no lasting partners
        ("raid6-or-raid10", spec("raid10", "abcd", backend=Backend.BTRFS)),  # nor is its raid6 sound
    ],
)
def test_what_is_said_of_md_is_not_said_of_others(id: str, wanted: Spec) -> None:  # noqa: A002
    assert id in found(replace(wanted, backend=Backend.MDADM), MANY)
    assert id not in found(wanted, MANY)


@pytest.mark.parametrize(
    ("kind", "noun", "command"),
    [
        (ClaimKind.LVM, "volume group", "pvs -a -o +vg_name"),
        (ClaimKind.ZFS, "ZFS pool", "zpool import (without a name; with -D, what was destroyed)"),
        (ClaimKind.BTRFS_POOL, "Btrfs filesystem", "btrfs filesystem show"),
    ],
)
def test_an_inactive_pool_is_called_what_it_is_and_listed_by_its_own_command(
    kind: ClaimKind, noun: str, command: str
) -> None:
    told = found(spec(), taken(kind, Weight.DATA))["foreign-pool"]

    assert told.meaning == f"Erasing a part of an inactive {noun} may destroy data on other disks too."
    assert told.advice == f"Look first: {command}"


@pytest.mark.parametrize(
    ("level", "letters", "on"),
    [("raid0", "ab", Backend.BTRFS), ("stripe", "a", Backend.ZFS), ("raid0", "ab", Backend.MDADM)],
)
def test_without_redundancy_no_level_is_advised_that_these_disks_cannot_form_or_should_not(
    level: str, letters: str, on: Backend
) -> None:
    told = found(spec(level, letters, backend=on), GOOD)["no-redundancy"]

    assert told.seen == f"{spelled(level)} on {count_of(letters, 'disk')}"
    assert not re.search(r"(?i)raid\d", told.advice)


def test_the_scrub_that_is_advised_is_of_every_array_under_a_volume() -> None:
    on = machine(*GOOD.disks, scrubbed_by="")
    over = spec("raid1", "abcd", backend=Backend.LVM_ON_MD, options={"arrays": "2"})

    assert (
        found(over, on)["never-scrubbed"].advice
        == "Run once a month, for each array: raidtui scrub ARRAY --now"
    )


def test_hazards_judge_the_array_that_will_be_built() -> None:
    """To the byte, on disks of 4096-byte sectors too."""
    disks = [disk(letter, size_bytes=3 * TB4, logical_sector_bytes=4096) for letter in "abcd"]
    on = machine(*disks, architecture="armv7l")

    built = resolve(spec(), on)

    assert found(spec(), on)["32-bit"].seen.startswith(both(built.facts.array_bytes))
    assert look_at(built, on).sizes == tuple(piece.extent.length for piece in built.pieces)


def test_the_advice_is_a_command_for_that_disk() -> None:
    off = found(spec(), smart(erc_read_deciseconds=0))["erc-off"]
    missing = found(spec(), smart(erc_read_deciseconds=None))["erc-missing"]
    busy = found(spec(), taken(ClaimKind.MOUNT, Weight.BUSY))["busy"]

    assert "smartctl -l scterc,70,70 /dev/disk/by-id/ata-MODEL_S-a" in off.advice
    assert "echo 180 > /sys/block/sda/device/timeout" in missing.advice
    assert busy.advice == "umount /srv"


def test_unequal_disks_are_calculated_anew_by_the_command_that_is_advised() -> None:
    on = machine(disk("a", size_bytes=2 * TB4), *(disk(letter) for letter in "bcd"))
    advice = found(spec("raid5"), on)["unequal-sizes"].advice

    words = advice.partition("--disks ")[2].partition(";")[0]
    assert parse_disks(words) == (2 * TB4, TB4, TB4, TB4)


def test_a_dropped_flush_is_mended_where_it_was_dropped() -> None:
    said = with_first(write_cache="write through", cache_type="write back")
    unsaid = with_first(write_cache="write through", cache_type="write through")

    assert (
        found(spec(), said)["flushes-dropped"].advice
        == "echo 'write back' > /sys/block/sda/queue/write_cache"
    )
    assert (
        found(spec(), unsaid)["flushes-dropped"].advice
        == "smartctl --set=wcache,off /dev/disk/by-id/ata-MODEL_S-a"
    )


def test_the_missing_module_is_called_by_its_name() -> None:
    none = machine(*GOOD.disks, md_levels=())

    assert found(spec("raid6"), none)["level-missing"].advice.endswith("modprobe raid456")
    assert found(spec("raid10"), none)["level-missing"].advice.endswith("modprobe raid10")
    assert "with LVM" in found(spec("linear"), none)["level-missing"].advice


def test_a_failed_test_of_capacitors_is_told() -> None:
    weak = replace(HEALTHY, power_loss_protected=False)
    on = with_first(rotational=False, write_cache="write back", smart=weak)

    assert "failed" in found(spec(), on)["no-power-loss-protection"].seen


def test_one_hazard_speaks_of_all_its_disks() -> None:
    worn = replace(HEALTHY, reallocated_sectors=3)
    on = machine(*(disk(letter, smart=worn) for letter in "abcd"))

    assert found(spec(), on)["smart-reallocated"].disks == ("S-a", "S-b", "S-c", "S-d")


def test_the_gravest_comes_first() -> None:
    order = ["BLOCK", "HIGH", "WARN", "INFO"]
    seen = hazards_of(spec("raid5"), smart(passed=False, pending_sectors=1, crc_errors=1))

    assert [order.index(h.severity) for h in seen] == sorted(order.index(h.severity) for h in seen)
    assert seen[0].id == "smart-failing"


def test_words_from_a_disk_cannot_steer_the_terminal() -> None:
    on = taken(ClaimKind.FILESYSTEM, Weight.DATA, detail="label \x1b[2J\u202e")

    assert "\x1b" not in found(spec(), on)["signatures"].seen
    assert "\u202e" not in found(spec(), on)["signatures"].seen


def test_a_spec_of_sizes_needs_no_machine() -> None:
    wanted = Spec(name="tank", level="raid5", sizes=(TB4,) * 6)

    assert {"raid5-large", "write-hole", "not-a-backup"} <= set(found(wanted, None))


def test_a_member_that_is_not_there_is_an_error() -> None:
    with pytest.raises(BadInput, match="S-z"):
        hazards_of(spec(letters="abz"), GOOD)


@pytest.mark.parametrize(
    "model", ["WDC WD120EFAX-68UNTN0", "ST4000DM000-1F2168", "WD40EFRX", "ST16000NM001G", ""]
)
def test_conventional_disks_are_not_accused(model: str) -> None:
    assert "smr" not in found(spec(), with_first(model=model))


@pytest.mark.parametrize(
    "model", ["WDC WD20EFAX-68B2RN1", "ST4000DM004-2CV104", "TOSHIBA HDWD240UZSVA", "st8000as0002"]
)
def test_listed_models_are_matched_whole(model: str) -> None:
    assert "smr" in found(spec(), with_first(model=model))


def test_drives_behind_a_card_are_lost_at_once_and_need_its_family(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = free(monkeypatch)
    seen = found(VIRTUAL_DRIVE, behind)
    assert "NO UNDO" in seen["card-no-undo"].meaning
    assert "card-family" in seen
    assert {"card-no-battery", "unknown-data"}.isdisjoint(seen)
    assert {"card-no-undo", "card-family"}.isdisjoint(found(spec(), GOOD))
    adapter = behind.readings["megaraid"]["adapters"][0]
    adapter["battery"] |= {"state": "Failed", "good": False}
    assert "CacheVault Failed" in found(VIRTUAL_DRIVE, behind)["card-no-battery"].seen
    adapter |= {"model": "PERC H840 Adapter", "package": "51.16.0-4076"}
    assert "fixed in 51.16.0-5148" in found(VIRTUAL_DRIVE, behind)["card-firmware"].seen


def test_a_chosen_drive_in_which_its_card_counts_errors_is_a_hazard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The card counts them where smartctl is not installed."""
    behind = free(monkeypatch)
    first, *_, last = behind.readings["megaraid"]["adapters"][0]["drives"]
    last |= {"media_errors": 1}  # and is not chosen
    assert last["serial"] not in VIRTUAL_DRIVE.disks
    assert "card-drive-errors" not in found(VIRTUAL_DRIVE, behind)
    first |= {"media_errors": 7, "predicted_failures": 1}
    seen = found(VIRTUAL_DRIVE, behind)["card-drive-errors"]
    assert (seen.severity, seen.advice) == (Severity.HIGH, "Choose other drives.")
    assert seen.seen == f"252:0 ({first['serial']}): 7 media errors, 1 predicted failure"


def test_every_hazard_has_an_example_here_or_among_the_growths() -> None:
    known = {
        id_
        for file in FILES
        for id_ in re.findall(
            r"""(?:on_disks\(\s*|of_disks\(\s*|on_smart\(\s*|\bid=)"([a-z0-9-]+)",""",
            file.read_text(encoding="utf-8"),
        )
    }
    texts = [
        one.read_text(encoding="utf-8")
        for one in (Path(__file__), Path(__file__).with_name("test_grow_plans.py"))
    ]
    shown = {id_ for text in texts for id_ in re.findall(r"""["\[]([a-z0-9-]+)["\]]""", text)}

    assert len(known) > 80
    assert known <= shown


def test_a_model_that_only_sounds_like_raid_is_no_controller() -> None:
    assert "raid-controller" not in found(spec(), with_first(model="RAIDTUI LAB"))


def _spoken(text: ast.expr) -> str:
    """The words of an expression; a value that is put in counts as one."""
    match text:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=parts):
            return "".join(_spoken(part) for part in parts)
        case ast.BinOp(left=left, right=right):
            return _spoken(left) + _spoken(right)
        case ast.IfExp(body=body):
            return _spoken(body)
    return "X"


def test_what_a_hazard_means_is_said_in_short_sentences() -> None:
    meanings = [
        _spoken(node.value)
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "meaning" and not isinstance(node.value, ast.Name)
    ]
    sentences = [one for meaning in meanings for one in re.split(r"(?<=[.:;]) ", meaning)]
    assert len(meanings) > 60
    assert [one for one in sentences if len(one.split()) > 20] == []


def test_the_risk_without_redundancy_assumes_the_rate_of_these_disks() -> None:
    """As the Level screen does: 1.0 % a year for flash that nothing else is known of, 1.5 % for the others."""
    flash = machine(*(disk(letter, rotational=False) for letter in "abcd"))
    assert (
        "about 3.9 % a year, assuming a 1.0 % annual" in found(spec("raid0"), flash)["no-redundancy"].meaning
    )
    assert (
        "about 5.9 % a year, assuming a 1.5 % annual" in found(spec("raid0"), GOOD)["no-redundancy"].meaning
    )


def test_a_backend_without_spares_is_not_advised_to_name_one() -> None:
    group = found(spec("raid5", "abc", backend=Backend.LVM), GOOD)["no-spare"]
    assert "leaves the volume group degraded" in group.meaning
    assert group.advice == "Keep a tested disk on the shelf."
    assert "or name one under spares" in found(spec("raid5", "abc"), GOOD)["no-spare"].advice


@pytest.mark.parametrize(
    ("hazard", "on"),
    [
        ("erc-off", smart(erc_read_deciseconds=0)),
        ("erc-missing", smart(erc_read_deciseconds=None)),
        ("volatile-cache", with_first(write_cache="write back")),
    ],
)
def test_what_is_true_of_the_disks_of_every_backend_does_not_speak_of_md(hazard: str, on: Machine) -> None:
    assert not re.search(r"\bmd\b", found(spec("raid5"), on)[hazard].meaning)


def behind_card(*, hypervisor: str = "", **changes: Any) -> Machine:
    """Four drives behind a MegaRAID card, which have no device."""
    place = {"path": "", "device_number": "", "by_id": (), "controller": MEGARAID, "slot": "252:0"}
    return machine(*(disk(letter, **place | changes) for letter in "abcd"), hypervisor=hypervisor)


@pytest.mark.parametrize(
    ("id", "on"),
    [
        ("raid-controller", behind_card(smart=None)),  # a drive, and not what the card makes of it
        ("virtual-disks", behind_card(smart=None, hypervisor="kvm")),
        ("erc-off", behind_card(smart=replace(HEALTHY, erc_read_deciseconds=0))),
        ("erc-missing", behind_card(smart=replace(HEALTHY, erc_read_deciseconds=None))),
    ],
)
def test_what_only_a_disk_of_the_kernel_has_is_no_hazard_behind_a_card(id: str, on: Machine) -> None:  # noqa: A002
    assert id not in found(spec("raid6", backend=Backend.MEGARAID), on)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("--device", "megaraid,10", "/dev/bus/0"), "smartctl -x --device megaraid,10 /dev/bus/0"),
        ((), "with the tool of its RAID card"),
    ],
)
def test_a_drive_behind_a_card_is_checked_through_its_card(words: tuple[str, ...], advice: str) -> None:
    on = behind_card(smart=None, smart_words=words)
    said = found(spec("raid6", backend=Backend.MEGARAID), on)["smart-unread"].advice
    assert said.startswith(f"Check it: {advice}")
