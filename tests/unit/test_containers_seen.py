"""Where an encrypted container was is recorded: when its header is gone, that is said, and nothing is guessed."""

import pytest
from msgspec.structs import replace

from raidtui.advice.findings.containers_seen import containers_here
from raidtui.jobs.container_records import record_containers
from raidtui.machine.history import HistoryFile
from raidtui.model.history import ContainerSeen, History
from raidtui.model.machine import Claim, ClaimKind, Machine, Weight
from tests.unit.test_recorded_states import found_in, state


def with_type(machine: Machine, name: str, kind: str, uuid: str = "") -> Machine:
    """``machine`` with something else on a device."""
    devices = (replace(one, type=kind, uuid=uuid) if one.name == name else one for one in machine.devices)
    return replace(machine, devices=tuple(devices))


def test_where_nothing_is_known_both_possibilities_are_said() -> None:
    (finding,) = found_in(state("luks-header-gone-never-seen"))
    assert finding.what.endswith("it is not connected or not started, or its header was overwritten")
    assert "if all of them are here and started, its header was overwritten" in finding.remedies[1].text
    machine = state("luks-header-gone-never-seen")
    by_path = replace(machine.system, crypttab=("safe /dev/disk/by-id/x none luks",))
    (finding,) = found_in(replace(machine, system=by_path))
    assert "header" not in finding.what


@pytest.mark.parametrize(
    ("name", "on", "where"),
    [
        ("luks-header-gone-as-seen", "md127", "array tank"),
        ("luks-header-gone-on-a-disk-as-seen", "ubdc1", "LAB-0003 (ubdc)"),
    ],
)
def test_a_header_that_is_gone_from_where_it_was_seen(name: str, on: str, where: str) -> None:
    machine = state(name)
    (finding,) = found_in(machine)
    seen = f"which was on {where} when it was last seen, "
    assert (finding.kind, seen in finding.what) == ("header-damaged", True)
    (finding,) = found_in(with_type(machine, on, "crypto_LUKS", "00000000-0000-4000-8000-000000000001"))
    assert (finding.kind, finding.what.endswith("the header of another container is there now")) == (
        "header-damaged",
        True,
    )


def test_what_could_not_be_read_is_not_said_to_be_gone() -> None:
    machine = state("luks-header-gone-on-a-disk-as-seen")
    claim = Claim(
        what=ClaimKind.UNREADABLE,
        weight=Weight.DATA,
        detail="Input/output error at byte 0",
        device="/dev/ubdc1",
        how_to_free="",
    )
    disks = (
        replace(one, taken_by=(*one.taken_by, claim)) if one.identity == "LAB-0003" else one
        for one in machine.disks
    )
    array = state("luks-header-gone-as-seen")
    unread = (replace(one, unread="Input/output error") for one in array.arrays)
    for some in (replace(machine, disks=tuple(disks)), replace(array, arrays=tuple(unread))):
        assert "header-damaged" not in {one.kind for one in found_in(some)}
        (finding,) = [one for one in found_in(some) if one.kind == "container-expected"]
        assert "when it was last seen" in finding.what


def test_a_container_that_is_open_under_another_name_is_not_missed() -> None:
    machine = state("container-open")
    devices = (
        replace(
            one,
            dm_name="other",
            dm_uuid=one.dm_uuid.replace("-safe", "-other"),
            links=tuple(link.replace("safe", "other") for link in one.links),
        )
        if one.dm_name == "safe"
        else one
        for one in machine.devices
    )
    system = replace(machine.system, fstab_nodes=("",) * len(machine.system.fstab))
    mounts = tuple(one for one in machine.mounts if one.target != "/srv/tank")
    found = found_in(replace(machine, devices=tuple(devices), system=system, mounts=mounts))
    assert "container-expected" not in {one.kind for one in found}
    texts = [each.text for one in found if one.kind == "mount-expected" for each in one.remedies]
    assert texts[:1] == [
        "the encrypted container safe is open under another name: it is /dev/mapper/other now"
    ]


def test_each_place_is_recorded_once_and_only_where_the_header_is_whole() -> None:
    machine = replace(state("container-closed"), history=History())
    (seen,) = containers_here(machine)
    assert (seen.words, bool(seen.place)) == ("array tank", True)
    file = HistoryFile()
    record_containers(machine, ())
    assert file.of(ContainerSeen) == (seen,)
    later = replace(machine, read_at="2030-01-01T00:00:00+00:00", history=file.history())
    record_containers(later, ())
    assert file.of(ContainerSeen) == (seen,)
    for other in (
        replace(machine, complete=False),
        state("luks-marks-erased"),
        state("luks-header-overwritten"),
    ):
        assert not list(containers_here(other))
