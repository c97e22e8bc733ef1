"""The end of a burn-in is an alert: whether the disk is well, once, and only while it is news."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
import pytest

from raidtui.advice.alert_wrongs import ended_burn_ins
from raidtui.advice.alerting import Message
from raidtui.jobs.alerting import alert, alone
from raidtui.machine.reader import load_machine
from raidtui.model.alerts import AlertSettings, Mail
from raidtui.model.finding import Urgency
from raidtui.model.history import BurnIn, History
from raidtui.model.machine import Machine
from tests.unit.recorded_plans import MACHINES

NOON: Final = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)
FIVE: Final = timedelta(minutes=5)


def burned_in(at: datetime | str, **found: object) -> Machine:
    """A computer with a disk whose burn-in ended then."""
    result = BurnIn(
        subject="LAB-0001",
        at=at if isinstance(at, str) else at.isoformat(),
        begun=NOON.isoformat(),
        size_bytes=10**9,
        zone_bytes=10**9,
        **found,  # type: ignore[arg-type]
    )
    return msgspec.structs.replace(
        load_machine(str(MACHINES / "blank-4.json")), history=History(burn_ins=(result,))
    )


@pytest.mark.parametrize(
    ("found", "urgency", "said"),
    [
        ({}, Urgency.NOTE, "Burn-in of LAB-0001 ended, no faults found: no errors"),
        ({"bad": ((8, 15),)}, Urgency.WARNING, "found faults: cannot be read: 8 sectors"),
        ({"gave_up": "it is not connected"}, Urgency.WARNING, "found faults: gave up: it is not connected"),
    ],
)
def test_the_end_of_a_burn_in_says_what_it_found(
    found: dict[str, object], urgency: Urgency, said: str
) -> None:
    (one,) = ended_burn_ins(burned_in(NOON, **found), NOON + FIVE)
    assert (one.event, one.urgency, one.once) == ("burn-in", urgency, True)
    assert said in one.text


@pytest.mark.parametrize("at", ["rubbish", "", "2026-03-04T12:00:00", NOON - timedelta(days=4)])
def test_a_burn_in_that_ended_long_ago_or_nobody_knows_when_is_no_alert(at: datetime | str) -> None:
    assert not list(ended_burn_ins(burned_in(at), NOON))


def test_the_end_of_a_burn_in_is_sent_once_and_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAIDTUI_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("RAIDTUI_RUN", str(tmp_path / "run"))
    sent: list[str] = []

    def sender(message: Message, settings: AlertSettings, host: str, ways: Sequence[str]) -> dict[str, str]:
        sent.append(message.text)
        return dict.fromkeys(ways, "")

    def look(ended: datetime, now: datetime) -> None:
        settings = AlertSettings(mail=Mail(to="admin@example.org"))
        with alone():
            alert(burned_in(ended), (), (), settings, now=now, sender=sender)

    for hours in range(0, 120, 7):
        look(NOON, NOON + timedelta(hours=hours))
    assert [text.startswith("Burn-in of LAB-0001 ended, no faults found") for text in sent] == [True]
    look(NOON + timedelta(days=6), NOON + timedelta(days=6))
    assert len(sent) == 2, "the next burn-in of the disk is news"
