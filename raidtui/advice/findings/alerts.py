"""What is wrong with the alerts of a computer: not set, not proven, or something that they need fails. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from raidtui.backends.units import units_of
from raidtui.model.alerts import CRON, FILE, TIMER, AlertsHere
from raidtui.model.finding import Finding, Kind, Remedy
from raidtui.model.history import AlertProven, History
from raidtui.model.machine import Machine
from raidtui.model.text import harmless, listed
from raidtui.model.unit import Unit

NAME: Final = "alerts"
_YEAR: Final = timedelta(days=365)
_STOPPED: Final = frozenset({"inactive", "failed", "masked"})


def alert_findings(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """Everything that is wrong with the alerts; nothing where that is not known."""
    alerts = machine.alerts
    if alerts is None:
        return
    if faults := tuple(_faults(alerts, machine)):
        yield _failing(faults)
    if alerts.ways == () and not alerts.exists and units:
        yield Finding(
            name=NAME,
            kind=Kind.ALERTS_OFF,
            what="no alerts are set: nobody hears of a disk that fails",
            remedies=(Remedy(text="set a mail address or a URL: raidtui alerts set --mail ADDRESS"),),
        )
    elif unproven := _unproven(alerts, machine):
        yield Finding(
            name=NAME,
            kind=Kind.ALERTS_UNPROVEN,
            what=f"alerts are not proven: {'; '.join(unproven)}",
            remedies=(
                Remedy(text="send a test with 'raidtui alerts test', and confirm the code that arrives"),
            ),
        )


def _failing(faults: Sequence[tuple[str, str]]) -> Finding:
    return Finding(
        name=NAME,
        kind=Kind.ALERTS_FAILING,
        what=f"alerts may not arrive: {'; '.join(harmless(text) for text, _ in faults)}",
        remedies=tuple(Remedy(text=text) for text in dict.fromkeys(advice for _, advice in faults)),
    )


def each_failing(machine: Machine) -> Iterator[tuple[str, Finding]]:
    """A finding for each thing that fails, by what stays the same of its words: one more is news."""
    for fault in _faults(machine.alerts, machine) if machine.alerts is not None else ():
        yield fault[0].partition(" (")[0].partition(": ")[0], _failing([fault])


def findings_where_set(machine: Machine, units: Sequence[Unit]) -> Iterator[Finding]:
    """The same where alerts are set; `raidtui doctor` and `raidtui alerts` show it everywhere."""
    if machine.alerts is not None and machine.alerts.exists:
        yield from alert_findings(machine, units)


def proven_at(way: str, history: History | None) -> str:
    """When ``way`` was last proven; empty: never, or not known."""
    proofs: Sequence[AlertProven] = history.alert_proofs if history is not None else ()
    return max((one.at for one in proofs if one.subject == way), default="")


def summary(machine: Machine) -> str:
    """The state of the alerts in a few words, for one short line; empty if it is not known."""
    alerts = machine.alerts
    if alerts is None or (alerts.ways is None and not alerts.problem):
        return ""
    if tuple(_faults(alerts, machine)) and alerts.exists:
        return "alerts FAIL"
    if not alerts.ways:
        return "alerts not set"
    if machine.history is None:
        return ""
    days = [proven_at(way, machine.history) for way in alerts.ways]
    if not all(days) or _unproven(alerts, machine):
        return "alerts not proven"
    return f"alerts proven {_day(min(days))}"


def _faults(alerts: AlertsHere, machine: Machine) -> Iterator[tuple[str, str]]:
    """What fails, and what to do, each in words."""
    install = "install a mail program, such as msmtp-mta, or set an SMTP account with 'raidtui alerts set'"
    if alerts.problem:
        yield alerts.problem, f"correct {FILE}"
    if alerts.by_sendmail and alerts.sendmail is False:
        yield f"{FILE} sends mail, and there is no sendmail", install
    elif alerts.mdadm_mail and alerts.sendmail is False:
        yield f"{machine.system.mdadm_conf} has MAILADDR, and there is no sendmail", install
    if alerts.mail_stuck:
        yield (
            f"mail does not leave this computer: {alerts.mail_stuck}",
            "'mailq' lists it; correct the mail program, or set an SMTP account with 'raidtui alerts set'",
        )
    if alerts.program_problem:
        yield f"the program of {FILE} {alerts.program_problem}", f"correct the program of {FILE}"
    if alerts.mdadm_program_problem:
        yield (
            f"PROGRAM of {machine.system.mdadm_conf}, {alerts.mdadm_program}, {alerts.mdadm_program_problem}",
            f"correct PROGRAM in {machine.system.mdadm_conf}",
        )
    # The last unit takes the timer with it.
    needed = alerts.timer != "" or units_of(machine)
    if alerts.exists and alerts.timer is not None and alerts.timer != "active" and needed:
        yield _not_looking(alerts, systemd=machine.system.systemd)
    watched = any(array.started and array.degraded is not None for array in machine.arrays)
    if watched and alerts.monitor in _STOPPED:
        yield (
            f"mdadm's monitor is {alerts.monitor}",
            "start it: systemctl start mdmonitor; 'journalctl -u mdmonitor' shows why it stopped",
        )
    for failure in alerts.failures:
        yield f"the last alert was not sent ({failure})", "'raidtui alerts test' shows whether it works now"


def _not_looking(alerts: AlertsHere, *, systemd: bool) -> tuple[str, str]:
    """That nothing looks regularly, and what to do."""
    if systemd:
        shows = (
            "'raidtui alerts set' installs and starts it; 'journalctl -u raidtui-watch' shows why it failed"
        )
        return f"{TIMER} is {alerts.timer or 'not installed'}", shows
    if alerts.timer:
        return f"cron does not run, so nothing reads {CRON}", "install cron and start it"
    return f"{CRON} is not there", "'raidtui alerts set' writes it"


def _unproven(alerts: AlertsHere, machine: Machine) -> tuple[str, ...]:
    if machine.history is None:
        return ()
    old, never = [], []
    for way in alerts.ways or ():
        at = proven_at(way, machine.history)
        if not at:
            never.append(way)
        elif _is_old(at, machine.read_at):
            old.append(f"{way} not since {_day(at)}")
    return (*((f"{harmless(listed(never))} never",) if never else ()), *map(harmless, old))


def _is_old(at: str, now: str) -> bool:
    try:
        return datetime.fromisoformat(now) - datetime.fromisoformat(at) > _YEAR
    except (ValueError, TypeError):
        return False


def _day(at: str) -> str:
    """The day of a moment: 3 Nov 2026."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return at[:10]
    return f"{moment.day} {moment:%b %Y}"
