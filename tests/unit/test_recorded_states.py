"""Recorded states, each with what is found in it and its one right first step; tests/machines/states makes them again.

A first step is a procedure, or the beginning of a sentence where raidtui does nothing by itself. ``ask`` is the
procedure that a person must ask for by name. States called ``public-…`` are those of people who asked for help.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from msgspec.structs import replace

from raidtui.advice.diagnosis import diagnose
from raidtui.advice.findings.lost_tables import without_table
from raidtui.advice.findings.pages import facts_of
from raidtui.advice.findings.read_only import read_only_units
from raidtui.advice.redundancy import Redundancy, redundancy
from raidtui.backends.md.rehearse import MdRehearser
from raidtui.backends.reading import recorded_machine
from raidtui.backends.unexplained import device_of
from raidtui.backends.units import units_of
from raidtui.machine.md.health import takes_all
from raidtui.model.errors import Refused
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.lost import LostMember
from raidtui.model.machine import Array, Claim, ClaimKind, Machine, Signature, Weight
from raidtui.model.plan import DropLine, EnsureLine, Run
from raidtui.model.procedure import (
    AddSpare,
    Configure,
    Grow,
    LetSync,
    ReAdd,
    Recover,
    RemoveFailed,
    RemoveMissing,
    RemoveVdev,
    Replace,
    RestoreTable,
    Scrub,
    Start,
    is_choice,
    word_of,
)
from raidtui.model.recovery_trial import RecoveryTrial
from raidtui.model.smart import Smart
from raidtui.model.unit import Health
from raidtui.plan.care import make_care
from raidtui.plan.teardown import make_teardown
from tests.unit.plan_machines import SEED

STATES: Final = Path(__file__).parents[1] / "machines" / "states"
SAVE: Final = "copy each disk that fails to a new one first (ddrescue)"
CLONE: Final = "disconnect the one that does not belong here; until then change nothing"
LEAVE: Final = "leave it as it is"
MAY_BE: Final = "leave the failed drives as they are: they may be what"
LOOK: Final = (
    "look at it first: it is an array that another card made, or this one before it lost these drives"
)
NONE: Final = ""  # nothing is to be done
IT_HAS_IT: Final = "LAB-0001 (ubda) has the missing member, which is whole"
THEY_HAVE_THEM: Final = "LAB-0001 (ubda) and LAB-0002 (ubdb) have missing members, which are whole"


class Right(NamedTuple):
    """What is right of one finding."""

    kind: Kind
    name: str
    first: str


def right(*lines: str) -> tuple[Right, ...]:
    """``kind name: first step``."""
    found = []
    for line in lines:
        head, _, first = line.partition(": ")
        kind, _, name = head.partition(" ")
        found.append(Right(Kind(kind), name, first))
    return tuple(found)


# fmt: off
TABLE: Final = {
    # md: one member is lost
    "md-well": (),
    "md-failed": right("no-redundancy tank: replace LAB-0002 with LAB-0004"),
    "md-failed-and-removed": right("no-redundancy tank: re-add LAB-0002"),
    "md-missing": right("no-redundancy tank: replace with LAB-0004"),
    "md-missing-no-disk-free": right("no-redundancy tank: replace the missing member: connect a disk of 168 MB or more"),
    "md-degraded-not-mounted": right("no-redundancy tank: mount it and back up its data"),
    "md-former-mounted-by-itself": right("no-redundancy tank: LAB-0002 (ubdb), a former member, is in use by itself, mounted at"),
    "md-former-mounted-by-itself-no-disk-free": right(
        "no-redundancy tank: LAB-0002 (ubdb), a former member, is in use by itself, mounted at"
    ),
    "md-used-apart-one-runs": right("no-redundancy tank: LAB-0001 (ubda), a former member, was used without"),
    "md-used-apart-one-runs-no-disk-free": right(
        "no-redundancy tank: LAB-0001 (ubda), a former member, was used without"
    ),
    "md-used-apart-two-run": right("degraded tank: LAB-0003 (ubdc), a former member, was used without"),
    "md-former-stale": right("no-redundancy tank: mount it read-only and back up its data"),
    "md-former-stale-no-disk-free": right("no-redundancy tank: mount it read-only and back up its data"),
    "md-rebuilding": (),
    "md-rebuild-parked": right("no-redundancy tank: let-sync"),
    "md-newer-kernel": right("inactive tank: it was created on Linux 6.19 or later"),
    "md-rebuild-left-out": right("no-redundancy tank: replace with LAB-0003"),
    "md-rebuild-frozen": right("no-redundancy tank: let-sync"),
    "md-mismatches": right("errors tank: check"),
    "md-fstab-not-mounted": (),  # a person may have unmounted it
    "md-raid6-one-failed": right("degraded six: replace LAB-0001 with LAB-0005"),
    "md-raid6-two-failed": right("no-redundancy six: replace with LAB-0005"),
    "md-raid10-one-failed": right("degraded ten: replace LAB-0001 with LAB-0005"),
    "md-spare-took-over": right("failed-member tank: remove-failed"),
    "md-three-arrays-on-the-lost-disk": right(
        "no-redundancy m1: replace with LAB-0002",
        "no-redundancy m2: replace with LAB-0002",
        "no-redundancy m3: replace with LAB-0002",
    ),
    # md: not started
    "md-stopped": right("inactive tank: start"),
    "md-with-a-journal-degraded-stopped": right("inactive tank: ask start-degraded"),
    "md-with-a-journal-degraded-inactive": right("inactive tank: ask start-degraded"),
    "md-both-members-on-one-disk": (),
    "md-both-members-on-one-disk-one-failed": right("no-redundancy root: replace with LAB-0003"),
    "md-without-superblocks": (),
    "md-bitmap-damaged-inactive": right("inactive tank: start"),
    "md-bitmap-damaged-stopped": right("inactive tank: start"),
    "md-bitmap-damaged-one-gone": right("inactive tank: ask start-degraded"),
    "md-stopped-degraded": right(
        "inactive tank: ask start-degraded",
        "mount-expected /srv/tank: see to array tank first: it may be on that",
    ),
    "md-inactive-one-outside": right("inactive tank: start"),
    "md-start-failed": right("inactive tank: start"),
    "md-start-failed-one-out-of-date": right("inactive tank: ask start-degraded"),
    "md-last-partitions-0.90": right("inactive md0: start"),
    "md-last-partitions-0.90-one-table-gone": right("inactive md0: LAB-0001 (ubda) seems to have lost its partition table"),
    "md-raid0-without-a-layout-stopped": right("inactive fast: start"),
    "md-raid0-without-a-layout": right("inactive fast: start"),
    "md-raid0-without-a-layout-which-differ": right("inactive fast: do not start it by chance"),
    "md-raid0-one-gone": right("inactive zero: connect the missing disk"),
    # md: more is lost than it survives
    "md-two-failed": right("failed tank: recover"),
    "md-two-failed-and-removed": right("failed tank: recover"),
    "md-two-failed-unmounted": right("failed tank: recover"),
    "md-two-failed-stopped": right("inactive tank: recover"),
    "md-two-failed-inactive": right("inactive tank: recover"),
    "md-two-failed-one-gone": right("inactive tank: connect the missing disks"),
    "md-raid6-three-failed": right("failed six: recover"),
    "md-raid10-both-of-a-pair-failed": right("failed ten: back up its data, which can still be read"),
    # md: errors, and what is under way
    "md-write-error": right("errors tank: replace LAB-0002 with LAB-0004"),
    "md-errors-counted": right("errors tank: md corrected the read errors of LAB-0002 (ubdb) from the other members. Test"),
    "md-hot-replace-running": (),
    "md-reshape-running": (),
    "md-reshape-degraded": right("no-redundancy tank: let its reshape end first"),
    "md-reshape-parked": right("no-redundancy tank: let its reshape end first, without the missing member: the array is read-only"),
    "md-reshape-parked-a-new-member-gone": right("no-redundancy tank: let-sync"),
    "md-member-below-another-device": right("no-redundancy tank: mount it read-only and back up its data"),
    "md-reshape-stopped": right("inactive tank: ask start-degraded"),
    "md-reshape-ended": right("no-redundancy tank: mount it read-only"),
    # clones, and superblocks that are gone
    "md-clone-all-stopped": right(f"clone mirror: {CLONE}"),
    "md-clone-beside-running": right(f"clone mirror: {CLONE}"),
    "lvm-clone-beside-active": right(f"clone tank: {CLONE}"),
    "btrfs-clone-beside": right(f"clone tank: {CLONE}"),
    "btrfs-clone-beside-mounted": right(f"clone tank: {CLONE}"),
    "btrfs-older-clone-beside": right(f"clone tank: {CLONE}"),
    "btrfs-older-clone-beside-mounted": right(f"clone tank: {CLONE}"),
    "md-superblock-zeroed": right("inactive tank: ask start-degraded", f"overwritten LAB-0001: {LEAVE}"),
    "md-empty-gpt-over-a-member": right("inactive tank: ask start-degraded", f"overwritten LAB-0001: {LEAVE}"),
    "public-table-in-other-sectors": right(
        "table-misfit LAB-0001: connect it as it was when it was partitioned",
        "table-misfit LAB-0002: connect it as it was when it was partitioned",
    ),
    "public-mbr-in-other-sectors": right(
        "table-misfit LAB-0001: connect it as it was when it was partitioned",
    ),
    "public-end-of-a-disk-hidden": right(
        "table-misfit LAB-0003: connect it as it was when it was partitioned",
        "table-misfit LAB-0004: connect it as it was when it was partitioned",
    ),
    "public-ext4-errors": right("filesystem-errors /srv/tank: back up"),
    "public-xfs-shut-down": right("filesystem-errors /srv/tank: unmount it and mount it again"),
    "public-btrfs-read-only": right(
        "errors 7b3f5281-068e-4114-8ec4-d4a711b814dc: errors were counted on", "filesystem-errors /srv/photos: back up"
    ),
    "md-two-superblocks-overwritten": right(
        "inactive tank: recover", "overwritten LAB-0001: recover", "overwritten LAB-0002: recover"
    ),
    "md-lvm-both-superblocks-zeroed": right("overwritten LAB-0001: recover", "overwritten LAB-0002: recover"),
    "btrfs-superblock-zeroed": right("inactive tank: ask start-degraded", "overwritten LAB-0001: recover"),
    "btrfs-both-superblocks-gone": right("overwritten LAB-0001: recover", "overwritten LAB-0002: recover"),
    "btrfs-superblock-gone-beside-its-successor": right("overwritten LAB-0002: recover"),  # the other has a new filesystem
    "btrfs-alone-wiped": right("overwritten LAB-0003: recover"),
    "empty-gpt-over-nothing": (),
    # arrays on arrays, groups on arrays, firmware RAID
    "md-on-md-lower-degraded": right(
        "no-redundancy left: replace with LAB-0002", "degraded top: nothing here: it is on array left"
    ),
    "lvm-on-md-degraded": right(
        "no-redundancy tank: replace with LAB-0002", "no-redundancy data: nothing here: it is on array tank"
    ),
    "imsm-member-failed": right("no-redundancy vol0: replace the missing member: mdadm rebuilds it on a disk that is added to its container, imsm"),
    "imsm-disk-failed-in-its-container": right("no-redundancy vol0: replace LAB-0002 with LAB-0003"),
    "imsm-disk-failed-and-gone": right("no-redundancy vol0: replace LAB-0002 with LAB-0003"),
    "imsm-disk-of-two-volumes-gone": right("no-redundancy one: replace LAB-0002 with LAB-0003", "no-redundancy two: replace the missing member: it is rebuilt together"),
    "imsm-disk-failed-under-a-stripe-too": right("no-redundancy vol0: copy the data of vol1 away and stop it"),
    "ddf-disk-failed": right("no-redundancy v0: back up its data. mdadm 4.2 crashes when a DDF container gets a new disk"),
    "imsm-stopped": right("inactive imsm: start"),
    "ddf-well": (),
    "ddf-stopped": right("inactive ddf: start"),
    # LVM
    "lvm-well": (),
    "lvm-linear": (),
    "btrfs-single": (),
    "md-raid0": (),
    "lvm-volume-removed": right("mount-expected /srv/tank: connect its disks, or start what it is on"),
    "lvm-volume-removed-by-name": right("mount-expected /srv/tank: connect its disks, or start what it is on"),
    "lvm-group-removed": right("mount-expected /srv/tank: connect its disks, or start what it is on"),
    "lvm-group-on-an-array-removed": right(
        "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    "lvm-group-on-two-arrays-removed": right(
        "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    "lvm-group-removed-and-one-made": right(
        "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    # The member is whole: what is lost is the table that led to it.
    "lvm-partition-table-gone": right(f"inactive data: {IT_HAS_IT}", "overwritten LAB-0001: ask restore-table"),
    "lvm-partition-table-only-at-its-end": right(
        f"inactive data: {IT_HAS_IT}", "overwritten LAB-0001: ask restore-table"
    ),
    "md-partition-table-gone": right(f"inactive tank: {IT_HAS_IT}", "overwritten LAB-0001: ask restore-table"),
    "md-two-partition-tables-gone": right(
        f"inactive tank: {THEY_HAVE_THEM}",
        "overwritten LAB-0001: ask restore-table",
        "overwritten LAB-0002: ask restore-table",
    ),
    "md-two-partition-tables-gone-1.0": right(
        f"inactive tank: {THEY_HAVE_THEM}",
        "overwritten LAB-0001: ask restore-table",
        "overwritten LAB-0002: ask restore-table",
    ),
    "btrfs-partition-table-gone": right(f"inactive tank: {IT_HAS_IT}", "overwritten LAB-0001: ask restore-table"),
    "btrfs-partition-tables-gone": right(
        "overwritten LAB-0001: ask restore-table", "overwritten LAB-0002: ask restore-table"
    ),
    "zfs-partition-tables-gone": right(
        "inactive tank: LAB-0001 (sda) and LAB-0003 (sdc) have missing members, which are whole",
        "overwritten LAB-0001: ask restore-table",
        "overwritten LAB-0003: ask restore-table",
    ),
    "lvm-label-erased": right("inactive data: recover"),
    "lvm-label-made-anew": right("inactive data: recover"),
    "lvm-pv-missing-active": right("no-redundancy tank: replace with LAB-0004"),
    "lvm-pv-missing-inactive": right("inactive tank: ask start-degraded"),
    "lvm-pv-missing-degraded": right("no-redundancy tank: replace with LAB-0004"),
    "lvm-pv-back": right("no-redundancy tank: re-add LAB-0002"),
    "lvm-pv-back-marked": right("no-redundancy tank: re-add LAB-0002"),
    "lvm-two-pvs-missing": right("inactive tank: connect the missing disks"),
    "lvm-linear-pv-missing": right("inactive plain: connect the missing disk"),
    "lvm-mismatches": right("errors tank: check"),
    "lvm-unused-pv-missing-active": right("errors tank: ask remove-missing"),
    "lvm-unused-pv-missing-inactive": right("inactive tank: start"),
    # Btrfs
    "btrfs-well": (),
    "btrfs-metadata-full": right("full pool: delete what is not needed"),
    "btrfs-metadata-filling": right("filling pool: delete what is not needed"),
    "btrfs-replacement-interrupted-read-only": right("degraded tank: start"),
    "btrfs-replacement-interrupted": (),
    "btrfs-replacement-interrupted-source-gone": right("inactive tank: ask start-degraded"),
    "btrfs-replacement-interrupted-target-gone": right("inactive tank: remove-failed"),
    "btrfs-replacement-interrupted-target-gone-mounted": right("degraded tank: remove-failed"),
    "btrfs-replacement-interrupted-both-disks-gone": right("inactive tank: remove-failed"),
    "btrfs-replacement-interrupted-both-disks-gone-mounted": right("degraded tank: remove-failed"),
    "btrfs-replacement-interrupted-another-gone": right("inactive tank: ask start-degraded"),
    "btrfs-replacement-interrupted-two-gone": right("inactive tank: ask start-degraded"),
    "btrfs-device-errors-and-back": right("no-redundancy tank: re-add LAB-0002"),
    "btrfs-both-errors-and-back-read-only": right(
        "failed tank: LAB-0001 (ubda) and LAB-0002 (ubdb) are connected again, and the filesystem is mounted without them"
    ),
    "md-failed-with-bad-blocks": right("no-redundancy tank: re-add LAB-0002"),
    "lvm-move-interrupted": right("held vg: let-sync"),
    "lvm-on-arrays-one-failed": right(
        "failed one: recover", "failed vg: bring array one back first, which has failed: what vg lacks may be on it"
    ),
    "lvm-on-arrays-move-interrupted": right("held tank: let-sync"),
    "lvm-on-arrays-suspended": right("inactive tank: start"),
    "lvm-on-arrays-activation-skipped": right("inactive tank: LVM leaves tank/root out when it activates the group"),
    "lvm-on-arrays-thin-pool-full": right("errors tank: tank/pool: the thin pool is full, so writes to its volumes fail"),
    "lvm-on-arrays-degraded-and-thin-pool-full": right(
        "no-redundancy one: connect a blank disk",
        "degraded tank: tank/pool: the thin pool is full, so writes to its volumes fail",
    ),
    "lvm-move-ended": (),
    "zfs-disk-alone-beside-a-mirror": right("degraded tank: ask remove-vdev"),
    "zfs-disk-alone-beside-a-raidz": right("degraded tank: give LAB-0004 (sdb) a copy: raidtui grow tank"),
    "zfs-destroyed": (),
    "btrfs-replacement-canceled": (),
    "btrfs-degraded-in-fstab": right("mounted-degraded tank: configure"),
    "btrfs-degraded-in-fstab-one-gone": right("no-redundancy tank: replace with LAB-0002"),
    "btrfs-device-missing-not-mounted": right("inactive tank: ask start-degraded"),
    "btrfs-device-missing": right("no-redundancy tank: replace with LAB-0002"),
    "btrfs-device-missing-written": right("no-redundancy tank: replace with LAB-0002"),
    "btrfs-device-missing-no-disk-free": right(
        "no-redundancy tank: replace the missing disk (devid 2): connect a disk of 268 MB or more"
    ),
    "btrfs-device-back-not-mounted": right("inactive tank: re-add LAB-0002"),
    "btrfs-device-back-mounted": right("no-redundancy tank: re-add LAB-0002"),
    "public-btrfs-older-disk-of-single-data": right("inactive wide: LAB-0003 (ubdc) has older blocks than the others"),
    "public-btrfs-older-disk-of-single-metadata": right("inactive wide: LAB-0003 (ubdc) has older blocks than the others"),
    "btrfs-single-chunks-left": right("no-redundancy tank: balance"),
    "btrfs-errors-counted": right("errors tank: check"),
    "btrfs-grown-from-a-seed-mounted": (),
    "btrfs-grown-from-a-seed": (),
    "btrfs-used-apart": right("inactive tank: LAB-0001 (ubda) and LAB-0002 (ubdb) were used without each other"),
    "btrfs-seed-missing": right("failed seed: connect the missing disk"),
    "btrfs-raid0-device-missing": right("failed wide: connect the missing disk"),
    # out of a NAS, or an old computer
    "synology-shr": right("foreign synology: view"),
    "synology-shr-three-of-four": right("foreign synology: view"),
    "synology-shr-half-assembled": right("foreign synology: view"),
    "synology-shr-degraded-auto-read-only": right(f"overwritten LAB-0004: {LEAVE}", "foreign synology: view"),
    "qnap-raid6": right("foreign qnap: view"),
    "readynas-raid5": right("foreign readynas: view"),
    "buffalo-raid5": right("foreign buffalo: view"),
    "oldpc-half-of-a-mirror": right(f"overwritten LAB-0002: {LEAVE}", "foreign oldpc: view"),
    "oldpc-two-arrays": right("foreign grosse: view"),
    "md-overlays": (),
    "md-overlays-stopped": right("inactive tank: start"),
    "filesystem-without-its-beginning": (),
    "filesystem-on-an-array-without-its-beginning": right("beginning-gone tank: recover"),
    "filesystem-on-a-volume-without-its-beginning": right("beginning-gone tank: recover"),
    "filesystem-on-a-partition-of-an-array-without-its-beginning": right("beginning-gone tank: recover"),
    "partition-table-of-an-array-only-at-its-end": right("beginning-gone tank: recover"),
    "ntfs-on-an-array-without-its-beginning": right("beginning-gone tank: copy all of it to an image"),
    "exfat-on-an-array-without-its-beginning": right("beginning-gone tank: copy all of it to an image"),
    "partition-table-of-an-array-gone": right("beginning-gone tank: recover"),
    "filesystem-cut-array": right("filesystem-cut tank: find out what made the device smaller"),
    "filesystem-cut-volume": right("filesystem-cut data-films: find out what made the device smaller"),
    "space-unused-mounted": right("space-unused tank: fill"),
    "space-unused-not-mounted": right("space-unused tank: the filesystem of tank is not mounted"),
    "space-unused-volume": right("space-unused data: fill"),
    "filesystem-cut-partition": right("filesystem-cut LAB-0003: find out what made the device smaller"),
    "nas-with-slots-stopped": right("foreign tnas: view"),
    "nas-with-slots-auto-read-only": right("foreign tnas: view"),
    "nas-with-slots-one-gone": right("foreign tnas: view"),
    # Used here, it is no other system's any more; the empty slots of what the NAS made for itself lack nothing.
    "nas-with-slots-in-use": right("no-redundancy data: replace with LAB-0003"),
    # ZFS
    "zfs-suspended": right("failed tank: connect the missing disks"),
    "zfs-suspended-disks-back": right("failed tank: start"),
    "zfs-well": right("error-recovery tank: limit-recovery"),  # SATA disks of QEMU have no limit
    "zfs-offline": right("no-redundancy tank: re-add LAB-0002", "error-recovery tank: limit-recovery"),
    "zfs-spare-took-over": right("degraded tank: remove-failed", "error-recovery tank: limit-recovery"),
    "zfs-missing": right("no-redundancy tank: use-spare", "error-recovery tank: limit-recovery"),
    "zfs-checksum-errors": right("errors tank: check", "error-recovery tank: limit-recovery"),
    "zfs-exported-whole": right("inactive tank: start"),
    "zfs-two-lost": right("inactive tank: connect its missing disks: too many are gone to import it"),
    "zfs-log-gone": right("inactive tank: connect the disk of its log: nothing else is missing"),
    "zfs-attaching": (),  # its single disk gets a copy
    "zfs-raidz2-two-failed": right("no-redundancy tank: replace LAB-0002 with LAB-0006"),
    "zfs-replacing": (),
    "zfs-replacement-gone": right("degraded tank: replace with LAB-0005"),
    "zfs-cache-gone": right("failed-member tank: remove-failed"),
    "zfs-special-and-log-gone": right("degraded tank: replace with LAB-0007"),
    "zfs-locked": right("error-recovery tank: limit-recovery", "waiting tank: load the keys and mount what is locked"),
    "zfs-not-mounted": right("error-recovery tank: limit-recovery", "waiting tank: load the keys and mount what is locked"),
    "zfs-one-not-mounted": right("error-recovery tank: limit-recovery", "waiting tank: mount what is not mounted"),
    # what a crash, or a person, left behind
    "left-md-frozen": right("held tank: let-sync"),
    "left-md-sync-min": right("check-stopped tank: check"),
    "left-md-sync-max": right("held tank: let-sync"),
    "left-md-speed": right("slowed tank: let-sync"),
    "left-md-read-only": right("read-only tank: make-writable"),
    "left-disk-read-only": right("read-only tank: make-writable"),
    "left-lvm-frozen": right("held tank: let-sync"),
    "left-lvm-suspended": right("inactive tank: start"),
    "left-lvm-plain-suspended": right("inactive tank: start"),
    "left-lvm-speed": right("slowed tank: let-sync"),
    # RAID cards
    "card-well": (),
    "card-drive-failed": right("no-redundancy c0v0: add-spare", f"card-drives c0-drives: {MAY_BE}"),
    "card-drive-failed-none-free": right(
        "no-redundancy c0v0: replace the missing drive: put a drive of 3.00 TB or more in its slot",
        f"card-drives c0-drives: {MAY_BE}",
    ),
    "card-drive-offline": right("no-redundancy c0v0: re-add WD-WM00000003"),
    "card-rebuilding": (),
    "card-copyback": (),
    "card-spare-not-used": right("no-redundancy c0v0: a hot spare is there, and no rebuild runs"),
    "card-foreign": right(f"card-foreign c0-foreign: {LOOK}"),
    "card-foreign-while-degraded": right(
        "no-redundancy c0v0: the drives in 252:2 hold a foreign configuration, perhaps what it lost: look at it",
        f"card-foreign c0-foreign: {LOOK}",
    ),
    "card-two-drives-gone": right(
        "failed c0v0: connect its drives again; import, clear, delete and initialize nothing",
        f"card-drives c0-drives: {MAY_BE}",
    ),
    "card-two-drives-gone-with-cached-writes": right(
        "failed c0v0: connect its drives again; import, clear, delete and initialize nothing",
        f"card-drives c0-drives: {MAY_BE}",
    ),
    "card-predicted-failure": right("failing-disk c0v0: replace WD-WM00000003 with WD-WM00000009"),
    "card-predicted-failure-none-free": right(
        "errors c0v0: replace WD-WM00000003 in 252:2 while it still works (1 predicted failure): put a drive"
    ),
    "card-predicted-failure-while-degraded": right(
        "no-redundancy c0v0: copy its data to other disks now", f"card-drives c0-drives: {MAY_BE}"
    ),
    "card-cachevault-failed": right("errors c0v0: let it write through until its cache is safe (CacheVault Failed)"),
    "card-drive-bad-outside": right("card-drives c0-drives: no virtual drive is missing if all that you expect are listed"),
    "card-raid6-one-failed": right("degraded c0v0: add-spare"),
    "adaptec-well": (),
    "adaptec-drive-failed": right("no-redundancy tank: add-spare", f"card-drives c1-drives: {MAY_BE}"),
    "adaptec-bad-stripes": right("errors tank: copy what can be read, and restore the files that cannot"),
    # the configuration
    "md-created-again-in-another-order": right(
        "created-over tank: recover", "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    "md-created-again-with-one-missing": right(
        "no-redundancy f3c0a7ca-3fac-eede-5b01-8146b9151d8b: recover",
        "created-over f3c0a7ca-3fac-eede-5b01-8146b9151d8b: recover",
        "inactive cec0cc4c-6db5-c979-fd07-8dc58ec0b1aa: recover",
    ),
    "md-created-again-of-fewer-members": right(
        "filesystem-cut a2b5a80f-9b76-5931-e9e2-1024474b1224: find out what made the device smaller",
        "inactive cec0cc4c-6db5-c979-fd07-8dc58ec0b1aa: recover",
    ),
    "md-created-again-not-in-mdadm-conf": right(
        "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    "md-created-again-and-syncing": right("created-over tank: recover"),
    "md-created-again-and-started-in-its-sync": right("created-over tank: recover"),
    "md-created-again-and-stopped-in-its-sync": right("inactive tank: recover", "array-expected /dev/md/tank: connect its disks"),
    "md-created-again-0.90": right("created-over md0: recover"),
    "md-created-again-at-another-offset": right("created-over tank: recover"),
    "md-created-again-with-another-layout": right("created-over tank: recover"),
    "md-created-again-below-a-volume": right("created-over tank: recover"),
    "md-created-again-below-a-volume-that-seems-empty": right(
        "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    "md-new": (),
    "md-all-members-got-a-table": right(
        "overwritten LAB-0001: recover", "overwritten LAB-0003: recover",
        "mount-expected /srv/tank: connect its disks, or start what it is on"
    ),
    "config-of-nothing": right(
        "array-expected /dev/md/tank: connect its disks", "mount-expected /srv/tank: connect its disks"
    ),
    "two-signatures": right("mount-expected /srv/tank: array tank has it, with the signature of ext4 beside it, so udev"),
    "two-signatures-of-a-pool": right("mount-expected /srv/tank: array tank has it, with the signature of zfs_member beside it"),
    # encrypted containers
    "container-open": (),
    "container-closed": right("mount-expected /srv/tank: open the encrypted container on array tank first, as safe"),
    "container-closed-mounted-by-uuid": right("mount-expected /srv/tank: open the encrypted container on array tank first, as safe (cryptsetup open): it may"),
    "container-on-a-stopped-array": right("inactive tank: start", "container-expected safe: connect its disks, or start"),
    "container-header-gone-open": right("header-gone safe: back up its data now, while it is open"),
    "container-header-gone": right("container-expected safe: nothing known is on array tank: the header of the container may have been"),
    # what a missing member is on is not running
    "luks-first-header-overwritten": right("header-damaged safe: write its header as it was to a file"),
    "luks-header-gone-never-seen": right("container-expected safe: connect its disks, or start what it is on"),
    "luks-header-gone-as-seen": right("header-damaged safe: only a copy of the header opens it again"),
    "luks-header-gone-on-a-disk-as-seen": right("header-damaged safe: only a copy of the header opens it again"),
    "luks-on-a-stopped-array-as-seen": right("inactive tank: start", "container-expected safe: connect or start array tank"),
    "luks-partition-gone-as-seen": right("container-expected safe: its partition is not on LAB-0003 (ubdc) any more"),
    "luks-marks-erased": right("header-damaged safe: write its header as it was to a file"),
    "luks-under-a-gpt": right("header-damaged safe: write its header as it was to a file"),
    "luks1-under-an-mbr": right("header-damaged safe: write its header as it was to a file"),
    "luks1-under-a-gpt": right("header-damaged safe: only a copy of the header opens it again"),
    "luks-marks-erased-while-open": right("header-gone safe: back up its data now, while it is open"),
    "luks-header-overwritten": right("header-damaged safe: only a copy of the header opens it again"),
    "luks-header-under-ext4": right("header-damaged safe: only a copy of the header opens it again"),
    "filesystem-in-a-container-without-its-beginning": right("beginning-gone tank: copy all of it to an image"),
    "luks1-marks-erased-on-a-volume": right("header-damaged vault: write its header as it was to a file"),
    "public-btrfs-on-luks-one-locked": right("no-redundancy two: open the locked LUKS container on LAB-0002 (ubdb) first"),
    "md-on-multipath-degraded": right(
        "no-redundancy tank: mount it read-only and back up its data: the next failure loses it"
    ),
    "md-on-multipath-stopped": right("inactive tank: ask start-degraded"),
    "md-on-integrity-one-not-open": right(
        "inactive tank: open the locked dm-integrity container on LAB-0002 (ubdb) first"
    ),
    "md-on-luks-one-locked": right("inactive tank: open the locked LUKS container on LAB-0002 (ubdb) first"),
    "md-on-luks-failed": right("no-redundancy tank: mount it read-only and back up its data: the next failure loses it"),
    "md-on-luks-running-one-locked": right("no-redundancy tank: open the locked LUKS container on LAB-0002 (ubdb) first"),
    "btrfs-over-arrays-one-stopped": right("inactive b: start", "inactive two: start array b first"),
    "md-on-md-lower-not-started": right(
        "inactive r: connect the missing disk: RAID0 cannot start without it", "inactive top: start array r first"
    ),
    "lvm-one-volume-beyond-the-end-of-a-disk": right("inactive vg: LAB-0001 (ubda) shows 160 MiB, and its data needs 197 MiB"),
    "lvm-over-an-array-that-lost-two": right(
        "inactive one: recover", "inactive big: start array one first: what big lacks may be on it"
    ),
    "lvm-over-an-array-that-lacks-a-member": right(
        "inactive p2: ask start-degraded", "inactive big: start array p2 first: what big lacks may be on it"
    ),
    "lvm-beside-an-array-not-started": right("inactive tank: start", "inactive vg: start array tank first"),
    # LVM: what is not a RAID volume
    "lvm-thin-pool-pv-missing": right("inactive vg: connect the missing disk: vg/pool and vg/thin cannot be activated"),
    "lvm-thin-pool-pv-missing-active": right("errors vg: connect the missing disk: LVM does not activate vg/pool and vg/thin"),
    "lvm-cache-pv-missing": right("inactive vg: connect the missing disk: cache cannot be activated without it"),
    "lvm-exported-pv-missing": right("inactive vg: connect the missing disk, then import and activate it. If that cannot be"),
    "lvm-writecache-pv-missing": right("inactive vg: connect the missing disk: writecache cannot be activated without it"),
    "lvm-older-mirror-pv-missing": right("inactive vg: connect the missing disk: mirror cannot be activated without it"),
    "lvm-integrity-pv-missing": right("inactive vg: connect the missing disk. If that cannot be: LVM activates nothing degraded"),
    "lvm-pv-of-another-volume-missing": right("errors vg: connect the missing disk: vg/scratch has no copy without it"),
    "lvm-mirror-with-a-snapshot": (),
    "lvm-mirror-with-a-snapshot-degraded": right("no-redundancy tank: replace with LAB-0003"),
    "lvm-cached-mirror": (),
    "lvm-cached-mirror-degraded": right("no-redundancy tank: replace with LAB-0004"),
    "lvm-thin-pool-on-a-mirror-degraded": right("no-redundancy tank: replace with LAB-0003"),
    "public-two-filesystems-of-one-label": right("same-name /srv/films: LAB-0001 (ubda) is mounted there now. Write UUID="),
    "public-volume-and-disk-of-one-label": right("same-name /srv/films: Write the UUID of the one that belongs there"),
    "public-two-partitions-of-one-name": right("same-name /srv/films: Write the UUID of the one that belongs there"),
    "public-disks-of-windows": (),
    "disks-of-a-virtual-machine": (),
    "lvm-thin-pool-refused": right("errors tank: start"),
    "lvm-thin-pool-refused-with-all": right("inactive tank: start"),
    "public-parts-of-a-pool-active": right("errors pve: start"),
    "lvm-image-of-a-mirror-active": right("inactive pve: start"),
    "public-type-of-another-lvm": right("inactive vg288: read vg288/tp1 with the system that made it"),
    "lvm-type-not-known-beside-active": right("errors vg288: read vg288/tp1 with the system that made it"),
    "public-group-of-an-older-cluster": right("not-shown LVM: leave shared to the cluster while that runs"),
    "lvm-of-this-system": (),
    "lvm-activation-skipped": right("inactive tank: LVM leaves tank/data out when it activates the group"),
    "lvm-not-in-its-volume-list": right("inactive tank: volume_list in lvm.conf lets LVM activate root and vg/home"),
    "lvm-image-split-off": right("no-redundancy tank: take tank/data_rimage_1 back"),
    "lvm-part-removed-by-force": right("no-redundancy data: replace with LAB-0003"),
    "lvm-part-removed-by-force-inactive": right("inactive data: start"),
    "lvm-end-of-a-disk-hidden": right(
        "inactive mirror: LAB-0002 (ubdb) shows 160 MiB, and its data needs 173 MiB",
        "inactive plain: LAB-0001 (ubda) shows 160 MiB, and its data needs 173 MiB",
    ),
    "lvm-filter-hides-one": right("inactive data: let LVM use LAB-0002 (ubdb) again"),
    "lvm-filter-hides-one-active": right("no-redundancy data: let LVM use LAB-0002 (ubdb) again"),
    "lvm-filter-hides-all": right("not-shown LVM: let LVM use what is here"),
    "lvm-not-in-its-file-of-devices": right("inactive data: add LAB-0001 (ubda) and LAB-0002 (ubdb) to LVM's file of devices"),
    "lvm-on-md-not-in-its-file-of-devices": right("inactive data: add /dev/md/tank to LVM's file of devices"),
    "lvm-filter-hides-an-array": right("not-shown LVM: let LVM use what is here"),
    "lvm-metadata-damaged": right("not-shown LVM: recover"),
    "lvm-metadata-damaged-on-an-array": right("not-shown LVM: recover"),
    "lvm-of-another-system": right("inactive theirs: leave it to nas2 while that computer can reach its disks"),
    "public-cloned-disk-in-fstab": right("clone /srv/films: LAB-0001 (ubda) is mounted there now. Disconnect the one"),
    "md-mirror-of-one": (),
    "public-partition-tables-damaged": right(
        "overwritten LAB-0001: ask restore-table",
        "overwritten LAB-0002: ask restore-table",
    ),
    "lvm-thin-pool-filling": right("filling tank: tank/pool: enlarge it (lvextend(8)), or delete files and run fstrim(8). The group has 113 MB free"),
    "lvm-thin-pool-almost-full": right("full tank: tank/pool: enlarge it (lvextend(8))"),
    "lvm-thin-pool-metadata-filling": right("filling tank: tank/pool: enlarge its metadata (--poolmetadatasize in lvextend(8))"),
    "lvm-thin-pool-metadata-full": right("errors tank: tank/pool: the metadata of the thin pool is read-only"),
    "lvm-thin-pool-cannot-grow": right("filling tank: tank/pool: enlarge it (lvextend(8)), or delete files and run fstrim(8). The group has no room"),
    "lvm-snapshot-filling": right("filling tank: tank/backup: remove it when it is not needed any more"),
    "btrfs-on-volumes": (),
    "btrfs-on-volumes-one-not-active": right(
        "inactive vgb: start", "inactive tank: start volume group vgb first, which is not running"
    ),
    "btrfs-on-volumes-one-not-active-mounted": right(
        "no-redundancy tank: start volume group vgb first, which is not running", "inactive vgb: start"
    ),
    "btrfs-on-volumes-one-out-of-date": right("inactive tank: /dev/dm-1 was not there when the filesystem was used"),
    "public-snapshot-full": right("errors tank: tank/backup: what it was made of is not concerned"),
    "public-thin-pool-full": right("errors vg: vg/pool: the thin pool is full, so writes to its volumes fail"),
    # what people asked about
    # udev gives the disks of a USB enclosure its serial number, one for all
    "usb-enclosure-member-failed": right(
        "no-redundancy tank: replace usb-RAIDTUI_LAB_DISK_LAB-ENCLOSURE-0:1 with usb-RAIDTUI_LAB_DISK_LAB-ENCLOSURE-0:3"
    ),
    "usb-enclosure-disk-gone": right(
        "no-redundancy tank: replace with usb-RAIDTUI_LAB_DISK_LAB-ENCLOSURE-0:3"
    ),
    "public-hub-without-power": right(
        "failed two: connect the missing disks: RAID1 cannot run without them",
        "failed zero: connect the missing disks: RAID0 cannot run without them",
    ),
    "public-hub-has-power-again": right(f"failed two: {SAVE}", f"failed zero: {SAVE}"),
    "public-renumbered": right("kept-down tank: configure", "mount-expected /srv/tank: array tank runs as /dev/md127: write UUID="),
    "public-only-a-smaller-disk-free": right(
        "no-redundancy tank: replace the missing member: connect a disk of 101 MB or more. LAB-0009 (ubdi) is 512 bytes too small"
    ),
    "md-spare-in-another-array": right(
        "no-redundancy two: connect a blank disk of 101 MB or more"
    ),
    "md-members-with-data-first": right("inactive tank: start"),
    "md-member-written-alone-1.0": right("inactive tank: recover"),
    "lvm-on-a-mirror-with-data-first": right("inactive sys: start"),
    "public-group-active-on-one-member": right(
        "inactive sys: LAB-0001 (ubda) is in use by itself, as sys/root and mounted at /srv/root"
    ),
    "public-group-active-on-one-member-beside-the-array": right(
        "no-redundancy b95c96e3-e94d-b31a-7f0e-f22ffec7b5c2: LAB-0001 (ubda), a former member, is in use by itself, as sys/root",
        "no-redundancy piYzlx-Wiuk-dF4t-PEUu-2d2e-Pz6e-RWeeDS: nothing here: it is on array sys",
    ),
    "public-group-was-active-on-one-member": right("inactive sys: recover"),
    "md-partition-of-one-member-mounted": right("inactive sys: LAB-0002 (ubdb) is in use by itself, mounted at /srv/root"),
    "md-partition-of-one-member-written": right("inactive sys: recover"),
    "md-large-with-a-bitmap": (),
    "md-large-without-a-bitmap": right("no-bitmap tank: add-bitmap"),
    "md-members-differ-0.90": right("members-differ tank: stop it. Find out which member is right"),
    "md-members-differ-1.0": right("members-differ tank: stop it. Find out which member is right"),
    "md-members-partitioned-each-for-itself": right(
        "members-differ old: stop it. Find out which member is right: mount each read-only. If each has data of its own, the"
    ),
    "md-held-by-a-member-from-before-a-reshape": right("inactive tank: start"),
    "md-members-differ-1.2": right("members-differ tank: stop it. Find out which member is right"),
    "md-missed-end-running": right(
        "misplaced tank: recover", "mount-expected /srv/tank: connect its disks"
    ),
    "md-missed-end-stopped": right(
        "inactive tank: do not start it: md would read LAB-0001",
        "mount-expected /srv/tank: see to array tank first",
    ),
    "md-member-written-alone-0.90": right("inactive md127: recover"),
    "md-bad-blocks-on-one": right("errors tank: replace LAB-0001 with LAB-0004"),
    "md-bad-blocks-on-two": right("errors tank: back up its data: where the lists of LAB-0001 and LAB-0002 overlap"),
    "public-mirror-of-one-with-a-spare": right("no-redundancy tank: use-spare"),
    "md-journal-failed": right("errors tank: remove-failed"),
    "md-journal-removed": right("errors tank: without-journal"),
    "md-not-readable-in-sysfs": (),  # it is unknown, and not stopped
    "public-three-of-four-out-of-date": right("inactive md0: recover"),
    "public-one-held-two-outside": right("inactive nas: start"),
    "public-second-failure-during-rebuild": right("failed nas: recover"),
    "public-second-failure-during-rebuild-stopped": right("inactive nas: recover"),
    "public-cut-while-degraded-stopped": right("inactive nas: recover"),
    "public-cut-while-degraded-inactive": right("inactive nas: recover"),
    "public-pulled-and-put-back": right("no-redundancy m1: re-add LAB-0002", "no-redundancy m2: re-add LAB-0002"),
    "public-re-added-to-a-failed-array": right(f"failed tank: {SAVE}"),
    "public-re-added-to-a-failed-array-stopped": right("inactive tank: ask start-degraded"),
    "public-half-of-a-foreign-mirror": right("foreign oldnas: view"),
    "public-two-of-one-name": right("no-redundancy other:data: replace with LAB-0004"),
    "public-spare-rebuilding": (),
    "public-second-failure-while-a-spare-rebuilds": right("no-redundancy six: let the rebuild end"),
    "public-journal-gone": right("inactive tank: recover"),
    "public-removed-pv-is-back": right("not-shown LVM: if nothing of it is needed, erase it"),
    "public-volume-removed-with-a-missing-disk": right("not-shown LVM: recover"),
    "public-two-groups-of-one-name": right(
        "inactive h7c6q9-9omQ-haO8-XkC6-wVLw-1osq-6aLkT7: another volume group is called other too"
    ),
    "public-new-table-while-running": right("superblock-gone nas: check"),
    "md-mirror-under-new-tables": right("overwritten LAB-0001: recover", "overwritten LAB-0002: recover"),
    "public-all-members-partitioned": right(
        "overwritten LAB-0001: recover", "overwritten LAB-0002: recover", "overwritten LAB-0003: recover"
    ),
    "md-all-superblocks-zeroed": right("overwritten LAB-0001: recover", "overwritten LAB-0003: recover"),
    "public-partition-made-smaller": right("inactive nas: partition 1 of LAB-0001 (ubda) has 50.0 MiB"),
    "public-partition-made-smaller-running": right("no-redundancy nas: partition 1 of LAB-0001 (ubda) has 50.0 MiB"),
    "public-line-of-an-old-uuid": (),  # it is said of the array that has the name now
    "public-named-by-two-lines": right("kept-down tank: configure"),
    "public-named-by-two-lines-stopped": right("inactive tank: configure"),
    "public-line-of-an-old-uuid-beside-its-own": right("kept-down tank: configure"),
    "public-line-of-fewer-members": right("kept-down tank: configure"),
    "public-device-line-of-other-disks": right("kept-down tank: add the word partitions to the DEVICE line of mdadm.conf"),
    "public-device-line-of-other-disks-stopped": right("inactive tank: add the word partitions to the DEVICE line of mdadm.conf"),
    "public-ignored-by-its-line-stopped": right("inactive tank: configure"),
    "public-boot-disk-lost": right("no-redundancy root: replace with LAB-0001"),
    "public-replaced-and-not-balanced": right("no-redundancy tank: balance"),
    "public-btrfs-metadata-on-one-disk": right("no-redundancy tank: balance"),
    "public-btrfs-raid10-one-missing": right("no-redundancy ten: replace with LAB-0004"),
    "public-btrfs-raid10-two-missing": right("failed ten: connect the missing disks"),
}
# fmt: on
HARM: Final = re.compile(r"--re-add|--add\b|--create|--zero-superblock|wipefs|labelclear|mkfs|dd of=")
KERNEL_NAME: Final = re.compile(r"/dev/(?:ubd|sd|vd|nvme)\w+")


def state(name: str) -> Machine:
    return recorded_machine(str(STATES / f"{name}.json"))


def found_in(machine: Machine) -> tuple[Finding, ...]:
    return diagnose(units_of(machine), machine)


def step(remedy: Remedy) -> str:
    """What is done, in a few words, or the sentence."""
    match remedy.procedure:
        case None:
            return remedy.text
        case Replace(old=old, new=new):
            return " ".join(filter(None, ("replace", old, "with", new)))
        case ReAdd(disk=disk):
            return f"re-add {disk}"
    word = word_of(remedy.procedure)
    return f"ask {word}" if is_choice(remedy.procedure) else word


def test_every_state_has_its_row() -> None:
    assert {path.stem for path in STATES.glob("*.json")} == TABLE.keys()
    assert len(TABLE) > 70


@pytest.mark.parametrize("name", TABLE)
def test_what_is_found_and_the_one_right_first_step(name: str) -> None:
    findings = [one for one in found_in(state(name)) if one.kind.value != "not-configured"]
    assert [(one.kind, one.name) for one in findings] == [(one.kind, one.name) for one in TABLE[name]]
    for finding, expected in zip(findings, TABLE[name], strict=True):
        first = step(finding.remedies[0])
        assert first.startswith(expected.first), first
        assert finding.what


@pytest.mark.parametrize("name", sorted(TABLE.keys()))
def test_each_procedure_has_a_command_of_its_own(name: str) -> None:
    for finding in found_in(state(name)):
        orders = [order for one in finding.remedies if (order := finding.order(one))]
        assert len(orders) == len(set(orders)), orders


@pytest.mark.parametrize("name", sorted(TABLE.keys()))
def test_nothing_is_offered_that_could_lose_data(name: str) -> None:
    machine = state(name)
    taken: dict[str, Replace] = {}
    for finding in found_in(machine):
        for remedy in finding.remedies:
            commands = " ".join(remedy.commands)
            assert not HARM.search(commands), commands
            assert not KERNEL_NAME.search(commands), "kernel names change between boots"
            if finding.kind in {Kind.FAILED, Kind.CLONE, Kind.OVERWRITTEN}:
                assert not isinstance(remedy.procedure, Replace | ReAdd | AddSpare), remedy.text
            if finding.kind in {Kind.CLONE, Kind.OVERWRITTEN}:
                assert remedy.procedure is None or isinstance(remedy.procedure, Recover | RestoreTable)
                assert not commands
            if isinstance(remedy.procedure, Replace):
                new = remedy.procedure.new
                assert taken.setdefault(new, remedy.procedure) == remedy.procedure, (
                    "the only blank disk twice"
                )
                disk = machine.disk(new)
                assert all(one.what.value != "overwritten" for one in disk.taken_by)


def test_a_failed_unit_is_never_started_before_a_copy_is_made() -> None:
    for name in TABLE:
        for finding in found_in(state(name)):
            forced = [
                place
                for place, one in enumerate(finding.remedies)
                if "start-forced" in step(one) or "--force" in " ".join(one.commands)
            ]
            before = [one.text.startswith(SAVE) for one in finding.remedies]
            assert all(any(before[:place]) for place in forced)


def test_paths_of_multipath_and_members_that_show_what_is_on_their_array_are_no_clones() -> None:
    machine = state("lvm-clone-beside-active")
    way = Claim(
        what=ClaimKind.MULTIPATH, weight=Weight.UNUSABLE, device="/dev/ubde", detail="a path", how_to_free=""
    )
    mark = Signature(device="/dev/ubde", offset=0, type="linux_raid_member", uuid="1")
    for change in ({"taken_by": (way,)}, {"signatures": (*machine.disk("LAB-0005").signatures, mark)}):
        disks = tuple(replace(one, **change) if one.name == "ubde" else one for one in machine.disks)
        assert Kind.CLONE not in {one.kind for one in found_in(replace(machine, disks=disks))}
    disks = tuple(
        replace(one, taken_by=(replace(way, device="/dev/ubdc"),)) if one.name == "ubdc" else one
        for one in state("md-clone-beside-running").disks
    )
    left = found_in(replace(state("md-clone-beside-running"), disks=disks))
    assert [one.kind for one in left] == [Kind.NOT_CONFIGURED]


def test_a_seed_is_not_erased_with_what_has_grown_from_it() -> None:
    with pytest.raises(Refused, match="has grown from the seed on /dev/ubda"):
        make_teardown("seed", state("btrfs-grown-from-a-seed-mounted"), seed=SEED)
    plan = make_teardown("seed", state("btrfs-grown-from-a-seed"), seed=SEED)
    assert [one.identity for one in plan.disks] == ["LAB-0002"]


def test_disks_with_copies_of_one_btrfs_are_tried_together() -> None:
    for name, order in {
        "btrfs-superblock-zeroed": Recover(
            unit=units_of(state("btrfs-superblock-zeroed"))[0].uuid, disks=("LAB-0001",)
        ),
        "btrfs-both-superblocks-gone": Recover(disks=("LAB-0001", "LAB-0002")),
        "btrfs-alone-wiped": Recover(disks=("LAB-0003",)),
    }.items():
        found = [one for one in found_in(state(name)) if one.kind is Kind.OVERWRITTEN]
        assert {one.remedies[0].procedure for one in found} == {order}
        assert all("with the copy of the superblock" in one.remedies[0].text for one in found)


def test_a_disk_with_the_copy_of_another_btrfs_and_one_of_a_btrfs_that_runs_are_not_tried() -> None:
    machine = state("btrfs-both-superblocks-gone")
    other = [
        replace(one, taken_by=tuple(replace(each, unit=each.unit and "another") for each in one.taken_by))
        for one in machine.disks[:1]
    ]
    apart = replace(machine, disks=(*other, *machine.disks[1:]))
    assert [one.remedies[0].procedure for one in found_in(apart)] == [
        Recover(disks=("LAB-0001",)),
        Recover(disks=("LAB-0002",)),
    ]
    machine = state("btrfs-superblock-zeroed")
    units = [replace(one, health=Health.DEGRADED, node="ubdb") for one in units_of(machine)]
    (finding,) = [one for one in diagnose(units, machine) if one.kind is Kind.OVERWRITTEN]
    assert [one.procedure for one in finding.remedies] == [None, None]


def test_another_signature_on_a_member_is_said_before_the_array_is_started() -> None:
    """Such as the labels of ZFS, which mdadm --create leaves at the end of a disk; whichever is older, it may be the wrong one."""
    machine = state("md-stopped")
    label = Signature(device="/dev/ubda1", offset=1, type="zfs_member", label="old")
    (first, *rest) = machine.disks

    def found(where: Machine) -> list[str]:
        return [text for one in found_in(where)[0].remedies for text in one.warnings]

    assert found(machine) == []
    (device,) = {one.path for one in machine.superblocks if one.path.startswith(first.path)}
    beside = replace(first, signatures=(*first.signatures, replace(label, device=device)))
    assert found(replace(machine, disks=(beside, *rest))) == [
        "WARN: LAB-0001 (ubda) also has a signature of zfs_member, so one of the two is old. Find out which before you write to "
        "either"
    ]
    table = replace(first, signatures=(*first.signatures, replace(label, device=device, type="PMBR")))
    assert found(replace(machine, disks=(table, *rest))) == []
    inside = tuple(replace(one, metadata="1.0") for one in machine.superblocks)
    assert found(replace(machine, disks=(beside, *rest), superblocks=inside)) == []


def test_a_line_of_fstab_stays_while_what_it_may_mount_waits_to_be_started() -> None:
    (mount,) = (one for one in found_in(state("md-stopped-degraded")) if one.kind is Kind.MOUNT_EXPECTED)
    assert [one.procedure for one in mount.remedies] == [None]


def test_what_the_journal_of_units_knows_of_an_overwritten_disk_is_said() -> None:
    machine = state("md-superblock-zeroed")
    lost = LostMember(path="/dev/sda", disk="LAB-0001", noticed="2026-11-20T10:00:00+00:00", here="/dev/ubda")
    units = [replace(one, lost=(lost,)) for one in units_of(machine)]
    (finding,) = [one for one in diagnose(units, machine) if one.kind is Kind.OVERWRITTEN]
    assert "it was in array tank until 2026-11-20 10:00 UTC" in finding.what
    assert finding.disks[0].since == lost.noticed


@pytest.mark.parametrize(
    ("health", "lost", "shown"), [(Health.OK, (), 0), (Health.OK, ("home",), 1), (Health.DEGRADED, (), 1)]
)
def test_an_overwritten_disk_is_no_finding_once_it_is_replaced_in_a_unit_that_is_whole(
    health: Health, lost: tuple[str, ...], shown: int
) -> None:
    machine = state("md-superblock-zeroed")
    (unit,) = units_of(machine)
    home = replace(unit, uuid="a", lost=(LostMember(path="/dev/sda2", disk="LAB-0001"),) if lost else ())
    units = (replace(unit, health=health, former=("LAB-0001",)), home)
    assert sum(one.kind is Kind.OVERWRITTEN for one in diagnose(units, machine)) == shown


def test_an_old_line_of_an_array_that_was_made_again_is_replaced() -> None:
    machine = state("public-line-of-an-old-uuid")
    (finding,) = found_in(machine)
    assert finding.what.endswith("with the UUID of an array that is not here")
    assert finding.first is not None
    assert finding.first.procedure is not None
    plan = make_care(finding.first.procedure, machine, seed=SEED)
    assert [one.id for one in plan.steps] == ["old-line", "conf"]
    (dropped,) = plan.steps[0].actions
    assert dropped == DropLine(path="/etc/mdadm/mdadm.conf", line=machine.system.mdadm_conf_arrays[0])
    other = replace(machine.superblocks[0], path="/dev/ubde", uuid="11111111222222223333333344444444")
    here = replace(machine, superblocks=(*machine.superblocks, other))
    assert "no ARRAY line" in found_in(here)[0].what  # its disks are here: the line stays


def test_a_member_that_may_return_is_named() -> None:
    (finding,) = [one for one in found_in(state("md-failed-and-removed")) if one.lacks]
    assert [one.disk for one in finding.disks] == ["LAB-0002"]
    assert "not recorded" not in str(facts_of(finding))


def test_a_member_that_md_refuses_is_not_among_those_that_are_started() -> None:
    machine = state("public-partition-made-smaller")
    (finding,) = found_in(machine)
    assert "let the partition end at sector 206847 or later" in finding.remedies[0].text
    assert "start it degraded without LAB-0001 (ubda)" in finding.remedies[1].text
    assert finding.remedies[1].procedure is not None
    plan = make_care(finding.remedies[1].procedure, machine, seed=SEED)
    assert "LAB-0001" not in str(plan.steps)


def test_a_partition_to_boot_from_is_not_forgotten() -> None:
    machine = state("public-boot-disk-lost")
    (finding,) = [one for one in found_in(machine) if one.lacks]
    assert finding.first is not None
    assert finding.first.procedure is not None
    plan = make_care(finding.first.procedure, machine, seed=SEED)
    (hazard,) = [one for one in plan.hazards if one.id == "not-bootable"]
    assert hazard.seen == "LAB-0002 has partition 1 (EFI system partition)"


def test_a_superblock_that_could_not_be_read_anywhere_is_not_called_gone() -> None:
    machine = state("public-new-table-while-running")
    for unread in (replace(machine, superblocks=()), replace(machine, complete=False)):
        assert Kind.SUPERBLOCK_GONE not in {one.kind for one in found_in(unread)}
    busy = replace(machine, arrays=(replace(machine.arrays[0], sync_action="resync"),))
    (finding,) = [one for one in found_in(busy) if one.kind is Kind.SUPERBLOCK_GONE]
    assert finding.first is None
    assert finding.remedies[0].text.startswith("wait until its sync is over, then check it")


# Disks that say that they are about to fail.

PENDING: Final = Smart(passed=True, pending_sectors=8)


def with_smart(name: str, **by_serial: Smart) -> Machine:
    machine = state(name)
    disks = (replace(one, smart=by_serial.get(one.serial.replace("-", "_"))) for one in machine.disks)
    return replace(machine, disks=tuple(disks))


@pytest.mark.parametrize(
    ("smart", "words"),
    [
        (PENDING, "8 pending sectors"),
        (Smart(passed=False), "SMART overall health: FAILED"),
        (Smart(uncorrectable_sectors=3), "3 uncorrectable sectors"),
        (Smart(failed_test="Extended offline: Completed: read failure at 100 hours"), "self-test failed"),
        (Smart(passed=False, critical_warning=4), "reliability degraded"),
    ],
)
@pytest.mark.parametrize(
    ("name", "left"), [("md-well", "LAB-0004"), ("lvm-well", "LAB-0004"), ("btrfs-well", "LAB-0003")]
)
def test_a_failing_member_of_a_healthy_unit_is_replaced_while_it_works(
    smart: Smart, words: str, name: str, left: str
) -> None:
    (finding,) = found_in(with_smart(name, LAB_0002=smart))
    assert (finding.kind, finding.name) == (Kind.FAILING_DISK, "tank")
    assert words in finding.what
    assert step(finding.remedies[0]) == f"replace LAB-0002 with {left}"
    assert [one.disk for one in finding.disks] == ["LAB-0002"]


@pytest.mark.parametrize(
    "smart",
    [
        Smart(),
        Smart(passed=True, reallocated_sectors=8, crc_errors=90, reported_uncorrectable=2, media_errors=1),
        Smart(pending_sectors=65535, uncorrectable_sectors=0xFFFFFFFF),  # it does not count
        Smart(pending_sectors=4_000_000),  # more than it has
        Smart(passed=False, critical_warning=2),  # too hot
        Smart(self_test="Completed without error"),
    ],
)
def test_values_that_mean_nothing_are_no_finding(smart: Smart) -> None:
    assert found_in(with_smart("md-well", LAB_0002=smart)) == ()


def test_a_failing_disk_without_redundancy_is_copied_first() -> None:
    (finding,) = found_in(with_smart("md-missing", LAB_0001=PENDING))
    assert "LAB-0001 (ubda) is failing: 8 pending sectors" in finding.what
    assert finding.remedies[0].text.startswith("copy its data to other disks now")
    assert step(finding.remedies[1]) == "replace with LAB-0004"


@pytest.mark.parametrize(
    ("name", "then"),
    [
        ("lvm-linear", "replace LAB-0002 with LAB-0003"),
        ("btrfs-single", "replace LAB-0002 with LAB-0003"),
        ("md-raid0", ""),
    ],
)
def test_a_failing_disk_of_what_has_no_redundancy_is_replaced_where_its_data_can_be_moved(
    name: str, then: str
) -> None:
    (finding,) = found_in(with_smart(name, LAB_0002=PENDING))
    assert finding.remedies[0].text.startswith("copy its data to other disks now: it is not redundant")
    assert [step(one) for one in finding.remedies[1:] if one.procedure is not None] == [then] * bool(then)


def test_a_disk_that_is_in_no_unit_or_failed_before_is_no_finding_of_its_own() -> None:
    assert found_in(with_smart("md-well", LAB_0004=PENDING)) == ()
    (finding,) = found_in(with_smart("md-failed", LAB_0002=PENDING))
    assert finding.kind is Kind.NO_REDUNDANCY
    assert step(finding.remedies[0]) == "replace LAB-0002 with LAB-0004"


def test_a_blank_disk_comes_before_one_with_data_and_of_that_it_is_said() -> None:
    machine = state("lvm-pv-missing-degraded")
    assert [one.serial for one in machine.disks if one.free] == [
        "LAB-0002",
        "LAB-0004",
        "LAB-0005",
        "LAB-0006",
    ]
    (finding,) = found_in(machine)
    assert finding.remedies[0].text == "replace the missing disk with the free disk LAB-0004 (ubdd), 168 MB"
    (finding,) = found_in(replace(machine, disks=machine.disks[:3]))
    assert step(finding.remedies[0]) == "replace with LAB-0002"
    assert "LAB-0002 (ubdb), 168 MB, which is not blank (" in finding.remedies[0].text


def test_a_move_of_data_that_was_interrupted_continues_from_the_disk_that_it_left() -> None:
    machine = state("lvm-move-interrupted")
    (finding,) = found_in(machine)
    assert finding.remedies[0].procedure is not None
    (only,) = make_care(finding.remedies[0].procedure, machine, seed=SEED).steps
    disks = [f"/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-000{number}" for number in (1, 2)]
    runs = [one.argv for one in only.actions if isinstance(one, Run)]
    assert runs == [("pvmove", "--interval", "5", disks[0]), ("sync", *disks)]


@pytest.mark.parametrize("name", ["md-start-failed", "md-start-failed-one-out-of-date"])
def test_an_array_that_md_failed_to_start_is_stopped_first_as_it_takes_no_other_member(name: str) -> None:
    machine = state(name)
    (finding,) = found_in(machine)
    remedy = finding.remedies[0]
    assert remedy.procedure is not None
    stop, start = make_care(remedy.procedure, machine, seed=SEED).steps
    (run,) = start.actions
    assert isinstance(run, Run)
    assert (stop.id, run.argv[:3]) == ("stop", ("mdadm", "--assemble", "--run"))
    fresh = ("1", "3") if "out-of-date" in name else ("1", "2", "3")
    assert run.argv[5:] == tuple(f"/dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-000{one}" for one in fresh)


@pytest.mark.parametrize("name", ["inactive", "stopped", "one-gone"])
def test_an_array_with_a_damaged_bitmap_is_started_without_it(name: str) -> None:
    machine = state(f"md-bitmap-damaged-{name}")
    (finding,) = found_in(machine)
    remedy = finding.remedies[0]
    assert "bitmap is damaged" in remedy.text
    assert remedy.procedure is not None
    *before, start = make_care(remedy.procedure, machine, seed=SEED).steps
    assert [one.id for one in before] == (["stop"] if name == "inactive" else [])
    (run,) = start.actions
    assert isinstance(run, Run)
    assert run.argv[:4] == ("mdadm", "--assemble", "--run", "--update=no-bitmap")
    assert len(run.argv[6:]) == (2 if name == "one-gone" else 3)


def test_the_new_disk_of_a_replacement_that_was_interrupted_is_no_clone_and_no_member() -> None:
    machine = state("btrfs-replacement-interrupted-source-gone")
    (unit,) = units_of(machine)
    assert (
        unit.state == "1 of 2 disks missing (devid 1), not mounted, a replacement by /dev/ubdc has not ended"
    )
    kept, new = (machine.disk(name).taken_by[0].detail for name in ("LAB-0002", "LAB-0003"))
    assert "(1 of them here)" in kept
    assert new.startswith("the new disk of a replacement in a Btrfs filesystem, which has not ended")


@pytest.mark.parametrize("gone", [True, False])
def test_a_replacement_that_was_interrupted_is_continued_to_its_end(gone: bool) -> None:
    machine = state(f"btrfs-replacement-interrupted-{'source-gone' if gone else 'read-only'}")
    (finding,) = found_in(machine)
    (start,) = [one.procedure for one in finding.remedies if one.procedure is not None]
    first, *rest = make_care(start, machine, seed=SEED).steps
    given = [one.argv for one in first.actions if isinstance(one, Run)][-1]
    assert given[2:4] == (("btrfs", "-o") if gone else ("remount,rw", given[-1]))
    assert "ro" not in ",".join(given).split(","), "the kernel continues only what it can write"
    assert [one.id for one in rest] == ["wait", "balance", "scrub", "reset", "scrub-again", "prove"]


@pytest.mark.parametrize("mounted", [True, False])
def test_the_older_of_two_devices_with_one_superblock_is_named(mounted: bool) -> None:
    older, alike = (
        state(f"btrfs-{age}clone-beside{'-mounted' if mounted else ''}") for age in ("older-", "")
    )
    word = "the superblock of devid 2 on /dev/ubdc is older"
    assert word in found_in(older)[0].what
    assert "older" not in found_in(alike)[0].what


def test_a_disk_without_a_copy_leaves_its_pool_or_gets_one() -> None:
    mirror, raidz = (state(f"zfs-disk-alone-beside-a-{kind}") for kind in ("mirror", "raidz"))
    (unit,) = units_of(mirror)
    steps = make_care(RemoveVdev(unit=unit.uuid, disk="LAB-0003"), mirror, seed=SEED).steps
    assert [one.id for one in steps] == ["remove", "forget"]
    with pytest.raises(Refused, match="not a vdev by itself"):
        make_care(RemoveVdev(unit=unit.uuid, disk="LAB-0002"), mirror, seed=SEED)
    full = replace(mirror, readings=json.loads(json.dumps(mirror.readings)))
    full.readings["zfs"]["pools"][0]["allocated_bytes"] = 480_000_000
    assert found_in(full)[0].remedies[0].text.startswith("give LAB-0003")
    (other,) = units_of(raidz)
    with pytest.raises(Refused, match="never gives a vdev back"):
        make_care(RemoveVdev(unit=other.uuid, disk="LAB-0004"), raidz, seed=SEED)
    grown = make_care(Grow(unit=other.uuid, add=("LAB-0005",)), raidz, seed=SEED)
    assert grown.steps[-1].after[0].expect == "raidz1+mirror 3 2"
    (alone,) = (
        one["guid"]
        for one in raidz.readings["zfs"]["pools"][0]["status"]["vdevs"]
        if one["name"] == "/dev/sdb1"
    )
    assert [
        one.argv[-2]
        for made in grown.steps
        for one in made.actions
        if isinstance(one, Run) and "attach" in one.argv
    ] == [alone]


def test_what_is_gone_and_holds_no_data_of_its_pool_is_removed_from_it() -> None:
    machine = state("zfs-cache-gone")
    (unit,) = units_of(machine)
    vdevs = machine.readings["zfs"]["pools"][0]["status"]["vdevs"]
    (gone,) = (one["guid"] for one in vdevs if one["section"] == "cache")
    assert removed(machine, unit.uuid) == [("zpool", "remove", "tank", gone)]
    side = replace(machine, readings=json.loads(json.dumps(machine.readings)))
    for one in side.readings["zfs"]["pools"][0]["status"]["vdevs"]:
        one["depth"] += one["guid"] == gone  # as one of a mirror is
    assert removed(side, unit.uuid) == [("zpool", "detach", "tank", gone)]


def removed(machine: Machine, unit: str) -> list[tuple[str, ...]]:
    steps = make_care(RemoveFailed(unit=unit), machine, seed=SEED).steps
    return [one.argv for step in steps for one in step.actions if isinstance(one, Run)]


def test_the_option_degraded_leaves_each_line_of_a_filesystem_that_lacks_no_disk() -> None:
    machine = state("btrfs-degraded-in-fstab")
    (finding,) = found_in(machine)
    assert "at /srv/tank and /srv/photos" in finding.what
    (step,) = make_care(Configure(unit=finding.unit), machine, seed=SEED).steps
    edits = [(type(one).__name__, one.line) for one in step.actions if isinstance(one, EnsureLine | DropLine)]
    first, second = machine.system.fstab
    assert edits == [
        ("EnsureLine", first.replace("degraded", "defaults")),
        ("EnsureLine", second.replace("degraded,", "")),
        ("DropLine", first),
        ("DropLine", second),
    ]
    lacks = state("btrfs-degraded-in-fstab-one-gone")
    (unit,) = units_of(lacks)
    with pytest.raises(Refused, match="replace it first"):
        make_care(Configure(unit=unit.uuid), lacks, seed=SEED)


@pytest.mark.parametrize("mounted", [True, False])
def test_a_replacement_whose_new_disk_is_gone_is_canceled(mounted: bool) -> None:
    machine = state(f"btrfs-replacement-interrupted-target-gone{'-mounted' if mounted else ''}")
    (unit,) = units_of(machine)
    assert unit.state.endswith("its new disk is not here")
    steps = make_care(RemoveFailed(unit=unit.uuid), machine, seed=SEED).steps
    given = [one.argv[:-1] for step in steps for one in step.actions if isinstance(one, Run)]
    canceled = [("mount", "-o", "remount,rw"), ("btrfs", "replace", "cancel")]
    assert given[-2:] == canceled
    assert [step.id for step in steps] == (["cancel"] if mounted else ["mount", "cancel"])


def test_a_list_of_bad_blocks_of_a_member_that_failed_is_no_lack_of_the_others() -> None:
    machine = state("md-failed-with-bad-blocks")
    assert any(one.bad_sectors for one in machine.arrays[0].members)
    assert not any("lists" in one.text for one in found_in(machine)[0].remedies)


def test_a_filesystem_whose_devices_give_errors_is_mounted_all_the_same() -> None:
    (unit,) = units_of(state("btrfs-both-errors-and-back-read-only"))
    assert unit.mountpoints == ("/srv/tank",)


@pytest.mark.parametrize("gone", ["source", "another", "two"])
def test_a_replacement_that_continues_proves_no_more_than_it_can_reach(gone: str) -> None:
    machine = state(f"btrfs-replacement-interrupted-{gone}-gone")
    (unit,) = units_of(machine)
    steps = make_care(Start(unit=unit.uuid, degraded=True), machine, seed=SEED).steps
    (wait,) = (step for step in steps if step.id == "wait")
    assert [check.expect for check in wait.after] == ["complete" if gone == "source" else "idle"]
    assert (steps[-1] is wait) == (gone != "source")


@pytest.mark.parametrize("name", ["stopped", "inactive"])
def test_an_array_with_a_journal_is_started_with_it(name: str) -> None:
    machine = state(f"md-with-a-journal-degraded-{name}")
    (finding,) = found_in(machine)
    (start,) = [one.procedure for one in finding.remedies if one.procedure is not None]
    steps = make_care(start, machine, seed=SEED).steps
    given = [word for step in steps for one in step.actions if isinstance(one, Run) for word in one.argv]
    assert machine.disk("LAB-0004").stable_path in given


def test_members_on_one_disk_are_not_redundant() -> None:
    machine = state("md-both-members-on-one-disk")
    (unit,) = units_of(machine)
    assert unit.state == "in sync, but no redundancy: the failure of LAB-0001 alone loses it"
    assert redundancy(unit) is Redundancy.NONE
    (array,) = machine.arrays
    elsewhere = tuple(replace(one, disk=f"D-{one.slot}") for one in array.members)
    assert [takes_all(replace(array, members=some)) for some in (array.members, elsewhere)] == [
        "LAB-0001",
        "",
    ]
    unknown = tuple(replace(one, disk="") for one in array.members)
    assert takes_all(replace(array, members=unknown)) == ""


def test_the_disk_of_a_lost_member_may_have_another_one_of_the_same_array() -> None:
    machine = state("md-both-members-on-one-disk-one-failed")
    lost = LostMember(path="/dev/ubda2", disk="LAB-0001", slot=1, noticed="2026-11-20T10:00:00+00:00")
    (finding, *_) = diagnose([replace(one, lost=(lost,)) for one in units_of(machine)], machine)
    assert step(finding.remedies[0]) == "replace with LAB-0003"


def test_no_line_is_offered_for_an_array_without_superblocks() -> None:
    machine = state("md-without-superblocks")
    assert diagnose(units_of(machine), machine) == ()


def test_of_a_group_on_a_disk_that_shrank_the_volumes_that_are_whole_are_named() -> None:
    (finding,) = found_in(state("lvm-one-volume-beyond-the-end-of-a-disk"))
    assert finding.what.endswith("second reaches beyond its end; first and third do not")
    assert finding.remedies[1].procedure == Recover(unit=finding.unit, stop=True)


def test_an_ext4_that_lost_its_beginning_is_not_free() -> None:
    machine = state("filesystem-without-its-beginning")
    assert [disk.free for disk in machine.disks] == [False, True]


def test_two_failing_members_do_not_get_the_same_disk() -> None:
    machine = with_smart("public-pulled-and-put-back", LAB_0001=PENDING)
    assert [step(one.remedies[0]) for one in found_in(machine)] == [
        "copy its data to other disks now: it is not redundant, and a disk of it is failing"
    ] * 2


def test_a_trial_looks_at_the_whole_disk_where_its_partition_was_not_made_for_a_member() -> None:
    machine = state("public-all-members-partitioned")
    assert found_in(machine)[0].remedies[0].procedure == Recover(disks=("LAB-0001", "LAB-0002", "LAB-0003"))
    assert device_of("LAB-0001", machine) == "/dev/ubda"
    assert device_of("LAB-0001-part1", machine) == "/dev/ubda1"
    assert device_of("LAB-0001", state("public-partition-made-smaller")) == "/dev/ubda1"


def test_no_line_of_the_older_array_is_the_first_thing_to_change_where_one_was_created_over_it() -> None:
    machine = state("md-created-again-in-another-order")
    (finding, *_) = found_in(machine)
    assert [step(one) for one in finding.remedies] == ["recover", "configure"]
    for mark in (
        replace(machine.arrays[0], signatures=(Signature(device="/dev/md127", offset=1080, type="ext4"),)),
        replace(machine.arrays[0], unread="EIO"),
    ):
        assert Kind.CREATED_OVER not in {one.kind for one in found_in(replace(machine, arrays=(mark,)))}


def test_the_sync_of_an_array_that_may_hide_an_older_one_is_to_be_stopped_and_never_let_run() -> None:
    (finding,) = found_in(state("md-created-again-and-syncing"))
    reached = ". It has come to 1.25 MiB of 158 MiB on each member: what lies beyond is as it was"
    assert finding.what.endswith(f"ITS SYNC RUNS, and overwrites what the older one had{reached}")
    assert finding.remedies[0].text.startswith("stop it at once, and look")
    assert [step(one) for one in finding.remedies] == ["recover", "configure"]
    (started, *_) = found_in(state("md-created-again-and-started-in-its-sync"))
    assert "Its sync continues with the first write, or when it is started again" in started.what
    assert started.what.endswith(reached)
    (stopped, _) = found_in(state("md-created-again-and-stopped-in-its-sync"))
    assert stopped.remedies[0].text.startswith(
        "do not start it, nor restart this computer, which starts it too: "
    )
    assert reached in stopped.remedies[0].text
    assert [step(one) for one in stopped.remedies] == ["recover", "configure"]
    machine = state("md-created-again-and-stopped-in-its-sync")
    unknown = tuple(replace(one, synced_bytes=0) for one in machine.superblocks)
    (unsaid, _) = found_in(replace(machine, superblocks=unknown))
    assert "It has come to" not in unsaid.remedies[0].text


def test_a_member_that_left_before_a_reshape_is_not_added_to() -> None:
    machine = state("md-held-by-a-member-from-before-a-reshape")
    (array,) = machine.arrays
    plan = make_care(Start(unit=array.uuid), machine, seed=SEED)
    runs = [" ".join(one.argv) for step in plan.steps for one in step.actions if isinstance(one, Run)]
    assert runs[0] == f"mdadm --stop {array.node}"
    assert runs[-1].startswith("mdadm --assemble --run /dev/md/tank ")
    assert runs[-1].endswith("LAB-0002 /dev/disk/by-id/ubd-RAIDTUI_LAB_LAB-0003")


def test_a_group_that_its_configuration_keeps_down_is_not_started() -> None:
    for name in ("lvm-activation-skipped", "lvm-not-in-its-volume-list", "lvm-end-of-a-disk-hidden"):
        machine = state(name)
        for unit in units_of(machine):
            with pytest.raises(
                Refused, match=r"cannot be activated: .*(activationskip|volume_list|hides its end)"
            ):
                make_care(Start(unit=unit.uuid), machine, seed=SEED)


def test_a_trial_of_an_array_that_was_created_over_in_part_takes_the_members_of_the_one_over_it() -> None:
    older, disks = "cec0cc4c-6db5-c979-fd07-8dc58ec0b1aa", ("LAB-0001", "LAB-0002", "LAB-0003")
    for name in ("md-created-again-with-one-missing", "md-created-again-of-fewer-members"):
        first = [one.remedies[0].procedure for one in found_in(state(name))]
        trials = [one for one in first if isinstance(one, Recover)]
        assert trials
        assert {(one.unit, tuple(sorted(one.disks))) for one in trials} == {(older, disks)}


def test_what_fstab_expects_may_be_below_an_array_that_seems_empty() -> None:
    for name in ("md-created-again-not-in-mdadm-conf", "md-created-again-below-a-volume-that-seems-empty"):
        finding, *_ = found_in(state(name))
        assert "raidtui recover tank --stop" in [finding.order(one) for one in finding.remedies]


def test_a_trial_of_members_that_all_got_a_table_looks_at_every_disk_with_such_a_table_as_a_whole() -> None:
    machine = state("md-all-members-got-a-table")
    assert found_in(machine)[0].remedies[0].procedure == Recover(disks=("LAB-0001", "LAB-0002", "LAB-0003"))
    assert device_of("LAB-0002", machine) == "/dev/ubdb"
    assert device_of("LAB-0002", machine, of_unit=True) == "/dev/ubdb1"


def test_a_trial_of_partitions_that_all_lost_their_superblocks_names_each_partition_once() -> None:
    order = Recover(disks=("LAB-0001-part1", "LAB-0002-part1", "LAB-0003-part1"))
    found = found_in(state("md-all-superblocks-zeroed"))
    assert {one.remedies[0].procedure for one in found if one.kind is Kind.OVERWRITTEN} == {order}


def test_a_container_is_not_looked_for_where_its_header_is_elsewhere_or_a_person_opens_it() -> None:
    machine = state("container-header-gone-open")
    (line,) = machine.system.crypttab
    elsewhere = replace(machine.system, crypttab=(f"{line},header=/boot/safe",))
    assert Kind.HEADER_GONE not in {one.kind for one in found_in(replace(machine, system=elsewhere))}
    unread = replace(
        machine, devices=tuple(replace(one, dm_uuid="CRYPT-PLAIN-safe") for one in machine.devices)
    )
    assert Kind.HEADER_GONE not in {one.kind for one in found_in(unread)}
    machine = state("container-header-gone")
    by_hand = replace(machine.system, crypttab=(f"{line},noauto",))
    not_known = replace(machine.system, crypttab_nodes=())
    for system in (by_hand, not_known):
        assert Kind.CONTAINER_EXPECTED not in {one.kind for one in found_in(replace(machine, system=system))}


def test_a_disk_of_another_size_is_not_the_physical_volume_that_lost_its_label() -> None:
    machine = state("lvm-label-erased")
    (finding,) = found_in(machine)
    assert finding.remedies[0].procedure == Recover(unit=finding.unit, disks=("LAB-0002",))
    disks = tuple(
        replace(one, size_bytes=2 * one.size_bytes) if one.identity == "LAB-0002" else one
        for one in machine.disks
    )
    (finding,) = found_in(replace(machine, disks=disks))
    assert finding.remedies[0].text.startswith("connect the missing disk")


def test_a_raid0_whose_last_zone_has_one_member_starts_in_every_layout() -> None:
    machine = state("md-raid0-without-a-layout-stopped")
    small = min(one.data_bytes for one in machine.superblocks)
    alike = (*(replace(one, data_bytes=small) for one in machine.superblocks[:2]), machine.superblocks[2])
    for stored in (alike, tuple(replace(one, layout=2) for one in machine.superblocks)):
        (finding,) = found_in(replace(machine, superblocks=stored))
        assert finding.first is not None


def test_a_superblock_at_the_end_of_a_disk_may_be_that_of_a_partition_that_is_gone() -> None:
    machine = state("md-last-partitions-0.90-one-table-gone")
    (finding,) = found_in(machine)
    with pytest.raises(Refused, match="lost its partition table"):
        make_care(Start(unit=finding.unit), machine, seed=SEED)


def test_a_raid0_without_a_layout_is_started_with_one_only_where_both_are_alike() -> None:
    machine = state("md-raid0-without-a-layout")
    order = Start(unit=units_of(machine)[0].uuid)
    before, start = make_care(order, machine, seed=SEED).steps
    (run,) = start.actions
    assert before.id == "stop"
    assert isinstance(run, Run)
    assert run.argv[:4] == ("mdadm", "--assemble", "--run", "--update=layout-alternate")
    assert len(run.argv[6:]) == 3
    differ = state("md-raid0-without-a-layout-which-differ")
    with pytest.raises(Refused, match="do not start it by chance"):
        make_care(Start(unit=units_of(differ)[0].uuid), differ, seed=SEED)


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("public-parts-of-a-pool-active", ["pve/data_tdata", "pve/data_tmeta"]),
        ("lvm-image-of-a-mirror-active", ["pve/home_rimage_0"]),
        ("lvm-thin-pool-refused", []),
    ],
)
def test_parts_that_are_active_by_themselves_are_deactivated_before_their_volume_is_activated(
    name: str, apart: list[str]
) -> None:
    machine = state(name)
    (unit,) = units_of(machine)
    (step,) = make_care(Start(unit=unit.uuid), machine, seed=SEED).steps
    runs = [one.argv for one in step.actions if isinstance(one, Run)]
    assert runs == [*(("lvchange", "-an", one) for one in apart), ("vgchange", "-ay", unit.name)]


@pytest.mark.parametrize("kind", ["data", "metadata"])
def test_a_disk_that_is_out_of_date_is_not_scrubbed_where_nothing_else_has_what_it_lacks(kind: str) -> None:
    machine = state(f"public-btrfs-older-disk-of-single-{kind}")
    (unit,) = units_of(machine)
    (finding,) = found_in(machine)
    assert [step(one) for one in finding.remedies][1:] == ["recover"]
    with pytest.raises(Refused, match="is nowhere else"):
        make_care(ReAdd(unit=unit.uuid, disk="LAB-0003"), machine, seed=SEED)


def test_a_raid_volume_that_lvm_does_not_activate_has_a_way_to_its_files() -> None:
    machine = state("lvm-part-removed-by-force-inactive")
    (finding,) = found_in(machine)
    assert [step(one) for one in finding.remedies] == ["start", "recover"]


def test_what_a_virtual_machine_has_is_neither_started_nor_removed_nor_tried_here() -> None:
    machine = state("disks-of-a-virtual-machine")
    units = units_of(machine)
    assert {unit.state.partition(": ")[0] for unit in units} == {"not running here"}
    for unit in units:
        with pytest.raises(Refused, match="a virtual machine"):
            make_care(Start(unit=unit.uuid), machine, seed=SEED)
        with pytest.raises(Refused, match="a virtual machine"):
            make_teardown(unit.uuid, machine, seed=SEED)


@pytest.mark.parametrize("name", ["md-used-apart-one-runs-no-disk-free", "md-used-apart-two-run"])
def test_a_former_member_that_has_files_of_its_own_is_not_erased_to_be_added(name: str) -> None:
    assert [one.procedure for one in found_in(state(name))[0].remedies] == [None, None]


@pytest.mark.parametrize("name", ["lvm-thin-pool-refused", "lvm-thin-pool-refused-with-all"])
def test_what_to_do_is_said_where_lvm_refuses_to_activate_a_thin_pool(name: str) -> None:
    (finding,) = found_in(state(name))
    assert "lvmthin(7)" in finding.remedies[1].text


def test_what_lvm_leaves_inactive_by_itself_need_not_be_active(tmp_path: Path) -> None:
    text = (STATES / "lvm-thin-pool-refused.json").read_text()
    path = tmp_path / "machine.json"
    path.write_text(text.replace("twi---tz--", "twi---tz-k").replace("Vwi---tz--", "Vwi---tz-k"))
    machine = recorded_machine(str(path))
    assert found_in(machine) == ()
    with pytest.raises(Refused, match="active already"):
        make_care(Start(unit=units_of(machine)[0].uuid), machine, seed=SEED)


def test_a_move_whose_mirror_is_active_is_not_called_interrupted() -> None:
    (found,) = found_in(state("lvm-move-interrupted"))
    assert found.what == "volume group vg: a move of data between /dev/ubda and /dev/ubdb runs, 73.4 %"


def test_a_move_between_arrays_is_continued_by_names_that_stay() -> None:
    machine = state("lvm-on-arrays-move-interrupted")
    (unit,) = (one for one in units_of(machine) if one.name == "tank")
    (step,) = make_care(LetSync(unit=unit.uuid), machine, seed=SEED).steps
    words = [word for one in step.actions if isinstance(one, Run) for word in one.argv if "/dev/" in word]
    assert words
    assert all(word.startswith("/dev/disk/by-id/lvm-pv-uuid-") for word in words)


def test_the_loss_of_a_cache_is_not_the_loss_of_what_it_cached() -> None:
    for name in ("lvm-cache-pv-missing", "lvm-writecache-pv-missing"):
        (finding,) = found_in(state(name))
        assert "only the cache was on it" in finding.remedies[1].text
    assert all(
        "cache was on it" not in one.text for one in found_in(state("lvm-thin-pool-pv-missing"))[0].remedies
    )


def test_a_member_on_multipath_is_that_device_and_not_a_path_to_it() -> None:
    (unit,) = units_of(state("md-on-multipath-stopped"))
    assert [member.path for member in unit.members] == ["/dev/dm-0", "/dev/dm-1"]


def test_no_boot_may_mix_disks_of_a_btrfs_that_were_used_without_each_other() -> None:
    machine = state("btrfs-used-apart")
    (unit,) = units_of(machine)
    assert len(found_in(machine)[0].remedies) == 1
    line = f"UUID={unit.uuid} /srv btrfs degraded 0 0"
    named = replace(machine, system=replace(machine.system, fstab=(line,), fstab_nodes=("",)))
    assert (
        found_in(named)[0]
        .remedies[1]
        .text.startswith("before this computer boots again, add noauto to the line of /srv")
    )


def test_an_array_that_a_program_of_this_computer_writes_to_stays_a_finding_and_is_not_started() -> None:
    machine = state("md-stopped")
    (claim,) = (
        one
        for one in state("disks-of-a-virtual-machine").disk("LAB-0001").taken_by
        if one.weight is Weight.BUSY
    )
    own = replace(
        claim,
        detail=claim.detail.replace("(qemu-system-x86, a virtual machine)", "(dd)"),
        how_to_free="end dd",
    )
    assert own.detail.endswith("(dd)")
    (first, *rest) = machine.disks
    written = replace(machine, disks=(replace(first, taken_by=(*first.taken_by, own)), *rest))
    (finding,) = found_in(written)
    assert finding.first is not None
    assert finding.first.procedure is not None
    with pytest.raises(Refused, match="to use it here: end dd"):
        make_care(finding.first.procedure, written, seed=SEED)


def test_a_reshape_that_has_ended_is_not_seen_in_the_member_that_left_before() -> None:
    machine = state("md-reshape-ended")
    machine = replace(machine, arrays=tuple(replace(one, state="readonly") for one in machine.arrays))
    units = units_of(machine)
    assert [*read_only_units(units, machine)] == [units[0].uuid]
    assert MdRehearser().why_not(units[0], machine) == ""


@pytest.mark.processes
def test_the_wait_for_a_check_ends_where_lvm_says_more_than_it_was_asked(tmp_path: Path) -> None:
    machine = state("lvm-well")
    (unit,) = units_of(machine)
    runs = [
        one
        for step in make_care(Scrub(unit=unit.uuid), machine, seed=SEED).steps
        for one in step.actions
        if isinstance(one, Run)
    ]
    (wait,) = (one.argv for one in runs if one.argv[0] == "sh")
    (tmp_path / "lvs").write_text("#!/bin/sh\necho '  Retrying metadata scan.'\necho '  idle '\n")
    (tmp_path / "lvs").chmod(0o755)
    done = subprocess.run(wait, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, timeout=4, check=False)
    assert done.returncode == 0


def test_in_a_bay_without_numbers_there_may_be_another_disk_now() -> None:
    """A bay names whatever is in it."""
    machine = state("usb-enclosure-disk-gone")
    bay = "usb-RAIDTUI_LAB_DISK_LAB-ENCLOSURE-0:1"
    others = tuple(one for one in machine.disks if one.name != "sdd")
    (blank,) = (one for one in machine.disks if one.name == "sdd")
    new = replace(blank, name="sdb", path="/dev/sdb", device_number="8:16", by_id=(bay,))
    lost = LostMember(path="/dev/sdb", disk=bay, slot=1, noticed="2026-11-20T10:00:00+00:00", here="/dev/sdb")
    machine = replace(machine, disks=(*others, new))
    (finding, *_) = diagnose([replace(one, lost=(lost,)) for one in units_of(machine)], machine)
    assert step(finding.remedies[0]) == f"replace with {bay}"
    assert (
        finding.remedies[0].warnings[0]
        == f"a member was lost in the place of {bay} (sdb): is it another disk now?"
    )


def test_a_missing_disk_is_removed_from_a_group_only_if_nothing_is_on_it() -> None:
    for name, why in (("lvm-linear-pv-missing", "a part of"), ("lvm-linear", "lacks no disk")):
        (unit, *_) = units_of(state(name))
        with pytest.raises(Refused, match=why):
            make_care(RemoveMissing(unit=unit.uuid), state(name), seed=SEED)
    machine = state("lvm-unused-pv-missing-inactive")
    (unit,) = units_of(machine)
    plan = make_care(RemoveMissing(unit=unit.uuid), machine, seed=SEED)
    run = plan.steps[-1].actions[0]
    assert isinstance(run, Run)
    assert run.argv == ("vgreduce", "--removemissing", "tank")


def test_what_a_trial_holds_is_not_started_and_its_own_arrays_are_no_units() -> None:
    machine = state("md-stopped")
    assert step(found_in(machine)[0].remedies[0]) == "start"
    held = RecoveryTrial(name="tank", read_only=("/dev/ubda",), kept=True, mounted_at="/run/raidtui-recovery")
    own = Array(name="md_raidtui_try0", node="/dev/md_raidtui_try0", state="readonly", level="raid1")
    machine = replace(machine, trial=held, arrays=(*machine.arrays, own))
    assert [one.name for one in units_of(machine)] == ["tank"]
    (about,) = [one for one in found_in(machine) if one.name == "tank"]
    assert [one.text for one in about.remedies] == [
        "end the recovery trial first, which holds its members: raidtui recover --clean"
    ]


def test_mismatches_of_members_whose_data_begin_elsewhere_are_not_repaired() -> None:
    """After a power cut as a reshape ended, md used one member with the data offset of before."""
    machine = state("md-mismatches")
    (array,) = machine.arrays
    first, *rest = array.members
    moved = replace(array, members=(replace(first, offset_bytes=first.offset_bytes + 2**17), *rest))
    (finding,) = found_in(replace(machine, arrays=(moved,)))
    assert [step(one) for one in finding.remedies] == ["recover", "check"]


def test_a_member_that_is_on_two_disks_or_on_an_array_too_lost_no_table_but_a_superblock() -> None:
    machine = state("lvm-partition-table-gone")
    first, second, third = machine.disks
    assert [disk.identity for disk, _ in without_table(machine)] == ["LAB-0001"]
    (claim,) = first.taken_by
    twice = replace(
        machine, disks=(first, second, replace(third, taken_by=(replace(claim, device=third.path),)))
    )
    assert without_table(twice) == ()
    assert all(
        "superblock or partition table" in one.disks[0].state
        for one in found_in(twice)
        if one.kind is Kind.OVERWRITTEN
    )
    on_top = Signature(device="/dev/md0", offset=512, type="LVM2_member", uuid=claim.unit)
    held = Array(name="md0", node="/dev/md0", state="clean", signatures=(on_top,))
    assert without_table(replace(machine, arrays=(held,))) == ()


def test_a_disk_whose_table_is_lost_is_no_trial_of_a_lost_label() -> None:
    machine = state("lvm-partition-table-gone")
    (finding,) = [one for one in found_in(machine) if one.kind is Kind.INACTIVE]
    assert not any("label" in one.text for one in finding.remedies)
    assert not any(isinstance(one.procedure, Recover) and one.procedure.disks for one in finding.remedies)
