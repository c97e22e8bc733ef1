"""The plans that set alerts and remove them: the file, a timer or a line for cron, and mdadm's own words for it.

The file may hold passwords. A plan and its journal name only its path and its last line, a comment.
"""

from collections.abc import Collection, Iterator
from pathlib import PurePath
from typing import Final

from msgspec.structs import replace

from raidtui.backends.registry import FOLDERS
from raidtui.backends.units import units_of
from raidtui.model.alert_file import settings_of, write_alert_file
from raidtui.model.alerts import (
    CRON,
    DUE,
    EVENT,
    EVENTS,
    FILE,
    OWN,
    SERVICE,
    TIMER,
    AlertSettings,
    AlertsHere,
)
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Action, DropLine, EnsureLine, Plan, Role, Run, Step, fix_step
from raidtui.model.procedure import AlertsOff, SetAlerts
from raidtui.model.text import harmless, listed
from raidtui.plan.of_computer import plan_of_computer
from raidtui.plan.own_command import can_be_started, cron_command, exec_start
from raidtui.steps.files import LINE_IN, LINE_NOT_IN

_MARK: Final = "# written by raidtui"
_UNITS: Final = "/etc/systemd/system"
_LOOK: Final = ("status", "--alert")
_RELOAD: Final = Run(argv=("systemctl", "daemon-reload"))
_WHY: Final = (
    "mdadm's monitor reports neither a removed member nor LVM, Btrfs or ZFS, and not that it has died itself."
)
_RULE: Final = "/etc/udev/rules.d/66-raidtui-watch.rules"
_RULE_LINES: Final = (
    "# by raidtui alerts: a disk that goes is looked at when it goes, not with the next run of the timer",
    'ACTION=="remove", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", KERNEL!="loop*|ram*|zram*|dm-*|md*|sr*|fd*", '
    f'RUN+="/usr/bin/touch {DUE}"',
)
_STARTED: Final = (TIMER, EVENTS)
_READ_RULES: Final = Run(argv=("udevadm", "control", "--reload"))
_TIMER_LINES: Final = (
    "# by raidtui alerts",
    "[Unit]",
    "Description=Look at the arrays and other units, and send alerts",
    "[Timer]",
    "OnBootSec=1min",
    "OnUnitActiveSec=5min",
    "[Install]",
    "WantedBy=timers.target",
)


# A service that is started while it runs is not started again: what happened after it has read the machine would wait
# for the timer. The file is there until the next look begins.
_PATH_LINES: Final = (
    "# by raidtui alerts",
    "[Unit]",
    "Description=Look at the arrays and other units when something has happened",
    "[Path]",
    f"PathExists={DUE}",
    "[Install]",
    "WantedBy=paths.target",
)


def make_alerts(order: SetAlerts | AlertsOff, machine: Machine, *, seed: str) -> Plan:
    """Plan the steps that set or remove alerts.

    Raises:
        Refused: it is not known what is there, there is nothing to remove, or nothing can start raidtui regularly.
    """
    alerts = machine.alerts
    if alerts is None:
        raise Refused("it could not be read how alerts are set on this computer; see 'raidtui doctor'")
    steps = _set(order, alerts, machine) if isinstance(order, SetAlerts) else _off(order, alerts, machine)
    return plan_of_computer("alerts", steps, machine, seed=seed)


def _set(order: SetAlerts, alerts: AlertsHere, machine: Machine) -> Iterator[Step]:
    kept = f"{order.staged}.before"
    # If the step is repeated, what was kept first stays: the file may be half new by then.
    keep = (Run(argv=("cp", "--preserve=all", "-n", FILE, kept), ok=(0, 1)),) if alerts.exists else ()
    yield fix_step(
        id="alerts-file",
        title=f"Write {FILE}, which only root can read",
        reason="It says where alerts go. Passwords in it are in no command and no log.",
        actions=(
            Run(argv=("mkdir", "-p", str(PurePath(FILE).parent))),
            *keep,
            Run(argv=("install", "--mode=0600", "--owner=root", "--group=root", order.staged, FILE)),
        ),
        after=(LINE_IN.of(FILE, order.mark),),
        undo=(
            Run(argv=("cp", "--preserve=all", kept, FILE)) if alerts.exists else Run(argv=("rm", "-f", FILE)),
        ),
        undo_note=f"{FILE} is as it was",
    )
    yield _timer(machine) if machine.system.systemd else _cron(machine)
    yield from _mdadm(order.address, alerts, machine)


def _timer(machine: Machine) -> Step:
    return fix_step(
        id="alerts-timer",
        title=f"Install {TIMER}: 'raidtui status --alert' every 5 minutes, at boot, and when a disk goes",
        reason=_WHY,
        actions=_timer_on(machine),
        after=tuple(LINE_IN.of(path, lines[-1]) for path, lines in _files(machine)),
        undo=_timer_off(machine),
        undo_note="the timer is removed",
    )


def _timer_on(machine: Machine) -> tuple[Action, ...]:
    return (
        # Lines of an older version, or half of one, must not stay.
        *(Run(argv=("rm", "-f", path)) for path, _ in _files(machine)),
        *(EnsureLine(path=path, line=line) for path, lines in _files(machine) for line in lines),
        *_reread(machine),
        Run(argv=("systemctl", "enable", "--now", *_STARTED)),
    )


def _timer_off(machine: Machine) -> tuple[Action, ...]:
    return (
        # Exit code 1: it was not installed any more.
        Run(argv=("systemctl", "disable", "--now", *_STARTED), ok=(0, 1, 5)),
        *(Run(argv=("rm", "-f", path)) for path, _ in _files(machine)),
        *_reread(machine),
    )


def _files(machine: Machine) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each file of ours for systemd and udev, with its lines."""
    units = tuple((f"{_UNITS}/{name}", lines) for name, lines in unit_files(machine))
    return (*units, (_RULE, _RULE_LINES)) if machine.system.udev else units


def _reread(machine: Machine) -> tuple[Run, ...]:
    return (_RELOAD, _READ_RULES) if machine.system.udev else (_RELOAD,)


def unit_files(machine: Machine) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Our units of systemd, with their lines; no line comes twice in a file."""
    service = (
        "# by raidtui alerts",
        "[Unit]",
        "Description=Send alerts about arrays and other units",
        # Events follow one another faster than systemd's default of 5 starts in 10 s.
        "StartLimitIntervalSec=60",
        "StartLimitBurst=60",
        "[Service]",
        "Type=oneshot",
        "TimeoutStartSec=10min",
        # Before the machine is read: what happens from then on has another look.
        f"ExecStartPre=/bin/rm -f {DUE}",
        f"ExecStart={exec_start(machine, *_LOOK)}",
    )
    return (SERVICE, service), (TIMER, _TIMER_LINES), (EVENTS, _PATH_LINES)


def _cron_lines(machine: Machine) -> tuple[str, ...]:
    command = cron_command(machine, *_LOOK)
    return f"@reboot root {command}", f"*/5 * * * * root {command}"


def _cron(machine: Machine) -> Step:
    lines = _cron_lines(machine)
    return fix_step(
        id="alerts-timer",
        title=f"Write {CRON}: 'raidtui status --alert' every 5 minutes and at boot",
        reason=_WHY,
        actions=(
            Run(argv=("mkdir", "-p", str(PurePath(CRON).parent))),
            Run(argv=("rm", "-f", CRON)),
            *(EnsureLine(path=CRON, line=line) for line in lines),
        ),
        after=tuple(LINE_IN.of(CRON, line) for line in lines),
        undo=(Run(argv=("rm", "-f", CRON)),),
        undo_note=f"{CRON} is removed",
    )


def _mdadm(address: str, alerts: AlertsHere, machine: Machine) -> Iterator[Step]:
    """mdadm's own mail, and an event that starts our look at once; only where the computer has neither."""
    conf = machine.system.mdadm_conf
    old = alerts.own_lines
    has_mail = bool(alerts.mdadm_mail) and not any(line.lower().startswith("mailaddr") for line in old)
    has_program = bool(alerts.mdadm_program) and not any(line.lower().startswith("program") for line in old)
    wanted = (
        *((f"MAILADDR {address} {OWN}",) if address and not has_mail else ()),
        *((f"PROGRAM {EVENT} {OWN}",) if machine.system.systemd and not has_program else ()),
    )
    dropped = tuple(line for line in old if line not in wanted)
    if "mdadm" not in machine.tools or set(wanted) == set(old):
        return
    script = _event_script()
    yield fix_step(
        id="alerts-mdadm",
        title=f"Have mdadm's monitor mail, and start the look at once, by {conf}",
        reason="It hears of a failed member at once. What the computer has set there itself stays.",
        actions=(
            Run(argv=("mkdir", "-p", str(PurePath(conf).parent))),
            Run(argv=("rm", "-f", EVENT)),
            *(EnsureLine(path=EVENT, line=line) for line in script),
            Run(argv=("chmod", "0755", EVENT)),
            *(DropLine(path=conf, line=line) for line in dropped),
            *(EnsureLine(path=conf, line=line) for line in wanted),
            *_restart(machine),
        ),
        after=tuple(LINE_IN.of(conf, line) for line in wanted),
        undo=(
            *(DropLine(path=conf, line=line) for line in wanted if line not in old),
            *(EnsureLine(path=conf, line=line) for line in dropped),
            *((Run(argv=("rm", "-f", EVENT)),) if not old else ()),
            *_restart(machine),
        ),
        undo_note=f"{conf} has its old lines again",
    )


def _event_script() -> tuple[str, ...]:
    return (
        "#!/bin/sh",
        f"exec touch {DUE} # by raidtui alerts: EVENT DEVICE [MEMBER]",
    )


def _restart(machine: Machine) -> tuple[Run, ...]:
    # mdadm reads its file when it starts. Exit code 5: this system has no such service.
    command = ("systemctl", "try-restart", "mdmonitor.service")
    return (Run(argv=command, ok=(0, 1, 5)),) if machine.system.systemd else ()


def _off(order: AlertsOff, alerts: AlertsHere, machine: Machine) -> Iterator[Step]:
    if not alerts.exists and not alerts.own_lines and alerts.timer in {"", None}:
        raise Refused("no alerts of raidtui are set here")
    yield from _mdadm_off(alerts, machine)
    yield _no_timer(machine)
    if alerts.exists:
        yield fix_step(
            id="alerts-file",
            title=f"Remove {FILE}",
            reason="A copy stays in the state folder, for a rollback.",
            actions=(
                Run(argv=("cp", "--preserve=all", "-n", FILE, order.kept), ok=(0, 1)),
                Run(argv=("rm", "-f", FILE)),
                Run(argv=("rmdir", "--ignore-fail-on-non-empty", str(PurePath(FILE).parent))),
            ),
            undo=(
                Run(argv=("mkdir", "-p", str(PurePath(FILE).parent))),
                Run(argv=("cp", "--preserve=all", order.kept, FILE)),
            ),
            undo_note=f"{FILE} is there again",
        )


def _mdadm_off(alerts: AlertsHere, machine: Machine) -> Iterator[Step]:
    conf, old = machine.system.mdadm_conf, alerts.own_lines
    if old:
        yield fix_step(
            id="alerts-mdadm",
            title=f"Remove raidtui's lines from {conf}",
            reason="Other lines stay.",
            actions=(
                *(DropLine(path=conf, line=line) for line in old),
                Run(argv=("rm", "-f", EVENT)),
                *_restart(machine),
            ),
            after=tuple(LINE_NOT_IN.of(conf, line) for line in old),
            undo=(
                *(EnsureLine(path=EVENT, line=line) for line in _event_script()),
                Run(argv=("chmod", "0755", EVENT)),
                *(EnsureLine(path=conf, line=line) for line in old),
                *_restart(machine),
            ),
            undo_note=f"{conf} has these lines again",
        )


def _no_timer(machine: Machine) -> Step:
    systemd = machine.system.systemd
    lines = _cron_lines(machine)
    files = _files(machine) if systemd else ((CRON, lines),)
    return fix_step(
        id="alerts-timer",
        title=f"Remove {TIMER}" if systemd else f"Remove {CRON}",
        reason="Nothing looks regularly from here on.",
        actions=_timer_off(machine) if systemd else (Run(argv=("rm", "-f", CRON)),),
        after=tuple(LINE_NOT_IN.of(path, some[-1]) for path, some in files),
        undo=_timer_on(machine) if systemd else _cron(machine).actions,
        undo_note="it is installed again",
    )


def alerts_with(ways: tuple[str, ...], machine: Machine, *, monitor_too: bool) -> Iterator[Step]:
    """The steps of the fix alerts: whatever of it is not here yet. What the computer has set stays.

    Args:
        ways: where a spec sends them; empty: as this computer has them set.
        monitor_too: give mdadm's monitor the mail address too. It takes one, and the fix mail writes one.

    Raises:
        BadInput: no way is given and none is set, or others are set.
        Refused: it is not known what is set.
    """
    alerts, wanted = machine.alerts, settings_of(ways)
    if alerts is None or alerts.problem:
        why = harmless(alerts.problem) if alerts is not None else "see 'raidtui doctor'"
        raise Refused(f"it could not be read how alerts are set on this computer: {why}")
    if not alerts.exists:
        if not wanted.ways:
            raise BadInput(
                'the fix alerts needs a way: add alerts = ["admin@example.org"] to the spec, '
                "or set one before with 'raidtui alerts set'"
            )
        yield _plain_file(wanted)
    elif alerts.ways is not None and (others := set(wanted.ways) - set(alerts.ways)):
        raise BadInput(
            f"alerts of this computer go to {listed(alerts.ways)}, not to {listed(sorted(others))}. "
            "Leave alerts out of the spec, or change them with 'raidtui alerts set'"
        )
    if alerts.timer != "active":
        yield _timer(machine) if machine.system.systemd else _cron(machine)
    if not alerts.exists:
        mail = wanted.mail if monitor_too else None
        yield from _mdadm(mail.to if mail is not None else "", alerts, machine)


def _plain_file(settings: AlertSettings) -> Step:
    """Write a file without secrets, where there is none."""
    text = f"{write_alert_file(settings)}{_MARK}\n"
    return fix_step(
        id="alerts-file",
        title=f"Write {FILE}: alerts go to {listed(settings.ways)}",
        reason="Nobody hears of a disk that fails, otherwise.",
        actions=(
            Run(argv=("mkdir", "-p", str(PurePath(FILE).parent))),
            Run(argv=("install", "--mode=0600", "--owner=root", "--group=root", "/dev/null", FILE)),
            Run(argv=("tee", FILE), input=text),
        ),
        after=(LINE_IN.of(FILE, _MARK),),
        undo=(
            Run(argv=("rm", "-f", FILE)),
            Run(argv=("rmdir", "--ignore-fail-on-non-empty", str(PurePath(FILE).parent))),
        ),
        undo_note=f"{FILE} is removed",
    )


def alerts_of_last(marks: Collection[str], machine: Machine) -> Iterator[Step]:
    """Remove our timer and mdadm's lines with the last units, those with ``marks``; where alerts go stays set.

    Nothing is removed where it is not known whether other units are here.
    """
    alerts, units = machine.alerts, units_of(machine)
    known = machine.complete and not any(one.what in FOLDERS for one in machine.problems)
    gone = [unit for unit in units if any(mark and unit.has_mark(mark) for mark in marks)]
    if alerts is None or not known or not gone or len(gone) < len(units) or not can_be_started(machine):
        return
    steps = [*_mdadm_off(alerts, machine), *([_no_timer(machine)] if alerts.timer else [])]
    for step in steps:
        title = f"{step.title}: no other array or other unit is here"
        yield replace(step, role=Role.REMOVE, title=title, reason=f"{FILE} stays, for the next one.")
