"""Btrfs' own conditions: a device is a member of a filesystem, and the filesystem is redundant."""

import os
from typing import Final

from raidtui.backends.btrfs import kernel
from raidtui.backends.btrfs.reading import Filesystem, read_now
from raidtui.backends.btrfs.signs import FOLDER
from raidtui.backends.btrfs.space import PROFILES
from raidtui.backends.btrfs.superblock import Superblock, read_superblock
from raidtui.machine.devices import device_number
from raidtui.machine.mounts import read_mounts
from raidtui.machine.tree import HERE
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Condition, Held


def idle(uuid: str) -> tuple[Filesystem | None, Answer]:
    """The mounted filesystem if it misses no device and nothing runs in it; else None, and why."""
    found = read_now(read_mounts(HERE)).find(uuid)
    if found is None or not found.node:
        return None, no(f"the filesystem {uuid} is not mounted")
    if found.unread:
        return None, unknown("the state of its devices cannot be read")
    if found.missing:
        return None, no(f"{len(found.missing)} of {len(found.devices)} devices are missing")
    if found.running is not None:
        return None, no(f"{found.running.what} has not ended")
    return found, no("")


class MemberIs(Condition):
    """The device has a valid superblock of the filesystem with the expected UUID and number of devices.

    mkfs.btrfs writes the final superblocks at the very end: if interrupted, it leaves a member without one.
    """

    kind = "btrfs-member"
    says = "{subject} is one of {rest} members of the Btrfs filesystem {first}"
    source = r"""
is_btrfs_member() {
    super=$(asked btrfs inspect-internal dump-super "$1" 2>/dev/null) || return 1
    printf '%s\n' "$super" | grep -q '^csum[[:space:]].*\[match\]$' &&
        [ "$(printf '%s\n' "$super" | awk '$1 == "fsid" || $1 == "num_devices" { print $2 }' | tr '\n' ' ')" = "$2 $3 " ]
}"""
    can_be_half_true = True  # the superblocks may have reached the disks without the trees they point to

    def ask(self, check: Check, held: Held) -> Answer:
        if not device_number(check.subject):
            return no(f"there is no {check.subject}")
        return judge(check, read_superblock(check.subject))


class DeviceIn(Condition):
    """The device is a device of the mounted filesystem: a ``member``, or ``replacing``, which means it is or becomes one."""

    kind = "btrfs-device"
    says = "{subject} in the Btrfs filesystem {first} is: {rest}"
    source = r"""
is_btrfs_device() {
    device=$(node_of "$1") && [ -d "/sys/fs/btrfs/$2/devices" ] || return 1
    doing=$(cat "/sys/fs/btrfs/$2/exclusive_operation" 2>/dev/null) && [ -n "$doing" ] || return 1
    case "$3 $doing" in
    "member device replace") return 1 ;;
    "replacing device replace") return 0 ;;
    esac
    [ -e "/sys/fs/btrfs/$2/devices/${device##*/}" ]
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        uuid, _, wanted = check.expect.partition(" ")
        doing = HERE.text(f"{FOLDER}/{uuid}/exclusive_operation")
        if not doing:
            return unknown(f"the filesystem {uuid} is not mounted, so its devices are not known")
        real = os.path.realpath(check.subject).removeprefix("/dev/")
        inside = real in HERE.names(f"{FOLDER}/{uuid}/devices")
        replacing = doing == "device replace"
        text = f"{check.subject} is {'' if inside else 'not '}a device of it; exclusive operation: {doing}"
        return either(
            holds=replacing if wanted == "replacing" and replacing else inside and not replacing, text=text
        )


class DeviceOut(Condition):
    """The device is not one of the mounted filesystem with the expected UUID, or not connected any more."""

    kind = "btrfs-device-out"
    says = "{subject} is not a device of the Btrfs filesystem {expect}"
    splits = False
    source = r"""
is_btrfs_device_out() {
    [ "$(cat "/sys/fs/btrfs/$2/exclusive_operation" 2>/dev/null)" = none ] || return 1
    is_there "$1" || return 0
    device=$(node_of "$1") && [ ! -e "/sys/fs/btrfs/$2/devices/${device##*/}" ]
}"""

    def ask(self, check: Check, held: Held) -> Answer:
        folder = f"{FOLDER}/{check.expect}"
        if HERE.text(f"{folder}/exclusive_operation") != kernel.IDLE:
            return no(f"the filesystem {check.expect} is not mounted, or is busy")
        inside = os.path.realpath(check.subject).removeprefix("/dev/") in HERE.names(f"{folder}/devices")
        return either(holds=not inside, text=f"{check.subject} is {'' if inside else 'not '}a device of it")


class Redundant(Condition):
    """The mounted filesystem misses no device, and each kind of chunk has one profile."""

    kind = "btrfs-redundant"
    says = "the Btrfs filesystem {subject} is redundant"
    source = r"""
is_btrfs_redundant() {
    is_btrfs_state "$1" complete || return 1
    for kind in data metadata system; do
        count=0
        for profile in "$btrfs_folder/allocation/$kind"/*/total_bytes; do
            case $profile in */single/* | */dup/* | */raid0/*) return 1 ;; esac
            [ -e "$profile" ] && count=$((count + 1))
        done
        [ "$count" -eq 1 ] || return 1
    done
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        found, answer = idle(check.subject)
        if found is None:
            return answer
        kinds = {"data": found.data, "metadata": found.metadata, "system": found.system}
        if unread := [kind for kind, profiles in kinds.items() if not profiles]:
            return no(f"the profile of its {unread[0]} chunks is not known")
        text = ", ".join(f"{kind} {'+'.join(profiles)}" for kind, profiles in kinds.items())
        alone = any(
            name not in PROFILES or not PROFILES[name].survives for some in kinds.values() for name in some
        )
        return either(
            holds=not alone and all(len(some) == 1 for some in kinds.values()),
            text=f"{len(found.devices)} devices, {text}",
        )


class StateIs(Condition):
    """The filesystem is ``mounted``; or ``idle``: nothing runs in it; or ``complete``: it misses no device either.

    Or ``clean``: no device counted an error either.
    """

    kind = "btrfs-state"
    says = "the Btrfs filesystem {subject} is {expect}"
    source = r"""
is_btrfs_state() {
    btrfs_folder=/sys/fs/btrfs/$1
    [ "$2" = mounted ] && { [ -d "$btrfs_folder/devices" ]; return; }
    [ "$(cat "$btrfs_folder/exclusive_operation")" = none ] || return 1
    [ "$2" = idle ] && return
    btrfs_closed=0 # one that came back is not missing, but the filesystem has not opened it
    for missing in "$btrfs_folder"/devinfo/*/missing; do
        [ "$(cat "$missing")" = 0 ] || return 1
        btrfs_closed=$((btrfs_closed + 1))
    done
    for device in "$btrfs_folder"/devices/*; do btrfs_closed=$((btrfs_closed - 1)); done
    [ "$btrfs_closed" -eq 0 ] || return 1
    [ "$2" = complete ] && return
    for counted in "$btrfs_folder"/devinfo/*/error_stats; do
        counts=$(cat "$counted") && [ -n "$counts" ] || return 1
        counts=$(printf '%s\n' "$counts" | awk '{ print $2 }' | sort -u) && [ "$counts" = 0 ] || return 1
    done
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        found = read_now(read_mounts(HERE)).find(check.subject)
        if found is None or not found.node:
            return no(f"the filesystem {check.subject} is not mounted; 'raidtui care' says how it can be")
        if check.expect == MOUNTED:
            return yes("it is mounted")
        if found.running is not None:
            return no(f"{found.running.what} has not ended")
        if check.expect == IDLE:
            return yes("nothing runs in it")
        if found.unread:
            return unknown("the state of its devices cannot be read")
        text = (
            f"{len(found.missing)} of {len(found.devices)} devices missing, {len(found.errors)} with errors"
        )
        return either(holds=not found.missing and (check.expect == COMPLETE or not found.errors), text=text)


MOUNTED: Final = "mounted"
IDLE: Final = "idle"
COMPLETE: Final = "complete"
CLEAN: Final = "clean"
MEMBER: Final = MemberIs()
DEVICE_IN: Final = DeviceIn()
DEVICE_OUT: Final = DeviceOut()
REDUNDANT: Final = Redundant()
STATE: Final = StateIs()


def judge(check: Check, block: Superblock | None) -> Answer:
    """Whether ``block`` makes its device the expected member."""
    if block is None:
        return no(f"{check.subject} has no valid Btrfs superblock")
    uuid, _, count = check.expect.partition(" ")
    text = f"{check.subject} is one of {block.devices} members of the Btrfs filesystem {block.uuid}"
    return either(holds=same_uuid(block.uuid, uuid) and str(block.devices) == count, text=text)
