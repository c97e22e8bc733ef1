"""Arrays that another system made: out of a NAS, or an old computer. What they are, as one thing. Pure.

An array is foreign if its disks have the partitions of a NAS, or its name has another host in it (mdadm(8), --homehost),
while nothing in /etc of this computer names it and nothing on it is in use for writing. Whoever uses such an array here
every day has named it, or has mounted it.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import normalize

from msgspec.structs import replace

from raidtui.advice.findings.nas_layouts import LAYOUTS, Layout, layout_of
from raidtui.backends.used_elsewhere import writer_of
from raidtui.machine.md.health import has_room_for_more
from raidtui.model.config_lines import ArrayNames
from raidtui.model.device_graph import graph_of
from raidtui.model.machine import Machine
from raidtui.model.spec import Backend
from raidtui.model.struct import Record
from raidtui.model.text import count_of, harmless, listed, spelled
from raidtui.model.unit import Health, Unit
from raidtui.model.uuids import bare

_HERE: Final = frozenset({"", "any", "localhost"})  # in place of a host: no host is meant


class ForeignSet(Record, frozen=True, kw_only=True):
    """The arrays of another system, which belong together."""

    name: str  # by which a command names it
    maker: str  # of the NAS; empty: another computer
    host: str  # which made its arrays, as far as their names say
    data: tuple[Unit, ...]  # the arrays with the data
    own: tuple[Unit, ...]  # those of the maker's system: its root filesystem, its swap space
    above: tuple[Unit, ...]  # the volume groups on them, as far as they can be seen
    disks: tuple[str, ...]  # identities of the disks that are here
    had: int  # how many disks the largest of its arrays has
    shape: str  # RAID5, SHR …

    @property
    def units(self) -> tuple[Unit, ...]:
        """All of it that this computer sees as units."""
        return (*self.data, *self.own, *self.above)

    @property
    def says(self) -> str:
        """What it is, in one line: "SHR of 4 disks from a Synology, 3 of 4 here"."""
        where = f"from a {self.maker}" if self.maker else "from another computer"
        if self.host:
            where += f" called {harmless(self.host)}"
        here = "all here" if len(self.disks) >= self.had else f"{len(self.disks)} of {self.had} here"
        return f"{self.shape} of {count_of(self.had, 'disk')} {where}, {here}"


def foreign_sets(machine: Machine, units: Sequence[Unit]) -> tuple[ForeignSet, ...]:
    """The foreign sets among ``units`` of a reading."""
    disks = {disk.identity: disk for disk in machine.disks if disk.identity}
    layouts = {identity: layout for identity, disk in disks.items() if (layout := layout_of(disk))}
    groups: list[tuple[set[str], str, list[Unit]]] = []
    for unit in units:
        if unit.backend is not Backend.MDADM or not unit.uuid or unit.level == "container":
            continue
        on = {member.disk for member in unit.members if member.disk}
        layout = next((layouts[one] for one in on if one in layouts), None)
        host = _host(unit)
        if not on or (layout is None and (host in _HERE or host == machine.system.hostname)):
            continue
        maker = layout.maker if layout is not None else ""
        if layout is None and not may_be_foreign(unit):
            continue
        same = [
            one for one in groups if one[1] == maker and (one[0] & on if maker else _host(one[2][0]) == host)
        ]
        for one in same:
            groups.remove(one)
        merged = [*(of for one in same for of in one[2]), unit]
        groups.append((on.union(*(one[0] for one in same)), maker, merged))
    sets = (_set(on, maker, of, units, machine, layouts) for on, maker, of in groups)
    found = [one for one in sets if one is not None]
    return tuple(_named(found))


def _set(
    on: set[str],
    maker: str,
    arrays: Sequence[Unit],
    units: Sequence[Unit],
    machine: Machine,
    layouts: dict[str, Layout],
) -> ForeignSet | None:
    if any(_is_ours(one, machine) for one in arrays):
        return None
    layout = next((layouts[one] for one in sorted(on) if one in layouts), None)
    numbers = {
        part.path: part.number for disk in machine.disks if disk.identity in on for part in disk.partitions
    }
    data: list[Unit] = []
    own: list[Unit] = []
    for unit in arrays:
        places = {numbers.get(member.path, 0) for member in unit.members if member.path}
        here = sum(member.slot is not None for member in unit.members)
        system = layout is not None and places <= set(layout.sizes)
        system = system or has_room_for_more(unit.level, unit.raid_disks, here)
        (own if system else data).append(unit)
    if not data:
        return None  # only the system's own: a disk that the NAS had in stock
    uuids = {one.uuid for one in arrays}
    above = [one for one in units if uuids & set(one.below)]
    if any(_in_use(one, machine) or writer_of(one, machine.disks) for one in (*arrays, *above)):
        return None
    data.sort(key=lambda one: (one.full_name, one.uuid))
    members = {member.disk for unit in data for member in unit.members if member.disk}
    return ForeignSet(
        name="",
        maker=maker,
        host=next((host for one in data if (host := _host(one)) not in _HERE), ""),
        data=tuple(data),
        own=tuple(own),
        above=tuple(above),
        disks=tuple(disk.identity for disk in machine.disks if disk.identity in members),
        had=max(len(members), *(one.raid_disks for one in data)),
        shape=_shape(layout, data, numbers),
    )


def _shape(layout: Layout | None, data: Sequence[Unit], numbers: dict[str, int]) -> str:
    """What it is called: the maker's hybrid RAID, or the levels of its arrays."""
    places = {numbers.get(member.path, 0) for unit in data for member in unit.members if member.path}
    if layout is not None and layout.hybrid_from and min(places) >= layout.hybrid_from:
        return layout.hybrid
    return listed(list(dict.fromkeys(spelled(one.level) or "array" for one in data)))


def _named(sets: Sequence[ForeignSet]) -> Iterator[ForeignSet]:
    """Each with a name of its own: the maker's, else the host's, with a number from the second on."""
    taken: dict[str, int] = {}
    for one in sets:
        word = _word(one.maker) or slug(one.host) or "foreign"
        taken[word] = number = taken.get(word, 0) + 1
        yield replace(one, name=word if number == 1 else f"{word}-{number}")


def maker_called(word: str) -> str:
    """The maker of a NAS whose disks a command finds by ``word``; empty if there is none."""
    return next((one.maker for one in LAYOUTS if _word(one.maker) == word.lower()), "")


def _word(maker: str) -> str:
    return maker.rpartition(" ")[2].lower()


def name_in_set(unit: Unit) -> str:
    """The name of a unit of a set, with its host, by which a command finds it."""
    return unit.full_name or unit.name


def slug(text: str) -> str:
    """``text`` with nothing but letters, digits and hyphens, as a name in a command and a folder."""
    plain = normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()  # "größe" is "grosse"
    kept = "".join(one if one.isalnum() else "-" for one in plain)
    return kept.strip("-")[:16].rstrip("-")


def _host(unit: Unit) -> str:
    """The host in the array's name; empty if it has none, as in metadata 0.90."""
    host, colon, _ = unit.full_name.partition(":")
    return host if colon else ""


def may_be_foreign(unit: Unit) -> bool:
    """Whether nothing has been written to it here since it was connected, as far as its state shows."""
    return unit.stopped or unit.health is Health.INACTIVE or unit.untouched or unit.read_only


def _is_ours(unit: Unit, machine: Machine) -> bool:
    """Whether mdadm.conf names it."""
    names = ArrayNames(
        uuid=bare(unit.uuid),
        full=frozenset({unit.full_name} - {""}),
        paths=frozenset({unit.path, f"/dev/md/{unit.full_name}"} - {"", "/dev/md/"}),
    )
    return any(names.are_in(line) for line in machine.system.mdadm_conf_arrays)


def _in_use(unit: Unit, machine: Machine) -> bool:
    """Whether something on it is mounted for writing, or in fstab."""
    graph = graph_of(machine)
    block = graph.at(unit.node) if unit.node else None
    above = (block, *graph.all_on(block)) if block is not None else ()
    writes = any("ro" not in one.mount.options.split(",") for one in graph.mounts_of(*above))
    return writes or any(one.path in machine.system.fstab_nodes for one in above)
