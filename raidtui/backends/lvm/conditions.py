"""Conditions on LVM: physical volumes, volume groups and their volumes. A group is identified by its plan's mark."""

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from raidtui.backends.lvm.names import VOLUME
from raidtui.backends.lvm.report import PhysicalVolume, Reading, read_lvm
from raidtui.backends.lvm.status import RaidStatus, device_name, read_statuses
from raidtui.backends.lvm.volumes import with_redundancy
from raidtui.machine.ask import ask_patiently
from raidtui.machine.devices import device_number
from raidtui.model.answer import Answer, either, no, unknown, yes
from raidtui.model.plan import Check
from raidtui.model.uuids import same_uuid
from raidtui.steps.condition import Condition, Held


class OfLvm(Condition):
    """A condition answered from LVM's report; one report answers all of a kind."""

    def ask(self, check: Check, held: Held) -> Answer:
        return self.ask_all([check], held)[0]

    def ask_all(self, checks: Sequence[Check], held: Held) -> list[Answer]:
        known = read_lvm(ask_patiently)
        if known is None:
            return [unknown("LVM's report cannot be read")] * len(checks)
        return [self.judge(check, known) for check in checks]

    @abstractmethod
    def judge(self, check: Check, known: Reading) -> Answer:
        """Answer ``check`` from a reading."""


class PhysicalVolumeIs(OfLvm):
    """The device is the physical volume with the expected UUID, whole, and not yet in a volume group.

    A power cut may leave its label without its metadata area, and no vgcreate takes it then.
    """

    kind = "physical-volume"
    says = "{subject} is the physical volume {expect}, in no volume group"
    source = r"""
# LVM groups the digits of a UUID in its own way.
is_physical_volume() {
    volume_node=$(node_of "$1") && wanted=$(printf %s "$2" | tr -d -) && [ -n "$wanted" ] || return 1
    [ "$(asked lvm pvs --noheadings --options pv_uuid,vg_name,pv_mda_count "$volume_node" | tr -d ' -')" = "${wanted}1" ]
}"""

    def judge(self, check: Check, known: Reading) -> Answer:
        return judge_device(check, device_at(check.subject, known))


class GroupIs(OfLvm):
    """The group with the mark has the expected name and number of physical volumes, none missing."""

    kind = "volume-group"
    says = "the volume group {subject} is called {first} and has {rest} disks"
    shell = "is_group"
    source = r"""
# What LVM says in the columns $2 of the group that a plan knows by $1: its UUID, or a tag.
of_group() {
    rows=$(asked lvm vgs --noheadings --separator ' ' --options "$2" \
        --select "vg_uuid=\"$1\" || vg_tags={\"raidtui.$1\"}") || return 1
    printf '%s\n' "$rows" | sed -e 's/^ *//' -e 's/ *$//'
}
is_group() { [ "$(of_group "$1" vg_name,pv_count,vg_missing_pv_count)" = "$2 $3 0" ]; }"""

    def judge(self, check: Check, known: Reading) -> Answer:
        group = known.group(check.subject)
        if group is None:
            return no(f"there is no volume group {check.subject}")
        count = len(known.devices_of(group))
        text = f"the volume group {group.name} has {count} disks, {group.missing} missing"
        return either(holds=f"{group.name} {count}" == check.expect and not group.missing, text=text)


class GroupGone(OfLvm):
    """There is no group with the mark."""

    kind = "volume-group-gone"
    says = "there is no volume group {subject}"
    source = r"""
group_gone() { has_no_rows vgs vg "$1"; }
# Does LVM's report $1 say, as JSON, that there is no $2 of the group that a plan knows by $3?
has_no_rows() {
    report=$(asked lvm "$1" --reportformat json --options "$2_name" \
        --select "vg_uuid=\"$3\" || vg_tags={\"raidtui.$3\"}") || return 1
    case $(printf '%s' "$report" | tr -d '[:space:]') in *"\"$2\":[]"*) ;; *) return 1 ;; esac
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading) -> Answer:
        group = known.group(check.subject)
        return no(f"the volume group {group.name} is there") if group else yes("it is gone")


class VolumeRuns(OfLvm):
    """The volume of the group with the mark is active and complete, with the expected type, disks and bytes."""

    kind = "volume-runs"
    says = "the volume of the group {subject} is active, by type, disks and bytes: {expect}"
    source = r"""
# One that lvcreate left half made shows its metadata as volumes beside it.
volume_runs() {
    [ "$(of_volumes "$1" lv_name,lv_size,lv_active | sort -u)" = "data $4 active" ] &&
        [ "$(of_volumes "$1" segtype | sort -u)" = "$2" ] &&
        [ "$(of_group "$1" pv_count,vg_missing_pv_count)" = "$3 0" ]
}
of_volumes() { # with --all as $3 also the hidden ones
    rows=$(asked lvm lvs ${3:+"$3"} --noheadings --separator ' ' --units b --nosuffix --options "$2" \
        --select "vg_uuid=\"$1\" || vg_tags={\"raidtui.$1\"}") || return 1
    printf '%s\n' "$rows" | sed -e 's/^ *//' -e 's/ *$//' -e 's/[][]//g'
}"""
    runs_unit = True

    def judge(self, check: Check, known: Reading) -> Answer:
        group = known.group(check.subject)
        volume = next((one for one in known.of(group) if one.name == VOLUME), None) if group else None
        if group is None or volume is None:
            return no(f"there is no volume {VOLUME} in the group {check.subject}")
        legs = known.legs(volume)
        devices = {path for leg in legs for path in leg}  # a linear one may have several segments on each
        state = "half made" if known.half_made(volume) else "active" if volume.active else "not active"
        missing = sum("" in leg for leg in legs)
        text = (
            f"{group.name}/{volume.name} is {volume.type} on {len(devices)} disks, {missing} missing, with "
            f"{volume.size_bytes:,} bytes, {state}"
        )
        holds = check.expect == f"{volume.type} {len(devices)} {volume.size_bytes}" and state == "active"
        return either(holds=holds and not missing, text=text)


class VolumesGone(OfLvm):
    """The group with the mark has no volumes, or does not exist."""

    kind = "volumes-gone"
    says = "the volume group {subject} has no volumes"
    source = r"""
volumes_gone() { has_no_rows lvs lv "$1"; }"""

    def judge(self, check: Check, known: Reading) -> Answer:
        group = known.group(check.subject)
        names = [one.name for one in known.volumes if group and one.group == group.uuid]
        return no(f"there is {', '.join(names)}") if names else yes("it has no volumes")


class NameFree(Condition):
    """The name is free in /dev: otherwise LVM could not create the group's directory there."""

    kind = "name-free"
    says = "there is no {subject}"
    source = r"""
is_name_free() { ! [ -e "$1" ] && ! [ -L "$1" ]; }"""
    may_be_older = True

    def ask(self, check: Check, held: Held) -> Answer:
        return no(f"{check.subject} is there") if os.path.lexists(check.subject) else yes("it is free")


class Uses(OfLvm):
    """The device is a physical volume of the group with the expected UUID: in the ``group``, or under ``volume`` NAME of it,
    or under any of its ``volumes``.
    """

    kind = "lvm-uses"
    says = "{subject} is in the volume group {first}, as far as its {rest}"
    source = r"""
lvm_uses() {
    lvm_node=$(node_of "$1") && wanted=$(printf %s "$2" | tr -d -) && [ -n "$wanted" ] || return 1
    [ "$(asked lvm pvs --noheadings --options vg_uuid "$lvm_node" | tr -d ' -')" = "$wanted" ] || return 1
    [ "$3" = group ] && return
    [ "$3" = volumes ] && { [ "$(lvm_used "$1")" -gt 0 ]; return; }
    parts=$(asked lvm pvs --noheadings --segments --options lv_name "$lvm_node") || return 1
    printf '%s\n' "$parts" | sed -e 's/[][ ]//g' -e 's/_rimage_[0-9]*$//' -e 's/_rmeta_[0-9]*$//' -e 's/_t\(data\|meta\)$//' | grep -qFx "$4"
}
lvm_used() { # the bytes of volumes on the device $1
    lvm_node=$(node_of "$1") && asked lvm pvs --noheadings --units b --nosuffix --options pv_used "$lvm_node" | tr -d ' '
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading) -> Answer:
        uuid, _, wanted = check.expect.partition(" ")
        device, group = device_at(check.subject, known), known.group(uuid)
        if group is None and any(one.damaged for one in known.devices):
            return unknown("LVM cannot read the metadata of a volume group")
        if group is None or device is None or device.group != group.uuid:
            return no(f"{check.subject} is not in the volume group {uuid}")
        seen = dict.fromkeys((*known.of(group), *with_redundancy(group, known)))
        volumes = [one.name for one in seen if known.is_on(device, one)]
        text = f"{check.subject} is in {group.name}, under {', '.join(volumes) or 'no volume'}"
        if wanted in {"group", "volumes"}:
            return either(holds=wanted == "group" or bool(known.on_device(device)), text=text)
        return either(holds=wanted.removeprefix("volume ") in volumes, text=text)


class Left(OfLvm):
    """The device is in no volume group, and the group with the expected UUID lacks no disk."""

    kind = "lvm-left"
    says = "{subject} is not in the volume group {expect}, which lacks no disk"
    splits = False
    source = r"""
lvm_left() {
    [ "$(of_group "$2" vg_missing_pv_count)" = 0 ] || return 1
    is_there "$1" || return 0
    left_node=$(node_of "$1") && report=$(asked lvm pvs --reportformat json --options vg_uuid "$left_node") || return 1
    case $(printf '%s' "$report" | tr -d '[:space:]') in *'"vg_uuid":""'*) ;; *) return 1 ;; esac
}"""

    def judge(self, check: Check, known: Reading) -> Answer:
        group, device = known.group(check.expect), device_at(check.subject, known)
        if group is None:
            return no(f"there is no volume group {check.expect}")
        inside = device is not None and bool(device.group)
        text = f"{check.subject} is in {'a' if inside else 'no'} volume group; {group.name} lacks {group.missing} disks"
        return either(holds=not inside and not group.missing, text=text)


class Empty(OfLvm):
    """The device is in the volume group with the expected UUID, and no part of a volume is on it."""

    kind = "lvm-empty"
    says = "no volume of the group {expect} is on {subject}"
    splits = False
    source = r"""
lvm_empty() {
    lvm_uses "$1" "$2" group && [ "$(lvm_used "$1")" = 0 ]
}"""

    def judge(self, check: Check, known: Reading) -> Answer:
        device, group = device_at(check.subject, known), known.group(check.expect)
        if group is None or device is None or device.group != group.uuid:
            return no(f"{check.subject} is not in the volume group {check.expect}")
        names = [one.name for one in known.on_device(device)]
        return either(
            holds=not names,
            text=f"{check.subject} is in {group.name}, under {', '.join(names) or 'no volume'}",
        )


class InSync(Condition):
    """Volumes of a group are in sync, each on the expected number of legs; see `VolumeWhole` and `LegInSync`."""

    def ask_all(self, checks: Sequence[Check], held: Held) -> list[Answer]:
        known, statuses = read_lvm(ask_patiently), read_statuses(ask_patiently)
        if known is None or statuses is None:
            return [unknown("LVM's report cannot be read")] * len(checks)
        return [self.judge(check, known, statuses) for check in checks]

    def ask(self, check: Check, held: Held) -> Answer:
        return self.ask_all([check], held)[0]

    @abstractmethod
    def judge(self, check: Check, known: Reading, statuses: Mapping[str, RaidStatus]) -> Answer:
        """Answer ``check`` from a reading."""


class VolumeWhole(InSync):
    """The group with this UUID lacks no disk, and each expected volume, NAME:LEGS, is in sync on that number of legs."""

    kind = "lvm-whole"
    says = "the volume group {subject} lacks no disk and is in sync, by volumes and their disks: {expect}"
    source = r"""
lvm_whole() {
    [ "$(of_group "$1" vg_missing_pv_count)" = 0 ] && lvm_in_sync "$@"
}
# Are the volumes $2 $3 ..., each NAME:LEGS, of the group $1 in sync?
lvm_in_sync() {
    lvm_uuid=$1 && shift
    for lvm_one; do
        lvm_row=$(of_volumes "$lvm_uuid" lv_name,copy_percent,raid_sync_action,stripes,lv_health_status --all) || return 1
        printf '%s\n' "$lvm_row" | grep -qFx "${lvm_one%:*} 100.00 idle ${lvm_one#*:}" || return 1
    done
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading, statuses: Mapping[str, RaidStatus]) -> Answer:
        return _whole(check.subject, check.expect, known, statuses)


class LegInSync(InSync):
    """The device is under the expected volume, NAME:LEGS, of the group with the UUID, in sync on that number of legs."""

    kind = "lvm-leg"
    says = "{subject} is in sync in the volume group {first}, by volume and its disks: {rest}"
    source = r"""
lvm_leg() {
    lvm_uses "$1" "$2" volume "${3%:*}" && lvm_in_sync "$2" "$3"
}"""
    can_be_lost = True

    def judge(self, check: Check, known: Reading, statuses: Mapping[str, RaidStatus]) -> Answer:
        uuid, _, volume = check.expect.partition(" ")
        used = USES.judge(USES.of(check.subject, f"{uuid} volume {volume.rpartition(':')[0]}"), known)
        if not used.holds:
            return used
        return _whole(uuid, volume, known, statuses, lacks_none=False)


def _whole(
    uuid: str, volumes: str, known: Reading, statuses: Mapping[str, RaidStatus], *, lacks_none: bool = True
) -> Answer:
    group = known.group(uuid)
    if group is None:
        return no(f"there is no volume group {uuid}")
    wanted = [one.rpartition(":") for one in volumes.split()]
    found = {name: statuses.get(device_name(group.name, name)) for name, _, _ in wanted}
    if unread := [name for name, status in found.items() if status is None]:
        return no(f"the status of {group.name}/{unread[0]} is not known")
    whole, texts = True, []
    for name, _, legs in wanted:
        if (status := found[name]) is not None:
            texts.append(f"{name}: {status.letters}, {status.action or 'idle'}")
            whole = whole and status.settled and str(len(status.letters)) == legs
    text = f"{group.name}: {'; '.join([*texts, f'{group.missing} missing'])}"
    return either(holds=whole and not (lacks_none and group.missing), text=text)


PHYSICAL_VOLUME: Final = PhysicalVolumeIs()
GROUP: Final = GroupIs()
GROUP_GONE: Final = GroupGone()
VOLUME_RUNS: Final = VolumeRuns()
VOLUMES_GONE: Final = VolumesGone()
NAME_FREE: Final = NameFree()
USES: Final = Uses()
LEFT: Final = Left()
EMPTY: Final = Empty()
VOLUME_WHOLE: Final = VolumeWhole()
LEG_IN_SYNC: Final = LegInSync()


def device_at(path: str, known: Reading) -> PhysicalVolume | None:
    """The physical volume on the device at ``path``, even if LVM uses another path."""
    number = device_number(path)
    return next((one for one in known.devices if number and device_number(one.path) == number), None)


def judge_device(check: Check, device: PhysicalVolume | None) -> Answer:
    """Whether ``device`` is the expected physical volume and not yet in a group."""
    if device is None:
        return no(f"{check.subject} is not a physical volume")
    where = "half made" if device.no_area else f"in {'a' if device.group else 'no'} group"
    text = f"{check.subject} is the physical volume {device.uuid}, {where}"
    holds = same_uuid(device.uuid, check.expect) and not device.group and not device.no_area
    return either(holds=holds, text=text)
