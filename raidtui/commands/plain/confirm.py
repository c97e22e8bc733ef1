"""Name each disk that is erased by its serial number, and start the job."""

from typing import Final

from raidtui.commands.plain.asking import Back
from raidtui.commands.plain.session import Session
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.journal import JobRequest
from raidtui.model.text import count_of, harmless
from raidtui.model.units import decimal
from raidtui.ui.shell import explained
from raidtui.ui.shell.world import Access
from raidtui.ui.wizard.danger import erases, shared_in
from raidtui.ui.wizard.naming import (
    Named,
    expected_endings,
    kind_of_name,
    lost_on,
    names,
    no_match,
    whole_name,
)
from raidtui.ui.wizard.wanted import Purpose, Wanted, wanted_for

RECORDED: Final = "A recording: nothing can be erased or started here."


def ask(session: Session, purpose: Purpose) -> JobRequest:
    """Ask for the serial numbers and for the word that starts it, and start the job.

    Raises:
        Back: the user goes back, or the plan must be read again.
        Refused: this is a recording, or the user is not root.
    """
    world, asking = session.world, session.asking
    if world.access is Access.RECORDED:
        raise Refused(RECORDED)
    if world.access is Access.USER:
        raise Refused("reading the disks and building needs root: run the same command with sudo")
    seen = wanted_for(purpose, session.machine, session.draft, world)
    session.read()
    wanted = wanted_for(purpose, session.machine, session.draft, world)
    if wanted.mark != seen.mark:
        asking.say("The disks changed while you were here: look at the plan again.")
        raise Back
    if wanted.disks:
        _ask_for_names(session, wanted)
    else:
        asking.say("", f"On {session.place}: {wanted.title}. No disk is erased.")
    if wanted.rehearsed:
        asking.say(f"{wanted.rehearsed}.")
    word, doing = ("erase", f"ERASE {count_of(wanted.disks, 'disk')}") if wanted.disks else ("start", "start")

    def read(answer: str) -> None:
        if answer != word:
            raise BadInput(f"nothing was started: type {word}, or b to go back")

    asking.until(f"Type {word} to {doing} now", read, explain=lambda: explained.in_words(explained.CONFIRM))
    try:
        return wanted.start(session.machine, [disk.named for disk in wanted.disks])
    except RaidtuiError as error:
        session.code = error.exit_code
        asking.say(f"Nothing was started: {error}.")
        raise Back from error


def _ask_for_names(session: Session, wanted: Wanted) -> None:
    """Ask for the end of the serial number of each disk."""
    asking, machine = session.asking, session.machine
    disks = [machine.disk(planned.identity) for planned in wanted.disks]
    every: tuple[Named, ...] = (*wanted.disks, *machine.disks)
    lost = erases(disks, also=wanted.also, former=wanted.former, shared=shared_in(wanted.disks))
    asking.say("", f"{lost}, on {session.place}.", "Type the end of each disk's serial number to confirm.")
    endings = expected_endings(wanted.disks, machine)
    for number, (planned, disk, ending) in enumerate(zip(wanted.disks, disks, endings, strict=True), 1):
        on_it = "; ".join(lost_on(planned, disk, wanted.lost_with(planned)))
        shown = harmless(whole_name(planned))
        asking.say(
            f"ERASES {on_it}." if on_it else "Apparently blank.",
            f"Disk {number} of {len(disks)}: {planned.role} {disk.short}, {kind_of_name(planned)} {shown}, "
            f"{decimal(planned.size_bytes)}, {harmless(planned.model) or 'no model'}.",
        )

        def read(answer: str, number: int = number, ending: str = ending) -> None:
            if not names(answer, wanted.disks[number - 1], every):
                raise BadInput(no_match(answer, number, ending))

        asking.until(
            f"Type the last {len(ending)} characters of {kind_of_name(planned)} {shown}",
            read,
            explain=lambda: explained.in_words(explained.CONFIRM),
        )
