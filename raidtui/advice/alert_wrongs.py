"""What is wrong now, as alerts report it: the findings, and what neither they nor mdadm's monitor report. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from raidtui.advice.alerting import Wrong
from raidtui.advice.findings.alerts import each_failing
from raidtui.advice.findings.boot_mounts import not_mounted
from raidtui.advice.findings.pages import PAGES, data_of, facts_of
from raidtui.model.finding import Finding, Kind, Remedy, Urgency
from raidtui.model.machine import Machine
from raidtui.model.md_levels import Left
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.steps.fstab import FSTAB

SETUP: Final = frozenset(
    {
        Kind.NOT_CONFIGURED,
        Kind.KEPT_DOWN,
        Kind.DEGRADED_BOOT,
        Kind.BOOT_DISK,
        Kind.MOUNTED_DEGRADED,
        Kind.FOREIGN,
        Kind.NEVER_SCRUBBED,
        Kind.SCRUBBED_TWICE,
        Kind.SPACE_UNUSED,
        Kind.ERROR_RECOVERY,
        Kind.ALERTS_OFF,
        Kind.ALERTS_UNPROVEN,
    }
)
"""They are about how the computer is set up, not about something that happened: no alert is sent."""


def wrongs_of(
    findings: Sequence[Finding], units: Sequence[Unit], machine: Machine, *, state_problem: str = ""
) -> tuple[Wrong, ...]:
    """Everything that is wrong; each has another key, which stays the same while it lasts.

    Args:
        state_problem: why the state folder cannot be written; empty if it can.
    """
    found = (
        *(_of_finding(one) for one in findings if one.kind not in SETUP | {Kind.ALERTS_FAILING}),
        *(
            replace(_of_finding(each), key=f"{each.kind} {what}")
            for one in findings
            if one.kind is Kind.ALERTS_FAILING
            for what, each in each_failing(machine)
        ),
        *_rebuilding(findings, units),
        *_not_mounted(machine),
        *_unknown(machine),
        *_state(state_problem),
    )
    return tuple({one.key: one for one in reversed(found)}.values())[::-1]


def _of_finding(finding: Finding) -> Wrong:
    facts = [f"{label}: {text}" for label, text in facts_of(finding)]
    data, what = data_of(finding), finding.what
    lines = [
        what if what.lower().startswith(data.lower()) else f"{data}: {what}",
        *facts,
        *(line for one in _first(finding) for line in _to_do(finding, one)),
    ]
    return Wrong(
        key=f"{finding.kind} {finding.unit or finding.name}",
        event=finding.kind,
        name=harmless(finding.name),
        text="\n".join(harmless(one) for one in lines),
        urgency=PAGES[finding.kind].urgency,
        unit=finding.unit,
    )


def _first(finding: Finding) -> tuple[Remedy, ...]:
    """What is to do first, up to what raidtui does about it: a command without its sentence reads as that of another."""
    orders = [bool(finding.order(one)) for one in finding.remedies]
    return finding.remedies[: orders.index(True) + 1 if any(orders) else 1]


def _to_do(finding: Finding, remedy: Remedy) -> Iterator[str]:
    """A sentence, its hazards, and raidtui's command: one by hand may be wrong by the time that it is read."""
    yield f"to do: {remedy.text}"
    yield from remedy.warnings
    yield from filter(None, (finding.order(remedy), remedy.asked))


def _rebuilding(findings: Sequence[Finding], units: Sequence[Unit]) -> Iterator[Wrong]:
    """Units that are degraded while they rebuild: nothing is to do, but it has not ended."""
    known = {one.unit for one in findings}
    for unit in units:
        if unit.health is Health.DEGRADED and unit.uuid not in known:
            none = Left.of_state(unit.state) is Left.NOTHING
            kind = Kind.NO_REDUNDANCY if none else Kind.DEGRADED
            yield Wrong(
                key=f"{kind} {unit.uuid}",
                event=kind,
                name=harmless(unit.shown),
                text=harmless(f"{unit.shown}: {unit.state}"),
                urgency=PAGES[kind].urgency,
                unit=unit.uuid,
            )


def _not_mounted(machine: Machine) -> Iterator[Wrong]:
    """Filesystems whose device is here and that are not mounted, though fstab has them mounted at boot."""
    for one in not_mounted(machine):
        if not one.here or "x-systemd.automount" in one.options:
            continue
        target = one.target
        yield Wrong(
            key=f"not-mounted {target}",
            event="not-mounted",
            name=harmless(target),
            text=harmless(f"{target} is not mounted, though {FSTAB} mounts {one.source} there at boot"),
            urgency=Urgency.WARNING,
        )


def _unknown(machine: Machine) -> Iterator[Wrong]:
    for one in machine.problems:
        yield Wrong(
            key=f"unknown {one.what}",
            event="unknown",
            name=harmless(one.what),
            text=harmless(f"Not known: {one.text}"),
            urgency=Urgency.WARNING,
        )


def _state(problem: str) -> Iterator[Wrong]:
    if problem:
        yield Wrong(
            key="state-folder",
            event="state-folder",
            name="raidtui",
            text=harmless(f"raidtui cannot record anything: {problem}"),
            urgency=Urgency.WARNING,
        )
