"""Arrays that mdadm.conf expects and that are not here, and arrays that it does not name. Pure."""

from collections.abc import Iterator

from raidtui.backends.md.diagnosis.kept_down import wrong_lines
from raidtui.backends.md.procedures.configured import lacks
from raidtui.machine.md.made_again import of_others, uuids_here
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.procedure import Configure, RemoveLine
from raidtui.model.text import listed
from raidtui.model.unit_names import command_word
from raidtui.model.uuids import bare

_FIRMWARE = frozenset({"imsm", "ddf"})  # their lines name a container


def _without(line: str, machine: Machine) -> RemoveLine:
    """The removal of an ARRAY line, as it stands in its file."""
    entry = next((one for one in machine.system.mdadm_conf_entries if one.text == line), None)
    if entry is None:
        return RemoveLine(file=machine.system.mdadm_conf, lines=(line,))
    return RemoveLine(file=entry.file, lines=entry.lines)


def expected(machine: Machine) -> Iterator[Finding]:
    """The arrays that mdadm.conf expects and of which no disk here has a member. Pure."""
    system = machine.system
    here = uuids_here(machine)
    again = {one.text for array in machine.arrays if array.started for one in of_others(array, machine)}
    for line in system.mdadm_conf_arrays if machine.complete else ():
        if line in again:
            continue  # said of the array that has the name now
        words = line.split()[1:]
        said = dict(word.lower().split("=", 1) for word in words if "=" in word)
        uuid = said.get("uuid", "")
        if not uuid or bare(uuid) in here or said.get("metadata", "") in _FIRMWARE or "container" in said:
            continue
        name = words[0] if "=" not in words[0] else uuid
        yield Finding(
            name=name,
            kind=Kind.ARRAY_EXPECTED,
            what=f"{system.mdadm_conf} expects the array {name}, and no disk here has a member of it",
            remedies=(
                Remedy(text="connect its disks"),
                Remedy(
                    text=f"if it is gone for good, remove the ARRAY line with UUID={uuid} from {system.mdadm_conf}",
                    procedure=_without(line, machine),
                ),
            ),
        )
    for array in machine.arrays:
        if (found := lacks(array, machine)) and not wrong_lines(array, machine):
            yield Finding(
                name=command_word(array, machine.arrays),
                kind=Kind.NOT_CONFIGURED,
                what=f"array {array.shown}: {listed(list(found))}",
                unit=array.uuid,
                remedies=(
                    Remedy(
                        text="replace that line with its own. If the other array still exists, connect its disks first: "
                        "two arrays cannot have one name"
                        if of_others(array, machine)
                        else "add what is missing, so that it keeps its name at boot and a failure is reported",
                        procedure=Configure(unit=array.uuid),
                    ),
                ),
            )
