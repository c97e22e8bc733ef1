"""The disks chosen so far: in a sentence, and whether an array can be made of them. Does not load Textual."""

from typing import Final

from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.machine import Machine
from raidtui.model.spec import Spec
from raidtui.model.text import count_of, harmless
from raidtui.model.units import decimal
from raidtui.ui.wizard import disk_words
from raidtui.ui.wizard.level_names import advised_key, key_of, level_name

COUNTED: Final = 24  # members at most whose usable space is shown while they are chosen
ONE_ALONE: Final = (
    "an array needs at least two members: choose another{by}. To set up a single disk, run raidtui apply "
    'on a file with backend = "disk" and level = "single"'
)


def chosen_words(spec: Spec, machine: Machine, usable: str) -> str:
    """Members, spares, raw size, and what would be erased; ``usable``: see `usable_words`."""
    disks = [(disk, disk_words.spec_name(disk, machine)) for disk in machine.disks]
    spares = f" + {count_of(spec.spares, 'spare')}" if spec.spares else ""
    lost = sum(bool(disk_words.losses(disk)) for disk, word in disks if word in spec.disks)
    erased = f"; ERASES data on {lost}" if lost else ""
    total = decimal(sum(disk.size_bytes for disk, word in disks if word in spec.members))
    return f"{count_of(spec.members, 'member')}{spares}, {total} raw{usable}{erased}"


def usable_words(spec: Spec, machine: Machine) -> str:
    """What the recommended level gives on the chosen members; empty for one disk, or for very many."""
    if not 2 <= len(spec.members) <= COUNTED:
        return ""
    from raidtui.advice.recommend import recommend  # not for the first picture
    from raidtui.backends.suited import suited_to
    from raidtui.ui.wizard.estimates import disks_of, question_of, reports_of

    try:
        home = suited_to(tuple(disks_of(spec, machine).values()))[0]
        found = reports_of(question_of(spec, machine), home)
    except RaidtuiError:
        return ""  # Next says why
    advised = advised_key(home, recommend(found, home))
    usable = (one for one in found if key_of(one) == advised)
    return next((f", {decimal(one.usable_bytes)} usable as {level_name(one)}" for one in usable), "")


def why_not_these(spec: Spec, machine: Machine, *, by: str = " with Space") -> str:
    """Why no array can be made of the chosen disks; empty if one can. ``by``: how a disk is chosen."""
    from raidtui.backends.suited import suited_to

    by_name = {disk_words.spec_name(disk, machine): disk for disk in machine.disks}
    for word in spec.disks:
        disk = by_name.get(word) or next((d for d in machine.disks if d.is_called(word)), None)
        if disk is None:
            return f"{harmless(word)} was chosen and is no longer there; connect it, or clear it{by}"
        if obstacle := disk_words.why_not(disk, machine):
            return obstacle
    try:
        suited_to([by_name[word] for word in spec.disks if word in by_name])
    except BadInput as error:
        return str(error)
    members = [by_name[word] for word in spec.members if word in by_name]
    if members and not any(disk.has_device for disk in members):
        return ""  # a card also makes a unit from one drive
    if len(spec.members) == 1:
        return ONE_ALONE.format(by=by)
    if (
        not spec.members
        and machine.disks
        and all(disk_words.why_not(disk, machine) for disk in machine.disks)
    ):
        return (
            "no disk here can be chosen: below the list stands what uses the marked one, and how it is freed"
        )
    return "" if spec.members else f"choose at least two disks{by}"
