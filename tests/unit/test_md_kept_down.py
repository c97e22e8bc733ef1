"""What mdadm.conf says that keeps an array from starting; what mdadm does then was measured with 4.2."""

import msgspec
import pytest

from raidtui.advice.diagnosis import diagnose
from raidtui.backends.md.diagnosis.kept_down import is_scanned
from raidtui.backends.md.units import unit_of
from raidtui.model.finding import Finding, Kind
from raidtui.model.machine import Machine
from raidtui.model.plan import DropLine, EnsureLine
from raidtui.model.procedure import Configure
from raidtui.model.system import ConfiguredArray
from tests.ui.machines import running_array
from tests.unit.test_md_care_plans import ENTRY, UUID, whole
from tests.unit.test_md_tend import made

CONF = "/etc/mdadm/mdadm.conf"
OTHER = "11111111:22222222:33333333:44444444"


def with_lines(*lines: str, devices: tuple[str, ...] = ()) -> Machine:
    machine = whole()
    entries = tuple(ConfiguredArray(text=one, file=CONF, lines=(one,)) for one in lines)
    system = msgspec.structs.replace(
        machine.system,
        mdadm_conf=CONF,
        mdadm_conf_entries=entries,
        mdadm_conf_arrays=lines,
        mdadm_conf_devices=devices,
        mail_address="root",
    )
    return msgspec.structs.replace(machine, system=system)


def found_in(machine: Machine) -> tuple[Finding, ...]:
    return diagnose([unit_of(running_array())], machine)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((ENTRY, ENTRY), "2 ARRAY lines mean it, so mdadm does not start it"),
        ((ENTRY, "ARRAY /dev/md/tank name=tank"), "2 ARRAY lines mean it, so mdadm does not start it"),
        ((f"ARRAY <ignore> UUID={UUID}",), "'ARRAY <ignore>' means it, so mdadm does not start it"),
        (
            (ENTRY, f"ARRAY tank UUID={OTHER}"),
            "2 ARRAY lines have its name, so mdadm starts no array where it assembles by scanning",
        ),
        (
            (f"{ENTRY} num-devices=3 level=5",),
            "its line says num-devices=3 for 4, so mdadm may not start it by that line",
        ),
        (
            (f"{ENTRY} level=raid6",),
            "its line says level=raid6 for raid5, so mdadm may not start it by that line",
        ),
    ],
)
def test_lines_that_mdadm_refuses_are_a_finding_and_become_one_line(
    lines: tuple[str, ...], words: str
) -> None:
    machine = with_lines(*lines)
    kept = [one for one in found_in(machine) if one.kind is Kind.KEPT_DOWN]
    assert [one.what for one in kept] == [f"array tank: in {CONF}, {words}"]
    assert kept[0].remedies[0].procedure == Configure(unit=UUID)
    actions = [action for step in made(Configure(unit=UUID), machine).steps for action in step.actions]
    new = next(one.line for one in actions if isinstance(one, EnsureLine) and one.path == CONF)
    assert new.startswith("ARRAY /dev/md/tank metadata=1.2 UUID=")
    dropped = {one.line for one in actions if isinstance(one, DropLine) and one.path == CONF}
    assert dropped == set(lines) - {new}


@pytest.mark.parametrize(
    "lines",
    [
        (ENTRY,),
        (f"{ENTRY} level=raid5 num-devices=4 spares=1",),
        (ENTRY, f"ARRAY /dev/md/other UUID={OTHER}"),
    ],
)
def test_lines_that_mdadm_takes_are_none(lines: tuple[str, ...]) -> None:
    assert not [one for one in found_in(with_lines(*lines)) if one.kind is Kind.KEPT_DOWN]


def test_a_spare_group_stays_with_the_array() -> None:
    plan = made(Configure(unit=UUID), with_lines(ENTRY, f"{ENTRY} spare-group=nas"))
    assert any(
        isinstance(one, EnsureLine) and one.line.endswith(" spare-group=nas")
        for step in plan.steps
        for one in step.actions
    )


def test_where_mdadm_looks() -> None:
    system = whole().system
    for words, seen in (((), True), (("partitions",), True), (("/dev/sd*",), True), (("/dev/hd*",), False)):
        scanned = msgspec.structs.replace(system, mdadm_conf_devices=words)
        assert is_scanned(["/dev/sda1", "/dev/disk/by-id/ata-1"], scanned) is seen
    by_path = msgspec.structs.replace(system, mdadm_conf_devices=("/dev/disk/by-path/*",))
    assert is_scanned(["/dev/sda1"], by_path)  # not known: no finding


@pytest.mark.parametrize(
    ("auto", "kept"),
    [
        ((), False),
        (("-all",), True),
        (("+1.x", "-all"), False),
        (("+imsm", "+0.90", "-all"), True),
        (("homehost", "-all"), False),  # the name in its superblocks has no other host
        (("no",), True),
        (("yes",), False),
    ],
)
def test_what_auto_leaves_out_needs_a_line(auto: tuple[str, ...], kept: bool) -> None:
    machine = with_lines()
    machine = msgspec.structs.replace(
        machine, system=msgspec.structs.replace(machine.system, mdadm_conf_auto=auto)
    )
    kinds = [one.kind for one in found_in(machine) if one.kind in {Kind.KEPT_DOWN, Kind.NOT_CONFIGURED}]
    assert kinds == [Kind.KEPT_DOWN if kept else Kind.NOT_CONFIGURED]
    steps = made(Configure(unit=UUID), machine).steps
    assert any(isinstance(one, EnsureLine) and one.path == CONF for step in steps for one in step.actions)
