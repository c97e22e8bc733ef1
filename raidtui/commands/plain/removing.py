"""What can be removed, and its removal as a plan."""

from collections.abc import Mapping

from raidtui.commands.plain.asking import then
from raidtui.commands.plain.disks import sentence
from raidtui.commands.plain.running import carry_out
from raidtui.commands.plain.session import Session
from raidtui.model.text import as_sentence, spelled
from raidtui.ui.shell import explained
from raidtui.ui.wizard.danger import with_contents
from raidtui.ui.wizard.disk_owner import what_it_belongs_to
from raidtui.ui.wizard.wanted import Purpose


def removable(session: Session) -> Mapping[str, str]:
    """What a removal is called, a unit's UUID or the identity of a single disk, and what it is in words."""
    machine, units = session.machine, session.look.units
    owners = dict.fromkeys(what_it_belongs_to(disk, units, machine) for disk in machine.disks)
    found = {
        unit.uuid: f"{with_contents(unit)}: {spelled(unit.level)}, {unit.state}"
        for unit in units
        if unit.uuid in owners
    }
    single = {
        disk.identity: as_sentence(sentence(disk, machine))
        for disk in machine.disks
        if disk.identity in owners
    }
    return found | single


def ask(session: Session) -> None:
    found = removable(session)

    def which() -> str:
        session.asking.say("", "Everything on it is lost. What to remove:")
        words = list(found.values())
        return list(found)[
            session.asking.choose("Remove", words, explain=lambda: explained.in_words(explained.REMOVAL))
        ]

    then(which, lambda chosen: carry_out(session, Purpose(teardown=chosen)))
