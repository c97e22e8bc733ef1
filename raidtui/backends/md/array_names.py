"""The names of an array on this computer: nodes, links, mounts, and lines of fstab and mdadm.conf. Pure."""

import posixpath
import re

from raidtui.backends.md.names import md_spelling, set_name
from raidtui.model.machine import Array, Machine
from raidtui.model.system import ConfiguredArray, System
from raidtui.model.uuids import bare
from raidtui.steps.footprint import Footprint, own_lines
from raidtui.steps.fstab import fields_of


def address(array: Array) -> str:
    """The path of a running array: by UUID, which cannot mean another array, if udev has made its links."""
    return _by_uuid(array) if array.path else array.node


def nodes(array: Array) -> set[str]:
    """Its node, and its link in /dev/md if udev made one."""
    return {node for node in (array.node, array.path) if node}


def is_node(source: str, array: Array, machine: Machine) -> bool:
    """Whether ``source`` is the array or a partition of it: ``/dev/md127p1``, ``/dev/md/tank1``."""
    if source in nodes(array):
        return True
    if any(source in nodes(other) for other in machine.arrays):
        return False  # an array named tank1 beside one named tank
    return any(
        re.fullmatch(re.escape(node) + (r"p\d+" if node[-1].isdigit() else r"\d+"), source)
        for node in nodes(array)
    )


def footprint_of(array: Array, machine: Machine) -> Footprint:
    """The array and its partitions, by every name of theirs."""
    named = [*machine.system.fstab_nodes, *(path for m in machine.mounts for path in (m.device, m.source))]
    named += [fields[0] for line in machine.system.fstab if (fields := fields_of(line))]
    named += [fields[1] for line in machine.system.crypttab if len(fields := fields_of(line)) > 1]
    named += [s.device for s in array.signatures]
    own = {path for path in map(posixpath.normpath, filter(None, named)) if _is_own(path, array, machine)}
    return Footprint(
        nodes=frozenset({array.node, *own}),
        links=frozenset(own | nodes(array)),
        signatures=array.signatures,
        family="/dev/md",
    )


def _is_own(path: str, array: Array, machine: Machine) -> bool:
    if path.startswith("/dev/disk/by-id/md-"):
        return re.sub(r"-part\d+$", "", path) in _links(array, machine)
    return is_node(path, array, machine)


def mountpoints(array: Array, machine: Machine) -> list[str]:
    """Where the array or a partition of it is mounted, deepest first."""
    mounted = footprint_of(array, machine).places(machine)
    places = dict.fromkeys([*mounted, *array.mountpoints])
    return sorted(places, key=lambda place: -place.count("/"))


def is_mounted_by(line: str, array: Array, machine: Machine) -> bool:
    """Whether a line of fstab mounts what is on ``array``."""
    return line in own_lines(footprint_of(array, machine), machine)


def entries_of(system: System) -> tuple[ConfiguredArray, ...]:
    """The ARRAY lines as written in their files; readings by an older version have the joined text only."""
    return system.mdadm_conf_entries or tuple(
        ConfiguredArray(text=text, file=system.mdadm_conf, lines=(text,)) for text in system.mdadm_conf_arrays
    )


def is_named_by(entry: ConfiguredArray, array: Array, machine: Machine) -> bool:
    """Whether an ARRAY line means ``array``: by its UUID, else by the name in its superblocks, or its path.

    If arrays of two computers have the same name, a line without a host name matches neither.
    """
    if uuid := _uuid_in(entry.text):
        return uuid == bare(array.uuid)
    words = entry.text.split()[1:]
    full, shared = _full_names(array, machine), _is_shared(array.name, array, machine)
    for word in words:
        if name := set_name(word):
            whole = word.partition("=")[2]
            if ":" in whole and full:
                return whole in full
            return whole in full or (name == array.name and not shared)
    by_name = (
        set() if shared and array.path != f"/dev/md/{array.name}" else {f"/dev/md/{array.name}", array.name}
    )
    return bool(({array.path, *by_name} - {"", "/dev/md/"}) & set(words[:1]))


def _by_uuid(array: Array) -> str:
    return f"/dev/disk/by-id/md-uuid-{md_spelling(array.uuid)}"


def _links(array: Array, machine: Machine) -> set[str]:
    """Its links in /dev/disk/by-id; udev replaces characters that it does not allow in a name by "_"."""
    names = _full_names(array, machine)
    if not names and not _is_shared(array.name, array, machine):
        names = {array.name, f"{machine.system.hostname}:{array.name}"}
    names |= {re.sub(r"[^\w#+.:=@-]", "_", name) for name in names}
    return {_by_uuid(array), *(f"/dev/disk/by-id/md-name-{name}" for name in names)}


def _full_names(array: Array, machine: Machine) -> set[str]:
    """Its full name in the superblocks of its members, with the host: ``lab:tank``."""
    return {label for uuid, label in _superblocks(machine) if label and uuid == bare(array.uuid)}


def _is_shared(name: str, array: Array, machine: Machine) -> bool:
    """Whether an array other than ``array``, running or not, has the name too."""
    running = {n for a in machine.arrays if a is not array for n in (a.name, a.path.removeprefix("/dev/md/"))}
    stopped = {label.rpartition(":")[2] for uuid, label in _superblocks(machine) if uuid != bare(array.uuid)}
    return name in running | stopped


def _superblocks(machine: Machine) -> list[tuple[str, str]]:
    """UUID and label of every superblock on the disks."""
    return [
        (bare(s.uuid), s.label)
        for d in machine.disks
        for s in d.every_signature
        if s.type == "linux_raid_member"
    ]


def _uuid_in(line: str) -> str:
    for word in line.split():
        key, _, value = word.partition("=")
        if key.upper() == "UUID":
            return bare(value)
    return ""
