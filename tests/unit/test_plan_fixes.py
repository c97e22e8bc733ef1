"""Fixes: what a plan sets right besides, each as a step of its own."""

from typing import Any

import msgspec
import pytest

from raidtui.backends.md.fixes import CRON, MAIL
from raidtui.backends.specfile import fix_words
from raidtui.model.errors import BadInput
from raidtui.model.machine import Disk, Machine
from raidtui.model.plan import DropLine, EnsureLine, Hazard, Severity
from raidtui.model.smart import Smart
from raidtui.model.spec import Backend
from raidtui.plan.fixes import offered
from raidtui.plan.patience import RULES
from tests.unit.plan_machines import TANK, commands, disk, machine, plan, step


def deaf(number: int, **changes: Any) -> Disk:
    """A disk whose error recovery has no limit and could have one."""
    told = {"rotational": True, "transport": "sata", "smart": Smart(erc_read_deciseconds=0)} | changes
    return disk(number, **told)


DEAF = machine(deaf(1), deaf(2), disk(3))


def hazard(where: Machine, name: str, **changes: Any) -> Hazard:
    return next(one for one in plan(where=where, **changes).hazards if one.id == name)


def test_a_hazard_of_weight_high_that_the_plan_sets_right_needs_no_acknowledgement() -> None:
    assert hazard(DEAF, "erc-off").severity is Severity.HIGH
    settled = hazard(DEAF, "erc-off", fixes=("erc",))
    assert settled.severity is Severity.INFO
    assert "fix-erc" in settled.advice


def test_each_disk_gets_a_rule_by_its_serial_number_that_is_applied_at_once() -> None:
    fix = step(plan(where=DEAF, fixes=("erc",)), "fix-erc")
    rules = [action for action in fix.actions if isinstance(action, EnsureLine)]
    assert [rule.path for rule in rules] == [RULES, RULES]
    assert (
        'ENV{ID_SERIAL_SHORT}=="S-0001", RUN+="/usr/sbin/smartctl -l scterc,70,70 $devnode"' in rules[0].line
    )
    assert commands(fix)[0] == ("udevadm", "control", "--reload")
    assert len(commands(fix)) == 3
    assert [action.line for action in fix.undo if isinstance(action, DropLine)] == [
        rule.line for rule in rules
    ]


def test_a_drive_that_cannot_be_told_gets_a_patient_kernel() -> None:
    where = machine(*(deaf(n, smart=Smart(), scsi_timeout_seconds=30) for n in (1, 2, 3)))
    fix = step(plan(where=where, fixes=("timeout",)), "fix-timeout")
    assert 'ATTR{device/timeout}="180"' in fix.after[0].expect


def test_root_is_written_to_when_nobody_was() -> None:
    fix = step(plan(fixes=("mail",)), "fix-mail")
    assert fix.actions == (EnsureLine(path="/etc/mdadm/mdadm.conf", line=MAIL),)
    somebody = machine(mail_address="me@example.org")
    assert "fix-mail" not in [one.id for one in plan(where=somebody, fixes=("mail",)).steps]


def test_mdadms_own_timer_reads_arrays_whole_where_it_was_not_enabled() -> None:
    where = machine(scrubbed_by="", could_scrub="mdcheck_start.timer")
    assert "systemctl enable --now mdcheck_start.timer" in hazard(where, "never-scrubbed").advice
    fix = step(plan(where=where, fixes=("scrub",)), "fix-scrub")
    assert commands(fix) == [
        ("systemctl", "enable", "--now", "mdcheck_start.timer", "mdcheck_continue.timer")
    ]
    assert hazard(where, "never-scrubbed", fixes=("scrub",)).severity is Severity.INFO


def test_without_a_timer_cron_does_it_on_the_first_sunday() -> None:
    where = machine(scrubbed_by="", could_scrub="/usr/share/mdadm/checkarray")
    (action,) = step(plan(where=where, fixes=("scrub",)), "fix-scrub").actions
    assert isinstance(action, EnsureLine)
    assert action.path == CRON
    assert action.line.startswith(
        '57 0 1-7 * * root [ "$(date +\\%u)" = 7 ] && /usr/share/mdadm/checkarray --cron'
    )


@pytest.mark.parametrize(("by", "told"), [("mdcheck_start.timer", False), ("", True), (None, False)])
def test_only_a_computer_that_was_looked_at_and_scrubs_nothing_is_warned_of(
    by: str | None, told: bool
) -> None:
    where = machine(scrubbed_by=by)
    found = [one.id for one in plan(where=where).hazards]
    assert ("never-scrubbed" in found) is told
    assert "scrub" not in offered(TANK, plan(where=where).hazards, where), "nothing here could do it"


def test_fixes_come_last_and_are_offered_for_what_was_found() -> None:
    made = plan(where=DEAF, fixes=("mail", "erc"))
    assert [one.id for one in made.steps][-2:] == ["fix-mail", "fix-erc"]
    assert set(offered(TANK, plan(where=DEAF).hazards, DEAF)) == {"erc", "mail"}
    assert plan(where=DEAF).fingerprint != made.fingerprint


@pytest.mark.parametrize("serial", ['S"1', "S 1", "S\u202e1", "$(x)"])
def test_a_serial_number_that_a_rule_cannot_hold_gets_none(serial: str) -> None:
    where = machine(deaf(1, serial=serial), deaf(2), disk(3))
    hazards = [Hazard(id="erc-off", severity=Severity.HIGH, seen="", meaning="", advice="", source="",
                      disks=(where.disks[0].identity,))]  # fmt: skip
    assert offered(TANK, hazards, where) == ()


def test_without_udev_no_rule_is_offered() -> None:
    bare = msgspec.structs.replace(DEAF, system=msgspec.structs.replace(DEAF.system, udev=False))
    assert offered(TANK, plan(where=DEAF).hazards, bare) == ("mail",)


def test_an_unknown_fix_is_refused() -> None:
    with pytest.raises(BadInput, match="'cure' is not a known fix; valid values: erc, timeout, mail"):
        plan(fixes=("cure",))


def test_mail_and_scrub_are_fixes_of_md_and_disks_are_fixed_for_every_backend() -> None:
    assert fix_words() == ("erc", "timeout", "mail", "scrub", "alerts")
    hazards = plan(where=DEAF).hazards
    assert set(offered(msgspec.structs.replace(TANK, backend=Backend.LVM_ON_MD), hazards, DEAF)) == {
        "erc",
        "mail",
    }
    assert offered(msgspec.structs.replace(TANK, backend=Backend.BTRFS), hazards, DEAF) == ("erc",)
