"""Mail that does not leave this computer: found in the queue of Postfix and Exim, not known of others."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from raidtui.advice.findings.alerts import alert_findings
from raidtui.machine import alerts as mail_queue
from raidtui.machine.alerts import stuck_mail
from raidtui.machine.ask import ToolAnswer
from raidtui.model.alerts import AlertsHere
from tests.unit import plan_machines

NOW = 1_800_000_000.0
LINE = {
    "queue_name": "deferred",
    "queue_id": "4ABCDEF",
    "arrival_time": int(NOW) - 7200,
    "sender": "root@nas",
    "recipients": [
        {
            "address": "a@example.org",
            "delay_reason": "connect to mx.example.org[192.0.2.1]:25: Connection timed out",
        }
    ],
}
FRESH = LINE | {"arrival_time": int(NOW) - 60, "queue_name": "active"}
EXIM = """\
25h  2.9K 0t5C6f-0000c8-00 <root@nas> *** frozen ***
          a@example.org

 5m  1.2K 1t5C6f-0000c8-00 <>
          b@example.org
"""


def asked(monkeypatch: pytest.MonkeyPatch, program: str, answer: ToolAnswer) -> str | None:
    monkeypatch.setattr(
        mail_queue, "find_tool", lambda name: f"/usr/sbin/{name}" if name == program else None
    )

    def ask(argv: Sequence[str]) -> ToolAnswer:
        assert argv[0] == program
        return answer

    return stuck_mail(ask, now=NOW)


def lines(*mails: object) -> ToolAnswer:
    return ToolAnswer(returncode=0, stdout="\n".join(map(json.dumps, mails)))


@pytest.mark.parametrize(
    ("program", "answer", "words"),
    [
        ("postqueue", lines(), ""),
        ("postqueue", lines(FRESH), ""),
        (
            "postqueue",
            lines(LINE, FRESH, LINE),
            "2 mails in the queue for more than an hour (connect to mx.example.org[192.0.2.1]:25: Connection timed out)",
        ),
        ("postqueue", ToolAnswer(returncode=69, stderr="postqueue: fatal: Queue report unavailable"), None),
        ("postqueue", ToolAnswer(returncode=None), None),
        ("postqueue", ToolAnswer(returncode=0, stdout="Mail queue is empty"), None),
        ("postqueue", ToolAnswer(returncode=0, stdout='{"recipients": 1}\n[]'), None),
        ("exim4", ToolAnswer(returncode=0, stdout=""), ""),
        ("exim4", ToolAnswer(returncode=0, stdout=EXIM), "1 mail in the queue for more than an hour"),
        ("exim", ToolAnswer(returncode=0, stdout="exim: permission denied"), None),
        ("exim", ToolAnswer(returncode=1), None),
        ("smtpctl", ToolAnswer(returncode=0), None),
    ],
)
def test_a_queue_is_read_or_not_known(
    monkeypatch: pytest.MonkeyPatch, program: str, answer: ToolAnswer, words: str | None
) -> None:
    assert asked(monkeypatch, program, answer) == words


def test_msmtp_has_no_queue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "msmtp").touch()
    (tmp_path / "sendmail").symlink_to("msmtp")
    monkeypatch.setattr(
        mail_queue, "find_tool", lambda name: str(tmp_path / name) if name == "sendmail" else None
    )
    assert stuck_mail(lambda argv: pytest.fail("nothing is asked")) == ""


def test_mail_that_waits_is_a_finding_and_what_is_not_known_is_none() -> None:
    alerts = AlertsHere(exists=True, ways=("mail to root",), by_sendmail=True, sendmail=True, timer="active")

    def found(stuck: str | None) -> list[str]:
        where = msgspec.structs.replace(
            plan_machines.machine(), alerts=msgspec.structs.replace(alerts, mail_stuck=stuck)
        )
        return [one.what for one in alert_findings(where, ())]

    assert found("2 mails in the queue") == [
        "alerts may not arrive: mail does not leave this computer: 2 mails in the queue"
    ]
    assert found("") == found(None) == []
