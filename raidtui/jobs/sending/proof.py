"""Prove that alerts arrive: send a test with a code on every real path, and record the codes that a person gives back."""

import os
import secrets
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from raidtui.advice.alerting import Message
from raidtui.jobs.sending.send import send
from raidtui.machine.ask import ask
from raidtui.machine.history import HistoryFile
from raidtui.machine.tools import find_tool
from raidtui.machine.tree import Tree
from raidtui.model.alerts import AlertSettings
from raidtui.model.errors import BadInput
from raidtui.model.finding import Urgency
from raidtui.model.history import AlertProven, AlertTested
from raidtui.model.machine import Machine
from raidtui.model.struct import Record
from raidtui.model.text import harmless, listed

MDADM: Final = "mdadm's monitor"
ZED: Final = "ZFS event daemon (zed)"
SMARTD: Final = "smartd"
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without those that look alike
_VALID: Final = timedelta(days=7)
_SECONDS: Final = 60.0
_RUNNER: Final = "/usr/share/smartmontools/smartd-runner"
_ZED: Final = "/etc/zfs/zed.d"
# zed sources its settings and functions in the same way in each of its scripts; the texts are arguments.
_NOTIFY: Final = (
    '. "$1/zed.rc"; . "$1/zed-functions.sh"; note="$(mktemp)"; echo "$3" >"$note"; zed_notify "$2" "$note"; '
    'code=$?; rm -f "$note"; exit $code'
)


class Tried(Record, frozen=True, kw_only=True):
    """A path that was tested, or why it was not."""

    way: str
    code: str = ""  # empty: its own test has none, or it was not tested
    sent: bool | None = None  # None: not tested
    text: str = ""  # why not, or what to look for


def send_tests(
    settings: AlertSettings, machine: Machine, file: HistoryFile, *, tree: Tree
) -> tuple[Tried, ...]:
    """Send a test on every way of ``settings``, and through mdadm's monitor, zed and smartd as far as they are here.

    Raises:
        BadInput, Refused, StepFailed: the history file cannot be written.
    """
    host = machine.system.hostname
    found = [*_ours(settings, host), _mdadm(machine), _zed(host, tree), _smartd(host, tree)]
    now = datetime.now(UTC).isoformat()
    file.add(
        AlertTested(subject=one.way, at=now, way=one.way, code=one.code)
        for one in found
        if one.code and one.sent
    )
    return tuple(found)


def confirm(codes: Iterable[str], file: HistoryFile, *, now: datetime | None = None) -> tuple[str, ...]:
    """Record that tests with these codes arrived; return their ways.

    Raises:
        BadInput: a code is of no test of the last week, or the history file cannot be read.
    """
    moment = now or datetime.now(UTC)
    recent = [
        one for one in file.of(AlertTested, last=20) if moment - datetime.fromisoformat(one.at) <= _VALID
    ]
    proofs = []
    for code in codes:
        ways = [one.way for one in recent if one.code == code.strip().upper()]
        if not ways:
            raise BadInput(
                f"no test of the last 7 days has the code {harmless(code)[:20]!r}; send one with 'raidtui alerts test'"
            )
        at = moment.isoformat(timespec="seconds")
        proofs.append(AlertProven(subject=ways[-1], at=at))
    file.add(proofs)
    return tuple(one.subject for one in proofs)


def _code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(4))


def _ours(settings: AlertSettings, host: str) -> list[Tried]:
    found = []
    for way in settings.ways:
        code = _code()
        text = f"This is a test of raidtui on {host}.\nIts code is {code}. Confirm it there: raidtui alerts confirm {code}"
        message = Message(
            subject=f"{host}: test {code}", text=text, events=(("test", code, text),), urgency=Urgency.NOTE
        )
        why = send(message, settings, host=host, ways=[way])[way]
        found.append(Tried(way=way, code=code, sent=not why, text=why))
    return found


def _mdadm(machine: Machine) -> Tried:
    alerts = machine.alerts
    if not any(array.started and array.degraded is not None for array in machine.arrays):
        return Tried(way=MDADM, text="there is no redundant array")
    if alerts is None or not (alerts.mdadm_mail or alerts.mdadm_program):
        return Tried(way=MDADM, text=f"{machine.system.mdadm_conf} has neither MAILADDR nor PROGRAM")
    # It ends with 0 also where there is no sendmail, or no such program.
    answer = ask(["mdadm", "--monitor", "--scan", "--oneshot", "--test"], _SECONDS)
    if answer.returncode != 0:
        said = answer.stderr.strip().splitlines() or ["no answer"]
        return Tried(way=MDADM, sent=False, text=harmless(said[-1]))
    if alerts.mdadm_mail and alerts.sendmail is False:
        return Tried(
            way=MDADM, sent=False, text=f"mail to {alerts.mdadm_mail} needs sendmail, which is not here"
        )
    goals = [
        *([f"a mail 'TestMessage event' to {alerts.mdadm_mail} for each array"] if alerts.mdadm_mail else []),
        *([f"TestMessage to {alerts.mdadm_program}"] if alerts.mdadm_program else []),
    ]
    return Tried(way=MDADM, sent=True, text=harmless(f"{listed(goals)}; it has no code"))


def _zed(host: str, tree: Tree) -> Tried:
    if not tree.exists(f"{_ZED}/zed-functions.sh"):
        return Tried(way=ZED, text="it is not installed")
    code = _code()
    subject, text = f"{host}: test {code} through zed", f"Confirm it: raidtui alerts confirm {code}"
    answer = ask(["sh", "-c", _NOTIFY, "zed", tree.path(_ZED), subject, text], _SECONDS)
    # zed_notify: 0 sent, 2 nothing is configured.
    why = {0: "", 2: "zed.rc names no way to notify"}.get(
        answer.returncode if answer.returncode is not None else -1,
        harmless(answer.stderr.strip()[-200:]) or "failed",
    )
    return Tried(way=ZED, code=code if not why else "", sent=not why, text=why)


def _smartd(host: str, tree: Tree) -> Tried:
    if not tree.exists(_RUNNER):
        return Tried(way=SMARTD, text="it is not installed")
    if find_tool("mail") is None:
        return Tried(way=SMARTD, sent=False, text="its mail needs the program mail, which is not installed")
    code = _code()
    why = _feed(
        [tree.path(_RUNNER), "-s", f"{host}: test {code} through smartd", "root"],
        f"Confirm it: raidtui alerts confirm {code}\n",
    )
    return Tried(way=SMARTD, code=code if not why else "", sent=not why, text=why)


def _feed(argv: list[str], text: str) -> str:
    """Run a program with ``text`` as its input; return why it failed."""
    try:
        done = subprocess.run(
            argv,
            input=text.encode(),
            capture_output=True,
            timeout=_SECONDS,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {_SECONDS:.0f} s"
    except OSError as error:
        return f"cannot be run: {error.strerror}"
    return "" if done.returncode == 0 else f"ended with exit code {done.returncode}"
