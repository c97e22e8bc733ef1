"""What is wrong with cards apart from their virtual drives: foreign configurations, drives that failed outside. Pure."""

from collections.abc import Iterator, Sequence

from raidtui.backends.cards.family import Family
from raidtui.backends.cards.records import Adapter, CardReading, Drive, DriveState
from raidtui.backends.cards.redundancy import failed_outside, lost_words
from raidtui.backends.cards.words import drive_errors, unit_name
from raidtui.model.finding import Concerned, Finding, Kind, Remedy
from raidtui.model.machine import Machine
from raidtui.model.text import count_of, harmless, listed


def findings_on(reading: CardReading, machine: Machine, family: Family) -> Iterator[Finding]:
    for adapter in reading.adapters:
        yield from _foreign(adapter, machine, family)
        yield from _failed(adapter, machine, family)


def _foreign(adapter: Adapter, machine: Machine, family: Family) -> Iterator[Finding]:
    drives = [one for one in adapter.drives if one.state is DriveState.FOREIGN]
    if not drives:
        return
    words = family.wording
    yield Finding(
        name=f"{adapter.called}-foreign",
        kind=Kind.CARD_FOREIGN,
        what=f"{_card(adapter)}: {count_of(drives, 'drive')} with a foreign configuration ({_slots(drives)})",
        disks=tuple(_concerned(drives, machine)),
        never="import or clear it, or set a drive good, before you have seen what it is; clearing loses the array",
        remedies=(
            Remedy(
                text="look at it first: it is an array that another card made, or this one before it lost these drives. "
                f"'{words.look_at_foreign(adapter)}' shows it and changes nothing"
            ),
            Remedy(
                text="if drives of that array are missing, connect them before you import it: the card would import it without them"
            ),
        ),
    )


def _failed(adapter: Adapter, machine: Machine, family: Family) -> Iterator[Finding]:
    drives = failed_outside(adapter)
    if not drives:
        return
    lacking = [one for one in adapter.volumes if lost_words(one, adapter)]
    names = harmless(listed([unit_name(one, adapter) for one in lacking]))
    first = (
        f"leave the failed drives as they are: they may be what {names} lost. See to that first"
        if lacking
        else "no virtual drive is missing if all that you expect are listed: then pull and replace it. If one is missing, "
        "change nothing, and connect what was disconnected"
        if not adapter.unread
        else "not all virtual drives of the card are known: change nothing until they are"
    )
    yield Finding(
        name=f"{adapter.called}-drives",
        kind=Kind.CARD_DRIVES,
        what=f"{_card(adapter)}: {count_of(drives, 'drive')} failed or offline, in no virtual drive ({_slots(drives)})",
        disks=tuple(_concerned(drives, machine)),
        never="set a drive good or online: what is on it is out of date, or foreign",
        remedies=(
            Remedy(text=first),
            Remedy(text=f"see what the card says of it: '{family.wording.look_at(adapter, drives[0])}'"),
        ),
    )


def _card(adapter: Adapter) -> str:
    return f"RAID card {adapter.called}{f' ({harmless(adapter.model)})' if adapter.model else ''}"


def _slots(drives: Sequence[Drive]) -> str:
    return harmless(listed([one.slot for one in drives]))


def _concerned(drives: Sequence[Drive], machine: Machine) -> Iterator[Concerned]:
    slots = {one.serial: one.slot for one in machine.disks if one.serial and not one.has_device}
    for one in drives:
        errors = drive_errors(one)
        yield Concerned(
            disk=one.serial or one.wwn,
            state=", ".join(filter(None, (one.state_word, errors))),
            model=one.model,
            place=f"slot {slots.get(one.serial, one.slot)}",
        )
