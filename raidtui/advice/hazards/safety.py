"""Hazards of power cuts, of silence, and of having only one copy."""

from collections.abc import Iterator
from typing import Final

from raidtui.advice.hazards.context import Check, Look
from raidtui.model.plan import Hazard, Severity
from raidtui.model.units import GIB, both


def write_hole(look: Look) -> Iterator[Hazard]:
    """What a power cut in the middle of a stripe leaves."""
    if not look.md or look.spec.level not in {"raid4", "raid5", "raid6"} or look.facts.consistency == "ppl":
        return
    yield Hazard(
        id="write-hole",
        severity=Severity.WARN if look.spec.level == "raid5" else Severity.INFO,
        seen=f"{look.spec.level} with consistency {look.facts.consistency}",
        meaning=(
            "After a power cut, data and parity of a stripe may differ. If a disk is missing then, blocks that nobody wrote "
            "can be wrong. A bitmap makes the resync shorter and does not prevent this."
        ),
        advice=(
            "Use a UPS"
            + (
                '. Or set consistency = "ppl", which costs 30 to 40 % of the write speed.'
                if look.spec.level == "raid5"
                else ", or a journal on mirrored flash."
            )
        ),
        source="md(4); Linux Documentation/driver-api/md/raid5-ppl.rst",
    )


def no_bitmap(look: Look) -> Iterator[Hazard]:
    """Without a bitmap every power cut costs a full resync."""
    if not look.redundant or not look.md or look.facts.consistency != "resync" or not look.sizes:
        return
    if max(look.sizes) < 100 * GIB:
        return
    yield Hazard(
        id="no-bitmap",
        severity=Severity.WARN,
        seen=f"consistency resync on members of {both(min(look.sizes))}",
        meaning="After every power cut the whole array is resynced. That takes hours, at reduced speed and redundancy.",
        advice='Set consistency = "bitmap" in the spec.',
        source="md(4), bitmap write-intent logging",
    )


def no_mail_address(look: Look) -> Iterator[Hazard]:
    """A failure that nobody hears of is the first half of losing the array."""
    if look.machine is None or not look.md or not look.redundant or look.machine.system.mail_address:
        return
    conf = look.machine.system.mdadm_conf
    yield Hazard(
        id="no-mail-address",
        severity=Severity.WARN,
        seen=f"no MAILADDR in {conf}",
        meaning="Nobody gets mail when a disk fails. The array then runs without redundancy until the next disk fails.",
        advice=f"Add 'MAILADDR you@example.org' to {conf}, then: mdadm --monitor --scan --oneshot --test",
        source="mdadm.conf(5), MAILADDR; mdadm(8), --monitor",
    )


def not_monitored(look: Look) -> Iterator[Hazard]:
    """An address is of no use if nobody watches the arrays."""
    if look.machine is None or not look.md or not look.redundant or look.machine.system.monitored_by != "":
        return
    system = look.machine.system
    yield Hazard(
        id="not-monitored",
        severity=Severity.WARN,
        seen="mdmonitor.service is masked or not installed"
        if system.systemd
        else "no script starts mdadm's monitor",
        meaning="Nothing watches the arrays, so nobody gets mail when a disk fails, whatever mdadm.conf says.",
        advice=(
            "Run: systemctl unmask mdmonitor.service"
            if system.systemd
            else "Run at every boot: mdadm --monitor --scan --daemonise"
        ),
        source="mdadm(8), --monitor; mdadm's udev rules, SYSTEMD_WANTS",
    )


def never_scrubbed(look: Look) -> Iterator[Hazard]:
    """A sector that nobody reads may be unreadable for years, until a rebuild needs it."""
    if look.machine is None or not look.md or not look.redundant or look.machine.system.scrubbed_by != "":
        return
    timer = look.machine.system.could_scrub
    yield Hazard(
        id="never-scrubbed",
        severity=Severity.WARN,
        seen="no timer and no cron reads arrays whole",
        meaning="Bad sectors stay hidden until a rebuild needs them. By then there is no second copy.",
        advice=(
            f"Run: systemctl enable --now {timer}"
            if timer.endswith(".timer")
            else f"Run once a month: mdadm --action=check /dev/md/{look.spec.name}"
        ),
        source="md(4), scrubbing and mismatches; mdadm(8), --action",
    )


def not_a_backup(look: Look) -> Iterator[Hazard]:
    """Always true."""
    yield Hazard(
        id="not-a-backup",
        severity=Severity.INFO,
        seen=f"array {look.spec.name}",
        meaning="RAID is not a backup. Deletion, malware, a damaged filesystem, fire or theft takes every disk at once.",
        advice="Keep a second copy elsewhere, and test restoring from it.",
        source="D. Rosenthal, on bit preservation: operator error and correlated faults dominate",
    )


CHECKS: Final[tuple[Check, ...]] = (
    write_hole,
    no_bitmap,
    no_mail_address,
    not_monitored,
    never_scrubbed,
    not_a_backup,
)
