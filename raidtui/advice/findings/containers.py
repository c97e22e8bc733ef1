"""Encrypted containers: those that crypttab opens at boot and that are not open, and those open without their header. Pure."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from raidtui.advice.findings.containers_seen import (
    LUKS,
    OPENED,
    device_seen,
    opened_as,
    seen,
    uuid_of,
    without_partition,
    words_of,
)
from raidtui.advice.findings.header_remedies import A_COPY, ONLY_A_COPY, written_to_a_file
from raidtui.machine.md.made_again import seems_empty
from raidtui.model.config_lines import TAGS, name_in
from raidtui.model.device import Device
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.history import ContainerSeen
from raidtui.model.luks import Left
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, listed
from raidtui.model.uuids import bare

CRYPTTAB: Final = "/etc/crypttab"
_IN_HEADER: Final = frozenset({"UUID", "LABEL"})  # names that a header gives
_LATER: Final = "noauto"  # opened by a person, if at all
_NO_LUKS: Final = frozenset(
    {"plain", "swap", "tmp", "tcrypt", "tcrypt-hidden", "tcrypt-system", "bitlk", "fvault2"}
)
_PLAIN: Final = (
    "cipher=",
    "offset=",
    "header=",
)  # mostly of containers without a header, or with one elsewhere


class Closed(NamedTuple):
    """A line of crypttab that is not in effect."""

    name: str  # of the device that it makes
    source: str
    device: Device | None  # what it opens, if that is here
    options: tuple[str, ...]
    seen: ContainerSeen | None = None  # where it was when it was last seen, if the line names it by its UUID
    opened: str = ""  # under which other name it is open

    @property
    def lost_header(self) -> bool:
        """Whether what it opens is here, should begin with a LUKS header, and that is damaged or gone."""
        other = _NO_LUKS.intersection(self.options) or any(one.startswith(_PLAIN) for one in self.options)
        return (
            self.device is not None
            and not other
            and (self.device.luks is not None or self.device.type != LUKS or self.other_header)
        )

    @property
    def other_header(self) -> bool:
        """Whether the device has the header of another container than the one that the line names."""
        named = uuid_of(self.source)
        found = self.device is not None and self.device.type == LUKS and bare(self.device.uuid)
        return bool(named and found and found != named)


def closed(machine: Machine) -> Iterator[Closed]:
    """Every such line. None without udev and in old recordings: there it is not known where a line leads."""
    system, graph = machine.system, graph_of(machine)
    if not system.udev or len(system.crypttab) != len(system.crypttab_nodes):
        return
    for line, node in zip(system.crypttab, system.crypttab_nodes, strict=True):
        name, source, *rest = line.split()
        known = name_in(source).tag in TAGS or source.startswith("/dev/")
        if known and not any(one.dm_name == name for one in machine.devices):
            device = graph.at(node) if node else _by_uuid(source, machine)
            yield Closed(
                name,
                source,
                device,
                tuple(rest[1].split(",") if rest[1:] else ()),
                seen(source, machine),
                opened_as(source, machine),
            )


def _by_uuid(source: str, machine: Machine) -> Device | None:
    """The device whose damaged header has the UUID that ``source`` names, for which it has no link, or that had it once."""
    uuid = uuid_of(source)
    damaged = (one for one in machine.devices if uuid and one.luks and bare(one.luks.uuid) == uuid)
    return next(damaged, None) or device_seen(source, machine)


def to_open(source: str, machine: Machine) -> Iterator[Remedy]:
    """What to open first: the container that makes the device ``source`` of fstab, or each one in which it may be."""
    here = [one for one in closed(machine) if one.device is not None or one.opened]
    named = [one for one in here if source == mapped(one.name)]
    for one in named or ([] if source.startswith("/dev/") else here):
        if one.opened:
            yield Remedy(
                text=f"the encrypted container {harmless(one.name)} is open under another name: it is {mapped(harmless(one.opened))} now"
            )
            continue
        where = words_of(one.device, machine) if one.device is not None else ""
        sure = "" if named else ": it may be in it"
        do = "its header has to be put back first" if one.lost_header else "cryptsetup open"
        yield Remedy(
            text=f"open the encrypted container on {where} first, as {harmless(one.name)} ({do}){sure}"
        )


def mapped(name: str) -> str:
    """The device that a container of that name makes."""
    return f"/dev/mapper/{name}"


def container_findings(machine: Machine) -> Iterator[Finding]:
    """A finding for each container that is expected and not here, and each open one whose header is gone."""
    yield from _without_header(machine)
    for one in closed(machine):
        if one.device is None and not one.opened and _LATER not in one.options:
            yield _expected(one, machine)


def _expected(one: Closed, machine: Machine) -> Finding:
    """The finding for a container of which no device here is known."""
    by_header = name_in(one.source).tag in _IN_HEADER  # else its device is not here, whatever is on it
    empty = [] if one.seen else [array for array in machine.arrays if seems_empty(array, machine)]
    names = listed([harmless(array.shown) for array in empty])
    if one.seen is not None:
        why = f". It was on {harmless(one.seen.words)} when it was last seen, {one.seen.at[:10]}"
    else:
        why = ": it is not connected or not started, or its header was overwritten" if by_header else ""
    return Finding(
        name=one.name,
        kind=Kind.CONTAINER_EXPECTED,
        what=f"{CRYPTTAB} opens {one.source} as {one.name} at boot, and no device here is called so{why}",
        never=f"make a container or a filesystem on array {names}" if empty else "",
        remedies=(
            *(
                (
                    Remedy(
                        text=f"nothing known is on array {names}: the header of the container may have been overwritten. Only a copy of "
                        "the header opens it again (cryptsetup luksHeaderRestore)"
                    ),
                )
                if empty
                else ()
            ),
            Remedy(text=_to_find(one, machine, "if not, " if empty else "")),
            *(
                (
                    Remedy(
                        text=f"if all of them are here and started, its header was overwritten: {ONLY_A_COPY.text}"
                    ),
                )
                if by_header and not empty and one.seen is None
                else ()
            ),
            Remedy(text=f"if it is gone for good, remove its line from {CRYPTTAB}"),
        ),
    )


def _to_find(one: Closed, machine: Machine, before: str) -> str:
    """What brings the device of a container back."""
    if one.seen is None:
        return f"{before}connect its disks, or start what it is on"
    where = harmless(one.seen.words)
    if without_partition(one.seen, machine):
        return f"its partition is not on {where} any more: put the partition table back, without a new filesystem"
    return f"connect or start {where}"


def _without_header(machine: Machine) -> Iterator[Finding]:
    """The containers that are open, and whose device has no header any more. Some have it in another place from the start."""
    graph = graph_of(machine)
    elsewhere = {line.split()[0] for line in machine.system.crypttab if "header=" in line}
    for device in machine.devices:
        below = graph.below(device)
        if not device.dm_uuid.startswith(OPENED) or device.dm_name in elsewhere or len(below) != 1:
            continue
        luks = below[0].luks
        opens = below[0].type == LUKS and (luks is None or luks.left is Left.SECOND)
        if not machine.complete or opens:
            continue
        where = words_of(below[0], machine)
        now = f" but {below[0].type}" if below[0].type not in {"", LUKS} else ""
        yield Finding(
            name=device.dm_name,
            kind=Kind.HEADER_GONE,
            unit=next((one.uuid for one in machine.arrays if one.node == below[0].path), ""),
            what=f"the encrypted container {device.dm_name} is open, and {where} has no LUKS header any more{now}. Once it is closed, it cannot be opened again",
            never="close it, stop what it is on, or restart this computer",
            remedies=(
                Remedy(text="back up its data now, while it is open"),
                *written_to_a_file(below[0]),
                A_COPY,
                Remedy(text=f"if its header is kept in another place, say so in {CRYPTTAB}: header="),
            ),
        )
