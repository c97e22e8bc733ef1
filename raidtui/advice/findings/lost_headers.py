"""LUKS headers on arrays and volumes that were overwritten while the container was closed. Pure.

Redundancy does not help: every member has what was written. What still opens it follows from cryptsetup(8), its repair
and luksHeaderRestore, as measured with cryptsetup 2.6.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from raidtui.advice.findings.containers import CRYPTTAB, Closed, closed
from raidtui.advice.findings.containers_seen import LUKS, words_of
from raidtui.advice.findings.header_remedies import A_COPY, ONLY_A_COPY, written_to_a_file
from raidtui.advice.findings.on_units import place_of, unit_of
from raidtui.model.device import Device
from raidtui.model.device_graph import graph_of
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.luks import Left, LuksLeft
from raidtui.model.machine import Machine
from raidtui.model.text import count_of, harmless
from raidtui.model.unit import Health, Unit
from raidtui.model.unit_names import command_word

_LEFT: Final = {
    Left.SECOND: "its second header is whole",
    Left.MARKS: "only the marks by which it is known are gone, as after wipefs(8)",
    Left.DESCRIPTION: "only the description of its key slots is left, as after a new GPT",
    Left.ENTRIES: "the entries of some key slots are gone, as after a new partition table",
}
_LOOK: Final = Remedy(
    text="open it with that file (cryptsetup open --readonly --header), and look at its files. If they are right, put the header "
    "back from it (cryptsetup luksHeaderRestore)"
)


def header_findings(machine: Machine, units: Sequence[Unit], apart: Collection[str]) -> Iterator[Finding]:
    """A finding for each. ``apart``: the UUIDs of units of which something else is known that explains it."""
    graph = graph_of(machine)
    lines = {one.device.name: one for one in closed(machine) if one.device is not None and one.lost_header}
    for device in machine.devices if machine.complete else ():
        line, unit = lines.get(device.name), unit_of(device, units, graph)
        if (unit is None and line is None) or graph.on(device) or not device.size_bytes:
            continue
        if unit is not None and unit.health is Health.FAILED:
            continue
        # Unless crypttab expects it, what lies there now may have been put there on purpose.
        left = device.luks is not None and (line is not None or device.type in {"", LUKS})
        gone = line is not None and device.luks is None and (unit is None or unit.uuid not in apart)
        if left or gone:
            where = place_of(device, unit) if unit is not None else words_of(device, machine)
            name = line.name if line is not None else command_word(unit, units) if unit is not None else ""
            yield _finding(device, line, where, name, unit)


def _finding(device: Device, line: Closed | None, where: str, name: str, unit: Unit | None) -> Finding:
    left = device.luks
    now = harmless(device.type) if device.type not in {"", LUKS} else ""
    if line is not None and line.other_header:
        now = "the header of another container"
    expected = f"{_expects(line, where)}, and " if line else ""
    on = "there" if line else f"on {where}"
    opens = bool(left and left.keys)
    return Finding(
        name=name,
        kind=Kind.HEADER_DAMAGED,
        what=f"{expected}{_said(left, on)}{f', and {now} is there now' if now else ''}",
        unit=unit.uuid if unit is not None else "",
        never="make a container (luksFormat), a filesystem or a partition table on it",
        remedies=(
            *written_to_a_file(device),
            *((_LOOK, A_COPY) if opens else (ONLY_A_COPY,)),
            *(
                (Remedy(text=f"if the container was given up on purpose, remove its line from {CRYPTTAB}"),)
                if line and left is None
                else ()
            ),
        ),
    )


def _expects(line: Closed, where: str) -> str:
    """What crypttab says of the container, and how it is known to have been there."""
    name = f"{CRYPTTAB} opens {{}} as {harmless(line.name)} at boot"
    if line.seen is None:
        return name.format(where)
    return f"{name.format(harmless(line.source))}, which was on {where} when it was last seen, {line.seen.at[:10]}"


def _said(left: LuksLeft | None, on: str) -> str:
    if left is None:
        return f"no LUKS header is {on}"
    seem = f"seem{'' if left.keys > 1 else 's'} whole"
    keys = f"{count_of(left.keys, 'key slot')} {seem}" if left.keys else "no key slot is whole"
    return f"the LUKS{left.version} header {on} was overwritten: {_LEFT[left.left]}, and {keys}"
