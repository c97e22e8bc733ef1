"""The disks of a new array: each in a sentence, then the members and the hot spares."""

from collections.abc import Iterable, Sequence

from raidtui.commands.plain.asking import Back
from raidtui.commands.plain.session import Session
from raidtui.machine.attachment import attachment
from raidtui.model.disk_names import SHORTEST, find_called
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.text import as_number, harmless
from raidtui.ui.shell import explained
from raidtui.ui.widgets.parts import bare
from raidtui.ui.wizard import disk_words
from raidtui.ui.wizard.chosen_disks import chosen_words, usable_words, why_not_these
from raidtui.ui.wizard.disk_detail import in_full

HOW_TO_NAME = (
    "Type the numbers or serial numbers of the disks in their order, such as 1 2 3 or 1-3. all: every free disk of "
    "the first free one's size. d and a number: the details of a disk."
)


def ask(session: Session) -> None:
    """Ask for members and spares."""
    asking, machine = session.asking, session.machine
    asking.say("", "Choose the disks of the array by their numbers, such as 1 2 3 or 1-3.")
    say_all(session)

    def members(answer: str) -> tuple[str, ...]:
        found = chosen(answer, session)
        spec = session.draft.with_spec(members=found, spares=()).spec
        if trouble := why_not_these(spec, machine, by=""):
            raise BadInput(trouble)
        return found

    def spares(answer: str) -> tuple[str, ...]:
        found = () if answer.lower() in {"", "none"} else chosen(answer, session)
        if both := [word for word in found if word in session.draft.spec.members]:
            raise BadInput(f"{harmless(both[0])} is a member and cannot be a spare too")
        if trouble := why_not_these(session.draft.with_spec(spares=found).spec, machine, by=""):
            raise BadInput(trouble)
        return found

    def explain() -> list[str]:
        return [*explained.in_words(explained.DISKS), HOW_TO_NAME]

    while True:
        spec = session.draft.spec
        named = asking.until("Members", members, default=" ".join(spec.members), explain=explain)
        kept = tuple(word for word in spec.spares if word not in named)
        session.draft = session.draft.with_spec(members=named, spares=kept)
        try:
            found = asking.until(
                "Hot spares, or none", spares, default=" ".join(kept) or "none", explain=explain
            )
        except Back:
            continue
        session.draft = session.draft.with_spec(spares=found)
        break
    spec = session.draft.spec
    asking.say(f"Chosen: {chosen_words(spec, machine, usable_words(spec, machine))}.")


def say_all(session: Session) -> None:
    """Say each disk with its number, whether or not it can be chosen."""
    machine = session.machine
    session.asking.say(
        *(f"{number}. {sentence(disk, machine)}" for number, disk in enumerate(machine.disks, 1))
    )
    if not machine.disks:
        session.asking.say("The kernel reports no disks.")
    if not machine.complete:
        session.asking.say("Read without root: the contents of the disks are unknown.")


def sentence(disk: Disk, machine: Machine) -> str:
    """A disk in a sentence: what it is, its health, and whether it can be chosen."""
    model = " ".join(filter(None, (attachment(disk), harmless(disk.model) or "no model")))
    health = disk_words.health(disk)[0]
    about = [
        disk.short,
        model,
        f"serial {disk_words.number(disk)}",
        disk_words.size(disk),
        disk_words.age(disk) and f"{disk_words.age(disk)} old",
        disk_words.temperature(disk),
        "" if health == "-" else f"health {health}",
    ]
    state = disk_words.state(disk, machine)[0]
    if disk_words.why_not(disk, machine):
        state = f"cannot be chosen: {state}"
    elif disk_words.losses(disk):
        state = f"choosing it erases: {state}"
    return f"{', '.join(filter(None, about))}; {state}."


def chosen(answer: str, session: Session) -> tuple[str, ...]:
    """The names for a spec of the disks in an answer; says the details that it asks for.

    Raises:
        BadInput: there is no such disk, or it cannot be chosen; or only details were asked for.
    """
    machine, words = session.machine, answer.replace(",", " ").split()
    if not words:
        raise BadInput("choose at least two disks")
    if words[0].lower() == "d":
        for disk in _named(words[1:], machine.disks):
            session.asking.say(bare(in_full(disk, machine, session.look.units)))
        raise BadInput("choose the disks, or b to go back")
    disks = (
        _free_alike(machine) if [word.lower() for word in words] == ["all"] else _named(words, machine.disks)
    )
    for disk in disks:
        if obstacle := disk_words.why_not(disk, machine):
            raise BadInput(obstacle)
    found = tuple(disk_words.spec_name(disk, machine) for disk in disks)
    if twice := [word for word in found if found.count(word) > 1]:
        raise BadInput(f"{harmless(twice[0])} is named twice")
    return found


def _free_alike(machine: Machine) -> list[Disk]:
    """The free disks of the size of the first free one."""
    free = [disk for disk in machine.disks if disk.free and not disk_words.why_not(disk, machine)]
    if not free:
        raise BadInput("no disk is free")
    return [disk for disk in free if disk.size_bytes == free[0].size_bytes]


def _named(words: Iterable[str], disks: Sequence[Disk]) -> list[Disk]:
    return [disk for word in words for disk in _one(word, disks)]


def _one(word: str, disks: Sequence[Disk]) -> list[Disk]:
    """The disks that a word names: a number of the list, a range of them, or the name of one."""
    called = find_called(word, disks)
    if len(called) > 1:
        raise BadInput(f"{word!r} is the end of several serial numbers; type more of it")
    if called and len(word) >= SHORTEST:  # 0002 is the end of a serial number, not the second disk
        return [called[0]]
    first, dash, last = word.partition("-")
    begin, end = as_number(first), as_number(last) if dash else as_number(first)
    if begin is not None and end is not None and 1 <= begin <= end <= len(disks):
        return list(disks[begin - 1 : end])
    if called:
        return [called[0]]
    raise BadInput(f"{word!r} is not a disk; type a number from 1 to {len(disks)}, or a serial number")
