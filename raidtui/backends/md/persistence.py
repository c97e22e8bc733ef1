"""Make the array come back at boot under its name: mdadm.conf, then the initramfs."""

from collections.abc import Sequence
from typing import Final

from raidtui.backends.md.diagnosis.degraded_boot import at_boot
from raidtui.backends.md.names import md_spelling
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.plan import Action, DropLine, EnsureLine, Role, Step
from raidtui.model.spec import Spec
from raidtui.model.system import System
from raidtui.model.text import harmless
from raidtui.steps.files import line_step
from raidtui.steps.fstab import step_names
from raidtui.steps.initramfs import INITRAMFS_HAS, rebuilds

_DRACUT_CONF: Final = "/etc/dracut.conf.d/90-mdadmconf.conf"


def array_line(path: str, *, uuid: str, metadata: str) -> str:
    """The array's line of mdadm.conf: by UUID, and without the number of spares.

    With ``spares=``, mdadm's monitor would complain whenever a spare has replaced a failed member.
    """
    return f"ARRAY {path} metadata={metadata} UUID={md_spelling(uuid)}"


def boot_note(spec: Spec, system: System) -> str:
    """How the array comes back at boot."""
    steps = [f"{system.mdadm_conf} gets its UUID"]
    if system.initramfs:
        steps.append(f"{system.initramfs} rebuilds the initramfs")
    if spec.filesystem.type != "none":
        steps.append("fstab mounts the filesystem by UUID with nofail")
    note = f"After a reboot the array starts automatically: {', '.join(steps)}."
    level = MD_LEVELS.get(spec.level)
    known = system.degraded_started_by is not None and level is not None and level.redundant
    return f"{note} {at_boot(system)}" if known else note


def boot_steps(lines: Sequence[str], system: System) -> list[Step]:
    """Make arrays come back under their names: add ``lines``, one per array, to mdadm.conf, then to the initramfs."""
    return [_conf_step(lines, system), *_initramfs_steps(lines, system)]


def _conf_step(lines: Sequence[str], system: System) -> Step:
    conf, one = system.mdadm_conf, len(lines) == 1
    return line_step(
        "conf",
        role=Role.PERSIST,
        title=f"Add the {'array' if one else 'arrays'} to {conf}",
        reason="Without this line the array may come back as /dev/md127 at boot."
        if one
        else "Without these lines the arrays may come back as /dev/md127 and so on at boot.",
        new=[(conf, line) for line in lines],
        undo_note=f"the {'line is' if one else 'lines are'} removed from {conf}",
    )


def _drop(lines: Sequence[str], system: System) -> tuple[Action, ...]:
    return tuple(DropLine(path=system.mdadm_conf, line=line) for line in lines)


def _initramfs_steps(lines: Sequence[str], system: System) -> list[Step]:
    """Rebuild the initramfs of each kernel that may be booted, with the arrays in it."""
    before: tuple[Action, ...] = ()
    note = "it is rebuilt without the array"
    if system.initramfs == "dracut":
        before = (EnsureLine(path=_DRACUT_CONF, line='mdadmconf="yes"'),)
        note += f"; {_DRACUT_CONF} stays, other arrays may need it"
    found = rebuilds(system)
    return [
        Step(
            id=name,
            role=Role.PERSIST,
            title=f"Rebuild the initramfs of kernel {harmless(release)}",
            reason="It assembles arrays at boot from its own copy of mdadm.conf. Without the line there the array "
            "comes back as /dev/md127. This can take some minutes.",
            actions=(*before, rebuild),
            after=tuple(INITRAMFS_HAS.of(release, line) for line in lines),
            # Drop the line first, or the new image would contain it again.
            undo=(*_drop(lines, system), rebuild),
            undo_note=note,
        )
        for name, (release, rebuild) in zip(step_names("initramfs", len(found)), found, strict=True)
    ]
