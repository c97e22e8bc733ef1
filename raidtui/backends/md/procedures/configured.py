"""How this computer is set up for an array: its ARRAY line, the initramfs, its monitor, its spare group."""

from collections.abc import Iterator
from typing import Final

from raidtui.backends.md.array_names import entries_of, footprint_of
from raidtui.backends.md.diagnosis.kept_down import namesakes, wrong_lines
from raidtui.backends.md.fixes import FIXES
from raidtui.backends.md.persistence import array_line, boot_steps
from raidtui.backends.md.states import shown_name
from raidtui.backends.specfile import FILESYSTEM_TYPES
from raidtui.machine.md.made_again import of_others
from raidtui.model.config_lines import GROUP, group_in, is_group
from raidtui.model.errors import Refused
from raidtui.model.machine import Array, Machine
from raidtui.model.plan import Hazard, Role, Run, Severity, Step, fix_step
from raidtui.model.spec import FilesystemSpec
from raidtui.model.system import ConfiguredArray
from raidtui.model.text import harmless
from raidtui.steps.files import line_step
from raidtui.steps.footprint import own_lines
from raidtui.steps.fstab import fstab_step

_MONITOR: Final = "mdmonitor.service"


def lacks(array: Array, machine: Machine) -> tuple[str, ...]:
    """What the configuration of this computer lacks for ``array``, in words; nothing where that is not known.

    Nor while it is synced: it may still be being built, and what is rebuilt comes first.
    """
    system = machine.system
    found = []
    if (
        array.sync_action not in {"", "idle"}
        or array.metadata == "none"  # without superblocks a line finds nothing
        or array.metadata.startswith("external:")  # its firmware's metadata is enough
    ):
        return ()
    if machine.complete and array.uuid and array.started and not entries_of(array, machine):
        found.append(
            f"its name stands in {system.mdadm_conf} with the UUID of an array that is not here"
            if of_others(array, machine)
            else f"no ARRAY line in {system.mdadm_conf}"
        )
    if found:
        found += [f"no line of fstab for {harmless(one.mountpoint)}" for one, _ in _unlisted(array, machine)]
    if found and not system.mail_address and array.degraded is not None:
        found.append("no mail address for mdadm's monitor")
    return tuple(found)


def configure(array: Array, machine: Machine) -> Iterator[Step]:
    """Add what is lacking: its ARRAY line, also in the initramfs, its line of fstab, a mail address, a regular check."""
    name, system = shown_name(array), machine.system
    steps: list[Step] = []
    entries, wrong = entries_of(array, machine), wrong_lines(array, machine)
    if not array.started and not wrong:
        raise Refused(f"{name} is not started; start it first")
    if not entries or wrong:
        named = [*entries, *(one for own in entries[:1] for one in namesakes(array, own, machine))]
        called = (word for one in entries for word in one.text.split()[1:2] if word.startswith("/dev/"))
        path = array.path or next(called, f"/dev/md/{array.name}")
        line = array_line(path, uuid=array.uuid, metadata=array.metadata)
        if group := group_in(one.text for one in entries):
            line += f" {GROUP}{group}"
        old = [one for one in named or of_others(array, machine) if one.lines != (line,)]
        if old:
            steps.append(_drop_step(name, old))
        steps += boot_steps([line], system)
    steps += [
        fstab_step(filesystem, uuid=uuid, system=system) for filesystem, uuid in _unlisted(array, machine)
    ]
    if array.started and array.degraded is not None:
        steps += _watching(machine)
    if not steps:
        raise Refused(
            f"{system.mdadm_conf} has {name}, fstab has what is mounted of it, and there is nothing to add here that watches it"
        )
    yield from steps


def _drop_step(name: str, old: list[ConfiguredArray]) -> Step:
    return line_step(
        "old-line",
        role=Role.PERSIST,
        title=f"Remove what is wrong of {name} from {old[0].file}",
        reason="mdadm starts no array whose lines contradict each other, or do not fit it.",
        old=[(entry.file, line) for entry in old for line in entry.lines],
        undo_note="the old line is there again",
    )


def _unlisted(array: Array, machine: Machine) -> list[tuple[FilesystemSpec, str]]:
    """The filesystem on ``array`` with its mount point and UUID, if fstab does not mount it; else nothing.

    The whole of it only, at one place: of several, or of a subvolume, it is not known what is wanted at boot.
    """
    own = footprint_of(array, machine)
    mounts = [mount for mount in own.mounts(machine) if mount.device == array.node]
    if len(mounts) != 1 or own_lines(own, machine) or mounts[0].root != "/":
        return []
    kind, place = mounts[0].type, mounts[0].target
    return [
        (FilesystemSpec(type=kind, mountpoint=place), signature.uuid)
        for signature in array.signatures
        if signature.device == array.node
        and signature.uuid
        and signature.type == kind
        and kind in FILESYSTEM_TYPES
    ]


def _watching(machine: Machine) -> Iterator[Step]:
    """Mail when a disk fails, and a regular check, as far as this computer has neither."""
    system = machine.system
    wanted = {"mail": not system.mail_address, "scrub": system.scrubbed_by == ""}
    for word, fix in FIXES.items():
        hazard = Hazard(id=fix.hazard, severity=Severity.INFO, seen="", meaning="", advice="", source="")
        if wanted[word] and fix.can(hazard, machine):
            yield fix.step(hazard, machine)


def join_group(array: Array, group: str, machine: Machine) -> Iterator[Step]:
    """Write the spare group into its ARRAY line; mdadm's monitor moves spares between the arrays of a group."""
    name, system, entries = shown_name(array), machine.system, entries_of(array, machine)
    if group and not (group.isascii() and group.replace("-", "").replace("_", "").isalnum()):
        raise Refused(f"a spare group is called by letters, digits, - and _, not {harmless(group)!r}")
    if len(entries) > 1:
        raise Refused(f"{system.mdadm_conf} has {len(entries)} lines for {name}; remove all but one first")
    old = group_in(one.text for one in entries)
    if old == group:
        raise Refused(
            f"{name} is in the spare group {old} already" if old else f"{name} is in no spare group"
        )
    path = array.path or f"/dev/md/{array.name}"
    before = entries[0].text if entries else array_line(path, uuid=array.uuid, metadata=array.metadata)
    words = [word for word in before.split() if not is_group(word)]
    line = " ".join([*words, *((f"{GROUP}{group}",) if group else ())])
    yield _line_step(array, entries, line, group, machine)
    if group and not system.mail_address:
        yield from (step for step in _watching(machine) if step.id == "fix-mail")
    if system.systemd:
        yield fix_step(
            id="monitor",
            title="Restart mdadm's monitor",
            reason="It reads the groups when it starts, and moves a spare only while it runs.",
            # Exit code 5: this system has no such service.
            actions=(Run(argv=("systemctl", "restart", _MONITOR), ok=(0, 1, 5)),),
            undo_note="nothing needs to be undone",
        )


def _line_step(array: Array, entries: list[ConfiguredArray], line: str, group: str, machine: Machine) -> Step:
    name = shown_name(array)
    file = entries[0].file if entries else machine.system.mdadm_conf
    old = [(file, one) for entry in entries for one in entry.lines if one.strip() != line]
    return line_step(
        "group",
        title=f"Put {name} in the spare group {group}" if group else f"Take {name} out of its spare group",
        reason="If an array of the group loses a member and has no spare, mdadm's monitor moves one to it.",
        new=[(file, line)],
        old=old,
        undo_note=f"{file} has its old line again",
    )
