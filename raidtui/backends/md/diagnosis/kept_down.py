"""What mdadm.conf says that keeps mdadm from starting an array. Pure.

Measured with mdadm 4.2: what two ARRAY lines mean is not started at boot ("cannot decide which to use"), and with two
lines of one name 'mdadm --assemble --scan' starts no array at all. The latter does not start an array whose line names
another level or number of members; one with another name in its superblocks comes back as /dev/md127.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from raidtui.backends.md.array_names import entries_of, full_names
from raidtui.model.config_lines import uuid_in
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Array, Machine
from raidtui.model.procedure import Configure
from raidtui.model.system import ConfiguredArray, System
from raidtui.model.text import harmless, listed
from raidtui.model.unit_names import command_word
from raidtui.model.uuids import bare

_IGNORE: Final = "<ignore>"
_LINKS_NOT_KNOWN: Final = (
    "/dev/disk/by-path",
    "/dev/disk/by-part",
    "/dev/disk/by-uuid",
    "/dev/disk/by-label",
)
_LEVELS: Final = {"mirror": "1", "stripe": "0", "mp": "multipath"}  # pers[] in mdadm's maps.c


def kept_down(machine: Machine) -> Iterator[Finding]:
    """A finding for each array that runs, and that the configuration keeps from starting. Pure."""
    for array in machine.arrays:
        if not array.started or not machine.complete or array.sync_action not in {"", "idle"}:
            continue
        lines, devices = wrong_lines(array, machine), _devices(array, machine)
        if lines or devices:
            yield Finding(
                name=command_word(array, machine.arrays),
                kind=Kind.KEPT_DOWN,
                what=f"array {array.shown}: in {machine.system.mdadm_conf}, {listed([*lines, *devices])}",
                unit=array.uuid,
                remedies=tuple(_remedies(array, machine, lines=lines, devices=devices)),
            )


def beforehand(array: Array, machine: Machine) -> tuple[Remedy, ...]:
    """What must be corrected before ``array``, which is not started, can be: mdadm refuses its members till then."""
    lines, devices = _refused(array, machine), _devices(array, machine)
    if not machine.complete or not (lines or devices):
        return ()
    return tuple(_remedies(array, machine, lines=lines, devices=devices, why=True))


def afterwards(array: Array, machine: Machine) -> Iterator[Remedy]:
    """For one that is not started, but can be: what would keep it down at the next boot too."""
    if machine.complete and (found := wrong_lines(array, machine)):
        yield Remedy(text=f"then correct {machine.system.mdadm_conf}: {listed(found)}")


def _remedies(
    array: Array, machine: Machine, *, lines: list[str], devices: list[str], why: bool = False
) -> Iterator[Remedy]:
    if lines:
        seen = f": {listed(lines)}" if why else ""
        others = [one for own in entries_of(array, machine)[:1] for one in namesakes(array, own, machine)]
        if others:
            seen += (
                ". If another array of this name still exists, connect its disks first: its line is removed"
            )
        yield Remedy(
            text=f"give it one line of its own in mdadm.conf{seen}", procedure=Configure(unit=array.uuid)
        )
    if devices:
        seen = f": {listed(devices)}" if why else ""
        yield Remedy(text=f"add the word partitions to the DEVICE line of mdadm.conf{seen}")


def wrong_lines(array: Array, machine: Machine) -> list[str]:
    """What is wrong with the ARRAY lines that mean ``array`` or have its name, in words."""
    if found := _refused(array, machine):
        return found
    own = next(iter(entries_of(array, machine)), None)
    if own is None:
        return []
    if others := [*namesakes(array, own, machine)]:
        return [
            f"{len(others) + 1} ARRAY lines have its name, so mdadm starts no array where it assembles by scanning"
        ]
    if unfit := [*_unfit(own.text, array, machine)]:
        return [f"its line says {listed(unfit)}, so mdadm may not start it by that line"]
    return []


def _refused(array: Array, machine: Machine) -> list[str]:
    """Why mdadm does not take its members at boot, nor by 'mdadm --incremental'."""
    entries = entries_of(array, machine)
    if not entries and not _is_automatic(array, machine):
        return ["it has no ARRAY line and AUTO leaves it out, so mdadm does not start it"]
    if any(_IGNORE in one.text.lower().split()[1:2] for one in entries):
        return [f"'ARRAY {_IGNORE}' means it, so mdadm does not start it"]
    return [f"{len(entries)} ARRAY lines mean it, so mdadm does not start it"] if len(entries) > 1 else []


def _is_automatic(array: Array, machine: Machine) -> bool:
    """Whether mdadm starts it without an ARRAY line: the first word of AUTO that fits decides (mdadm.conf(5))."""
    own = {one.rpartition(":")[0] for one in full_names(array, machine)} <= {"", machine.system.hostname}
    metadata = array.metadata.lower()
    for word in (one.lower() for one in machine.system.mdadm_conf_auto):
        kind = word[1:]
        fits = kind in {"all", metadata} or (kind == "1.x" and metadata.startswith("1."))
        if word in {"yes", "no"}:
            return word == "yes"
        if (word == "homehost" and own) or (word[:1] in {"+", "-"} and fits):
            return word[0] != "-"
    return True


def namesakes(array: Array, own: ConfiguredArray, machine: Machine) -> Iterator[ConfiguredArray]:
    """The ARRAY lines with the name in its ``own`` line that mean another array, of which no disk is here.

    Also those of one that is here, if the array runs under another name: then the name is that one's.
    """
    here = {bare(one.uuid) for one in machine.arrays} | {bare(one.uuid) for one in machine.superblocks}
    name = _device(next(iter(own.text.split()[1:2]), ""))
    for one in machine.system.mdadm_conf_entries:
        same = one != own and name and name == _device(next(iter(one.text.split()[1:2]), ""))
        if same and (uuid_in(one.text) not in here or _device(array.path) != name):
            yield one


def _device(word: str) -> str:
    """A name in an ARRAY line, without its folder; empty if it is none: mdadm.conf(5)."""
    return "" if "=" in word or word == _IGNORE else word.removeprefix("/dev/md/").removeprefix("/dev/")


def _unfit(line: str, array: Array, machine: Machine) -> Iterator[str]:
    """The words of an ARRAY line that do not fit ``array``."""
    for word in line.split()[1:]:
        key, _, value = word.partition("=")
        match key.lower():
            case "level" if array.level and _level(value) != _level(array.level):
                yield f"{harmless(word)} for {array.level}"
            case "num-devices" | "disks" if array.raid_disks and value != str(array.raid_disks):
                yield f"{harmless(word)} for {array.raid_disks}"
            case "name" if uuid_in(line) and (full := full_names(array, machine)):
                if value not in {*full, *(one.rpartition(":")[2] for one in full)}:
                    yield f"{harmless(word)} for {harmless(listed(sorted(full)))}"


def _level(word: str) -> str:
    bare_word = word.lower().removeprefix("raid").removeprefix("-")
    return _LEVELS.get(bare_word, bare_word)


def _devices(array: Array, machine: Machine) -> list[str]:
    graph = graph_of(machine)
    found = [graph.at(member.path) for member in array.members if member.path]
    outside = [
        one.path
        for one in found
        if one is not None and not is_scanned([one.path, *one.links], machine.system)
    ]
    return [f"the DEVICE line leaves out {listed(outside)}, so mdadm does not take them"] if outside else []


def is_scanned(names: list[str], system: System) -> bool:
    """Whether mdadm looks for members on the device with these ``names``, as far as it is known: mdadm.conf(5), DEVICE."""
    words = system.mdadm_conf_devices
    if not words or "partitions" in words or any(word.startswith(_LINKS_NOT_KNOWN) for word in words):
        return True
    return any(fnmatchcase(name, word) for name in names for word in words)
