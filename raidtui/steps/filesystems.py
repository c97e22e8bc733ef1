"""Conditions on filesystems: type and UUID, stripe geometry, and mount point."""

import os
from pathlib import Path
from typing import Final

from raidtui.machine.contents.signatures import probe, wipefs_answers
from raidtui.machine.contents.stripes import reported_geometry
from raidtui.machine.devices import device_number
from raidtui.machine.mounted import find_mounts
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.machine import Mount
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Condition, Held


class FilesystemIs(Condition):
    """The device has the filesystem of the expected type and UUID."""

    kind = "filesystem"
    says = "{subject} has the filesystem {expect}"
    source = r"""
has_filesystem() {
    files_node=$(node_of "$1") && contents=$(contents_of "$files_node") || return 1
    printf '%s\n' "$contents" | grep -qxF -e "disk $2 $3"
}"""
    can_be_half_true = True  # the superblock may have reached the disk without the rest of the filesystem

    def ask(self, check: Check, held: Held) -> Answer:
        if not device_number(check.subject):
            return no(f"there is no {check.subject}")
        probed = probe([check.subject])
        if check.subject in probed.failed:
            return unknown(f"cannot read what is on {check.subject}: {probed.failed[check.subject]}")
        found = probed.found[check.subject]
        if not found and not wipefs_answers():
            return unknown(f"{check.subject}: wipefs does not answer, so what is on it is not known")
        kind, _, uuid = check.expect.partition(" ")
        text = f"{check.subject} has {', '.join(f'{s.type} {s.uuid}' for s in found) or 'no signature'}"
        holds = any(s.type == kind and same_uuid(s.uuid, uuid) for s in found)
        return either(holds=holds, text=text)


class Geometry(Condition):
    """The filesystem on the device reports the expected stripe geometry: ``stride=128 stripe_width=384``."""

    kind = "geometry"
    says = "the filesystem on {subject} reports {expect}"
    source = r"""
has_geometry() {
    device=$1
    shift
    reported=$(
        asked dumpe2fs -h "$device" 2>/dev/null |
            sed -n -e 's/^RAID stride: */stride=/p' -e 's/^RAID stripe width: */stripe_width=/p'
        asked xfs_info "$device" 2>/dev/null |
            awk '/swidth=/ { for (i = 1; i <= NF; i++) if ($i ~ /^s(unit|width)=/) print $i }'
    )
    for word; do printf '%s\n' "$reported" | grep -qxF -e "$word" || return 1; done
}"""
    can_be_half_true = True

    def ask(self, check: Check, held: Held) -> Answer:
        wanted = dict(word.split("=", 1) for word in check.expect.split())
        found = reported_geometry(check.subject, wanted)
        if not found:
            return unknown(f"{check.subject} does not report its geometry")
        text = f"{check.subject} reports " + " ".join(f"{key}={found.get(key, 'nothing')}" for key in wanted)
        return either(holds=all(found.get(key) == value for key, value in wanted.items()), text=text)


class MountedAt(Condition):
    """The filesystem with the expected UUID is mounted at the subject."""

    kind = "mounted"
    says = "the filesystem {expect} is mounted at {subject}"
    source = r"""
is_mounted() { [ "$(asked findmnt --noheadings --output UUID --mountpoint "$1" | tail -n 1)" = "$2" ]; }"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        mount = mount_at(check.subject)
        if mount is None:
            return no(f"nothing is mounted at {check.subject}")
        probed = probe([mount.source] if device_number(mount.source) else [])
        if mount.source in probed.failed:
            return unknown(f"cannot read what is on {mount.source}: {probed.failed[mount.source]}")
        uuids = [s.uuid for s in probed.found.get(mount.source, ())]
        text = f"{mount.source} ({', '.join(uuids) or 'without a UUID'}) is mounted at {check.subject}"
        return either(holds=any(same_uuid(uuid, check.expect) for uuid in uuids), text=text)


class NotMounted(Condition):
    """Nothing is mounted at the subject, a mount point or a device."""

    kind = "not-mounted"
    says = "{subject} is not mounted"
    source = r"""
is_not_mounted() {
    # Whatever answers must know that / is mounted.
    [ "$(asked findmnt --noheadings --first-only --output TARGET --mountpoint /)" = / ] || return 1
    mounted=0
    mounts=$(asked findmnt --noheadings "$1") || mounted=$?
    [ "$mounted" -eq 1 ] && [ -z "$mounts" ]
}"""
    can_be_lost = True

    def ask(self, check: Check, held: Held) -> Answer:
        number = device_number(check.subject)
        for mount in find_mounts():
            if mount.target == os.path.normpath(check.subject) or (
                number and number in {mount.device_number, device_number(mount.source)}
            ):
                return no(f"{mount.source} is mounted at {mount.target}")
        return yes(f"{check.subject} is not mounted")


class EmptyDirectory(Condition):
    """The subject is an empty directory, not through a symbolic link, with nothing mounted on it."""

    kind = "directory"
    says = "{subject} is an empty directory"
    source = r"""
is_empty_folder() {
    [ -d "$1" ] && [ "$(readlink -f "$1")" = "$1" ] || return 1
    names=$(ls -A "$1") && [ -z "$names" ] || return 1
    for name in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        ! [ -e "$name" ] && ! [ -L "$name" ] || return 1
    done
}"""
    can_be_lost = True
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        path = Path(check.subject)
        if not path.is_dir():
            return no(f"{path} is not a directory")
        if (real := os.path.realpath(path)) != str(path):
            # mount(8) follows the link, so the mount would appear under the real name only.
            return no(f"{path} is a link or below one; use {real} as the mount point")
        if mount_at(check.subject) is not None:
            return no(f"something is mounted at {path}")
        return no(f"{path} is not empty") if any(path.iterdir()) else yes(f"{path} is an empty directory")


FILESYSTEM: Final = FilesystemIs()
GEOMETRY: Final = Geometry()
MOUNTED: Final = MountedAt()
NOT_MOUNTED: Final = NotMounted()
DIRECTORY: Final = EmptyDirectory()


def mount_at(target: str) -> Mount | None:
    """The visible mount at ``target``: the last one if several are stacked."""
    found = [mount for mount in find_mounts() if mount.target == os.path.normpath(target)]
    return found[-1] if found else None
