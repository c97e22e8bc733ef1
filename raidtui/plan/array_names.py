"""By which names the computer knows an array: its nodes and links, its mounts, and lines of fstab and mdadm.conf. Pure."""

import posixpath
import re

from raidtui.machine import udev
from raidtui.machine.mounts import unescape
from raidtui.model.machine import Array, ConfiguredArray, Machine, System
from raidtui.plan.names import set_name
from raidtui.plan.uuids import bare, md_spelling


def address(array: Array) -> str:
    """The path of a running array: by its UUID where udev has made its links, so that it can be no other one."""
    return _by_uuid(array) if array.path else array.node


def nodes(array: Array) -> set[str]:
    """Its node and, where udev made it, its link in /dev/md."""
    return {node for node in (array.node, array.path) if node}


def is_node(source: str, array: Array, machine: Machine) -> bool:
    """Whether ``source`` is the array or a partition of it: ``/dev/md127p1``, ``/dev/md/tank1``."""
    if source in nodes(array):
        return True
    if any(source in nodes(other) for other in machine.arrays):
        return False  # an array called tank1 beside one called tank
    return any(
        re.fullmatch(re.escape(node) + (r"p\d+" if node[-1].isdigit() else r"\d+"), source)
        for node in nodes(array)
    )


def mountpoints(array: Array, machine: Machine) -> list[str]:
    """Where the array or a partition of it is mounted, the deepest first."""
    mounted = [mount.target for mount in machine.mounts if is_node(mount.source, array, machine)]
    places = dict.fromkeys([*mounted, *array.mountpoints])
    return sorted(places, key=lambda place: -place.count("/"))


def is_mounted_by(line: str, array: Array, machine: Machine) -> bool:
    """Whether a line of fstab mounts what is on ``array``.

    By what it names; by where it mounts only if that cannot be told: another disk may have its turn there, too.
    """
    fields = fields_of(line)
    if len(fields) < 2:
        return False
    source, target = fields[0], posixpath.normpath(fields[1])
    tag, _, value = source.partition("=")
    tag, value = tag.upper(), value.strip("\"'")
    uuids = {bare(s.uuid) for s in array.signatures if s.uuid}
    labels = {s.label for s in array.signatures if s.label}
    by_disk = "/dev/disk/by-"
    if tag == "UUID" or source.startswith(f"{by_disk}uuid/"):
        return bare(value or source.rpartition("/")[2]) in uuids
    if tag == "LABEL" or source.startswith(f"{by_disk}label/"):
        label = value or udev.unescape(source.rpartition("/")[2])
        return label in labels - _labels_of_others(array, machine) or (
            target in mountpoints(array, machine) and (not labels or label in labels)
        )
    links = {_by_uuid(array), f"{by_disk}id/md-name-{array.name}"}
    links.add(f"{by_disk}id/md-name-{machine.system.hostname}:{array.name}")
    if is_node(source, array, machine) or any(
        re.fullmatch(re.escape(link) + r"(-part\d+)?", source) for link in links
    ):
        return True
    may_be = source.startswith((f"{by_disk}id/md-", "/dev/md")) or tag in {"PARTUUID", "PARTLABEL"}
    others = {node for other in machine.arrays if other is not array for node in nodes(other)}
    return may_be and source not in others and target in mountpoints(array, machine)


def fields_of(line: str) -> list[str]:
    """The fields of a line of fstab as they are meant: it writes a blank in a name as ``\\040``."""
    return [unescape(field) for field in line.split()]


def entries_of(system: System) -> tuple[ConfiguredArray, ...]:
    """The ARRAY lines as they stand in their files; a reading of an older version has only what they say."""
    return system.mdadm_conf_entries or tuple(
        ConfiguredArray(text=text, file=system.mdadm_conf, lines=(text,)) for text in system.mdadm_conf_arrays
    )


def is_named_by(entry: ConfiguredArray, array: Array) -> bool:
    """Whether an ARRAY line means ``array``: by its UUID, and only without one by the name."""
    if uuid := _uuid_in(entry.text):
        return uuid == bare(array.uuid)
    words = entry.text.split()[1:]
    names = {array.path, f"/dev/md/{array.name}", array.name} - {"", "/dev/md/"}
    return bool(names & set(words[:1])) or any(set_name(word) == array.name for word in words if array.name)


def _by_uuid(array: Array) -> str:
    return f"/dev/disk/by-id/md-uuid-{md_spelling(array.uuid)}"


def _labels_of_others(array: Array, machine: Machine) -> set[str]:
    on_disks = {
        s.label
        for d in machine.disks
        for s in (*d.signatures, *(s for p in d.partitions for s in p.signatures))
    }
    return on_disks | {s.label for other in machine.arrays if other is not array for s in other.signatures}


def _uuid_in(line: str) -> str:
    for word in line.split():
        key, _, value = word.partition("=")
        if key.upper() == "UUID":
            return bare(value)
    return ""
