"""Read what this computer has for alerts: our file and timer, mdadm's monitor, and the programs that they call."""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from raidtui.machine.alert_settings import read_settings
from raidtui.machine.ask import Ask, ask
from raidtui.machine.configured import event_program, lines_ending, mail_address
from raidtui.machine.textfile import read_bounded
from raidtui.machine.tools import find_tool
from raidtui.machine.tree import HERE, Tree
from raidtui.model.alerts import CRON, FILE, OWN, SERVICE, TIMER, AlertSettings, AlertsHere
from raidtui.model.errors import BadInput
from raidtui.model.paths import runtime_folder, state_folder
from raidtui.model.struct import Record, from_json
from raidtui.model.text import count_of, harmless
from raidtui.model.units import MIB

MONITOR: Final = "mdmonitor.service"
_SHOWN: Final = ("Id", "LoadState", "ActiveState", "UnitFileState", "FragmentPath")
_OF_PACKAGES: Final = ("/usr/lib/", "/lib/")
REPORTED: Final = "alerts.json"  # in the state folder, or in /run if that cannot be written


class _Reported(Record, frozen=True, kw_only=True):
    """What matters here of what was reported."""

    at: str = ""
    failures: tuple[str, ...] = ()


def read_alerts(mdadm_conf: str, *, tree: Tree = HERE, ask: Ask = ask) -> AlertsHere:
    """What there is. What cannot be read is unknown, which is never a fault and never well."""
    file = tree.path(FILE)
    settings, problem = None, ""
    if os.geteuid() == 0 or tree is not HERE:  # nobody else may read the file
        try:
            settings = read_settings(Path(file))
        except BadInput as error:
            problem = str(error)
    exists = os.path.exists(file) or bool(problem)
    known = not exists or settings is not None
    given = settings or AlertSettings()
    timer, monitor = _states(tree, ask)
    program = event_program(tree, mdadm_conf)
    by_sendmail = given.mail is not None and not given.mail.host
    address = mail_address(tree, mdadm_conf)
    return AlertsHere(
        exists=exists,
        own_lines=lines_ending(tree, mdadm_conf, OWN),
        ways=given.ways if known else None,
        problem=problem,
        quiet=given.quiet.shown if given.quiet is not None else "",
        monthly=given.monthly,
        by_sendmail=by_sendmail,
        mail_stuck=stuck_mail(ask) if by_sendmail or address else None,
        sendmail=find_tool("sendmail") is not None,
        program_problem=program_problem(tree, given.program),
        timer=timer,
        monitor=monitor,
        mdadm_mail=address,
        mdadm_program=program,
        mdadm_program_problem=program_problem(tree, program),
        failures=_failures(),
    )


def program_problem(tree: Tree, program: str) -> str:
    """Why ``program`` cannot be run, in words; empty if it can, or there is none."""
    if not program:
        return ""
    path = tree.path(program)
    if not os.path.isfile(path):
        return "is not there"
    return "" if os.access(path, os.X_OK) else "is not executable"


def _states(tree: Tree, ask: Ask) -> tuple[str | None, str | None]:
    """The states of our timer and of mdadm's monitor; None: not known, empty: there is none."""
    if not tree.exists("/run/systemd/system"):
        if not tree.exists(CRON):
            return "", None
        pids = [tree.text(f"/run/{name}.pid") for name in ("crond", "cron")]
        return ("active" if any(pid and tree.exists(f"/proc/{pid}") for pid in pids) else "inactive"), None
    answer = ask(["systemctl", "show", f"--property={','.join(_SHOWN)}", TIMER, SERVICE, MONITOR])
    blocks = [
        dict(line.partition("=")[::2] for line in block.splitlines()) for block in answer.stdout.split("\n\n")
    ]
    found = {one["Id"]: one for one in blocks if one.keys() >= {"Id", "LoadState", "ActiveState"}}
    if answer.returncode != 0:
        found = {}

    def state(unit: str) -> str | None:
        if unit not in found:
            return None
        loaded, active = found[unit]["LoadState"], found[unit]["ActiveState"]
        return "" if loaded == "not-found" else "masked" if loaded == "masked" else active

    timer = state(TIMER)
    if timer == "inactive" and found[TIMER].get("UnitFileState") == "disabled":
        # The Debian package brings the timer too; one that nobody has enabled is as good as none.
        timer = "" if found[TIMER].get("FragmentPath", "").startswith(_OF_PACKAGES) else timer
    return ("failed" if timer == "active" and state(SERVICE) == "failed" else timer), state(MONITOR)


def _failures() -> tuple[str, ...]:
    run = runtime_folder()
    found = []
    for path in (state_folder() / REPORTED, *((run / REPORTED,) if run is not None else ())):
        with suppress(OSError, BadInput):
            found.append(from_json(read_bounded(path, most=MIB), _Reported, origin=str(path)))
    return max(found, key=lambda one: one.at, default=_Reported()).failures


_LATE_SECONDS: Final = 3600  # a receiver that uses greylisting takes the second try, within half an hour
_DIRECT: Final = frozenset({"msmtp", "ssmtp", "esmtp"})
# exim(8), -bp: " 25h  2.9K 0t5C6f-0000c8-00 <sender>", and "*** frozen ***" if it is not tried any more.
_OF_EXIM: Final = re.compile(
    r"^\s*(\d{1,9})([mhd])\s+\S+\s+[0-9A-Za-z]+-[0-9A-Za-z]+-[0-9A-Za-z]+\s+<.*>(\s+\*\*\* frozen \*\*\*)?"
)
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86400}
_LONGEST: Final = 160


def stuck_mail(ask: Ask, *, now: float | None = None) -> str | None:
    """What waits for more than an hour, in words; empty: nothing; None: not known."""
    if find_tool("postqueue"):
        answer = ask(["postqueue", "-j"])
        return (
            _of_postfix(answer.stdout, time.time() if now is None else now)
            if answer.returncode == 0
            else None
        )
    for exim in ("exim4", "exim"):
        if find_tool(exim):
            answer = ask([exim, "-bp"])
            return _of_exim(answer.stdout) if answer.returncode == 0 else None
    sendmail = find_tool("sendmail")
    return "" if sendmail and os.path.basename(os.path.realpath(sendmail)) in _DIRECT else None


def _of_postfix(text: str, now: float) -> str | None:
    """From a line of JSON for each mail (postqueue(1), -j)."""
    import json  # few computers have a queue

    late, reason = 0, ""
    for line in text.splitlines():
        try:
            mail = json.loads(line)
            waits = now - float(mail["arrival_time"])
            reasons = [str(one.get("delay_reason", "")) for one in mail["recipients"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        if waits > _LATE_SECONDS:
            late += 1
            reason = reason or next(filter(None, reasons), "")
    return _words(late, reason)


def _of_exim(text: str) -> str | None:
    late = 0
    for line in text.splitlines():
        if found := _OF_EXIM.match(line):
            late += int(found[1]) * _SECONDS[found[2]] > _LATE_SECONDS or found[3] is not None
        elif line.strip() and not line.startswith("    "):
            return None  # recipients are indented; anything else is not understood
    return _words(late, "")


def _words(late: int, reason: str) -> str:
    if not late:
        return ""
    waits = f"{count_of(late, 'mail')} in the queue for more than an hour"
    return f"{waits} ({harmless(reason)[:_LONGEST]})" if reason else waits
