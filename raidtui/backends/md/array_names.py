"""The names of an array on this computer: nodes, links, mounts, and lines of fstab and mdadm.conf. Pure."""

import re

from raidtui.backends.md.names import md_spelling
from raidtui.model.config_lines import ArrayNames
from raidtui.model.device_graph import graph_of
from raidtui.model.machine import Array, Machine
from raidtui.model.system import ConfiguredArray
from raidtui.model.uuids import bare
from raidtui.steps.footprint import Footprint, own_lines


def address(array: Array) -> str:
    """The path of a running array: by UUID, which cannot mean another array, if udev has made its links."""
    return _by_uuid(array) if array.path else array.node


def nodes(array: Array) -> set[str]:
    """Its node, and its link in /dev/md if udev made one."""
    return {node for node in (array.node, array.path) if node}


def footprint_of(array: Array, machine: Machine) -> Footprint:
    """The array and its partitions, by every name of theirs."""
    graph = graph_of(machine)
    device = graph.at(array.node)
    own = (device, *graph.parts(device)) if device is not None else ()
    links = {link for one in own for link in one.links} | nodes(array) | _links(array, machine)
    return Footprint(
        nodes=frozenset({array.node, *(one.path for one in own)}),
        links=frozenset(links),
        signatures=array.signatures,
        family="/dev/md",
    )


def mountpoints(array: Array, machine: Machine) -> list[str]:
    """Where the array or a partition of it is mounted, deepest first."""
    mounted = footprint_of(array, machine).places(machine)
    places = dict.fromkeys([*mounted, *array.mountpoints])
    return sorted(places, key=lambda place: -place.count("/"))


def is_mounted_by(line: str, array: Array, machine: Machine) -> bool:
    """Whether a line of fstab mounts what is on ``array``."""
    return line in own_lines(footprint_of(array, machine), machine)


def entries_of(array: Array, machine: Machine) -> list[ConfiguredArray]:
    """The ARRAY lines that mean ``array``; readings by an older version have the joined text only."""
    system = machine.system
    entries = system.mdadm_conf_entries or tuple(
        ConfiguredArray(text=text, file=system.mdadm_conf, lines=(text,)) for text in system.mdadm_conf_arrays
    )
    # If arrays of two computers have the same name, a line without a host name means neither.
    shared = _is_shared(array.name, array, machine)
    alone = not shared or array.path == f"/dev/md/{array.name}"
    names = ArrayNames(
        uuid=bare(array.uuid),
        full=frozenset(full_names(array, machine)),
        name="" if shared else array.name,
        paths=frozenset({array.path, *((f"/dev/md/{array.name}", array.name) if alone else ())})
        - {"", "/dev/md/"},
    )
    return [one for one in entries if names.are_in(one.text)]


def _by_uuid(array: Array) -> str:
    return f"/dev/disk/by-id/md-uuid-{md_spelling(array.uuid)}"


def _links(array: Array, machine: Machine) -> set[str]:
    """Its links in /dev/disk/by-id; udev replaces characters that it does not allow in a name by "_"."""
    names = full_names(array, machine)
    if not names and not _is_shared(array.name, array, machine):
        names = {array.name, f"{machine.system.hostname}:{array.name}"}
    names |= {re.sub(r"[^\w#+.:=@-]", "_", name) for name in names}
    return {_by_uuid(array), *(f"/dev/disk/by-id/md-name-{name}" for name in names)}


def full_names(array: Array, machine: Machine) -> set[str]:
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
