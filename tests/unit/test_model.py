"""Records survive a round trip, and disks are found by what identifies them and by nothing else."""

import msgspec
import pytest

from raidtui.model.errors import BadInput
from raidtui.model.journal import seconds_between
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Weight
from raidtui.model.plan import DropLine, EnsureLine, Plan, PlanKind, Role, Run, SaveCapsule, Step
from raidtui.model.spec import Spec
from raidtui.model.struct import from_json, to_json
from raidtui.model.system import System
from raidtui.model.text import fold, harmless
from raidtui.model.unit_names import not_one_called
from raidtui.model.units import MIB, exact, parse_size, spell_size

SDA = Disk(
    name="sda",
    path="/dev/sda",
    device_number="8:0",
    size_bytes=4_000_787_030_016,
    serial="WD-WCC7K1A",
    wwn="0x50014ee2b1234567",
    by_id=("wwn-0x50014ee2b1234567", "ata-WDC_WD40EFRX_WD-WCC7K1A"),
)
MACHINE = Machine(system=System(hostname="nas", kernel="6.1.0"), tools={"mdadm": "4.2"}, disks=(SDA,))


def plan(*actions: Run | EnsureLine | DropLine | SaveCapsule) -> Plan:
    step = Step(
        id="wipe", role=Role.PREPARE, title="Wipe", reason="so that nothing old comes back", actions=actions
    )
    spec = Spec(name="tank", level="raid1", members=("A", "B"))
    return Plan(
        kind=PlanKind.BUILD, spec=spec, seed="s", array_uuid="u", array_path="/dev/md/tank", steps=(step,)
    )


def test_a_machine_reads_back_identically() -> None:
    assert from_json(to_json(MACHINE), Machine, origin="machine.json") == MACHINE


def test_a_plan_with_every_kind_of_action_reads_back_identically() -> None:
    whole = plan(
        SaveCapsule(disks=("/dev/sda",)),
        Run(argv=("wipefs", "-a", "/dev/sda"), ok=(0, 1)),
        EnsureLine(path="/etc/fstab", line="a"),
        DropLine(path="/etc/fstab", line="b"),
    )
    assert from_json(to_json(whole), Plan, origin="plan.json") == whole


def test_the_fingerprint_changes_with_any_command() -> None:
    assert (
        plan(Run(argv=("wipefs", "-a", "/dev/sda"))).fingerprint
        != plan(Run(argv=("wipefs", "-a", "/dev/sdb"))).fingerprint
    )


def test_the_fingerprint_does_not_change_with_the_words_of_a_step() -> None:
    """An update that rewords a step must not stop a job that a power cut interrupted."""
    whole = plan(Run(argv=("wipefs", "-a", "/dev/sda")))
    (step,) = whole.steps

    def reworded(**changes: object) -> Plan:
        return msgspec.structs.replace(whole, steps=(msgspec.structs.replace(step, **changes),))

    assert reworded(title="Other", reason="words", undo_note="x", as_long_as="y") != whole
    assert (
        reworded(title="Other", reason="words", undo_note="x", as_long_as="y").fingerprint
        == whole.fingerprint
    )
    assert reworded(destroys=("/dev/sda: everything",)).fingerprint != whole.fingerprint
    assert reworded(role=Role.CREATE).fingerprint != whole.fingerprint


def test_a_damaged_document_is_one_sentence_with_its_place() -> None:
    with pytest.raises(BadInput, match=r"^m\.json cannot be read as a machine: .*hostname"):
        from_json('{"system": {"hostname": 4}}', Machine, origin="m.json")


@pytest.mark.parametrize(
    "word",
    [
        "WD-WCC7K1A",
        "0x50014ee2b1234567",
        "50014EE2B1234567",
        "ata-WDC_WD40EFRX_WD-WCC7K1A",
        "wwn-0x50014ee2b1234567",
    ],
)
def test_a_disk_is_found_by_serial_wwn_and_by_id_name(word: str) -> None:
    assert MACHINE.disk(word) is SDA


def test_a_device_name_is_refused_and_the_serial_told() -> None:
    with pytest.raises(
        BadInput, match=r"change between boots.*serial number, WWN or by-id name: 'WD-WCC7K1A'"
    ):
        MACHINE.disk("/dev/sda")


@pytest.mark.parametrize("word", ["/dev/sdz", "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"])
def test_a_device_name_of_no_known_disk_is_told_what_names_a_disk(word: str) -> None:
    with pytest.raises(BadInput, match=r"serial number, WWN or by-id name: the disks here are WD-WCC7K1A"):
        MACHINE.disk(word)


def test_a_serial_that_two_disks_have_is_refused() -> None:
    twin = Disk(
        name="sdb", path="/dev/sdb", device_number="8:16", size_bytes=1, serial="WD-WCC7K1A", wwn="0x5"
    )
    both = Machine(system=MACHINE.system, disks=(SDA, twin))
    with pytest.raises(BadInput, match=r"several disks.*none of them can be confirmed by it"):
        both.disk("WD-WCC7K1A")


@pytest.mark.parametrize(
    ("weight", "choosable"), [(Weight.DATA, True), (Weight.BUSY, False), (Weight.SYSTEM, False)]
)
def test_only_a_disk_that_nothing_uses_can_be_chosen(weight: Weight, choosable: bool) -> None:
    claim = Claim(what=ClaimKind.MOUNT, weight=weight, device="/dev/sda1", detail="", how_to_free="umount")
    disk = Disk(name="sda", path="/dev/sda", device_number="8:0", size_bytes=1, taken_by=(claim,), free=False)
    assert disk.choosable is choosable


def test_a_label_cannot_rewrite_the_terminal() -> None:
    assert harmless("photos\x1b[2J\u202egnp  ") == "photos?[2J?gnp"


@pytest.mark.parametrize(
    ("begin", "end", "seconds"),
    [
        ("2026-11-21T04:03:12+00:00", "2026-11-21T04:03:14.5+00:00", 2.5),
        ("2026-11-21T04:03:14+00:00", "2026-11-21T04:03:12+00:00", 0.0),
        ("2026-11-21T04:03:14", "2026-11-21T04:03:18+00:00", 0.0),
        ("", "2026-11-21T04:03:12+00:00", 0.0),
        ("soon", "later", 0.0),
    ],
)
def test_a_journal_whose_times_are_none_has_no_durations(begin: str, end: str, seconds: float) -> None:
    assert seconds_between(begin, end) == seconds


def test_an_error_is_one_line_whatever_it_repeats() -> None:
    assert str(BadInput("no disk is called 'a\nraidtui: done'")) == "no disk is called 'a?raidtui: done'"


def test_what_frees_a_disk_is_one_list_topmost_first() -> None:
    ways = (
        (Weight.BUSY, "umount /srv/image && losetup --detach /dev/loop0"),
        (Weight.BUSY, "umount /srv/image && losetup --detach /dev/loop0 && umount /srv && umount /srv"),
        (Weight.BUSY, "umount /srv && umount /srv"),
        (Weight.BUSY, ""),
        (Weight.BUSY, "raidtui teardown two"),
        (Weight.DATA, "mdadm --incremental /dev/sda3"),
    )
    claims = tuple(
        Claim(what=ClaimKind.MOUNT, weight=weight, device="/dev/sda1", detail="", how_to_free=way)
        for weight, way in ways
    )
    disk = Disk(name="sda", path="/dev/sda", device_number="8:0", size_bytes=1, taken_by=claims, free=False)
    assert disk.to_free == (
        "umount /srv/image",
        "losetup --detach /dev/loop0",
        "umount /srv",
        "umount /srv",
        "raidtui teardown two",
    )
    assert msgspec.structs.replace(disk, taken_by=claims[-1:]).to_free == ()


@pytest.mark.parametrize(
    ("found", "known", "said"),
    [
        (0, {}, "no unit is called 'po\\x1bnd': there is none here"),
        (0, {"u1": "tank", "u2": "pond"}, "no unit is called 'po\\x1bnd'; the units here: tank and pond"),
        (2, {"u1": "pond", "u2": "pond"}, "2 units are called 'po\\x1bnd'; the units here: u1 and u2"),
    ],
)
def test_a_word_that_names_no_unit_or_several_is_said_with_those_here(
    found: int, known: dict[str, str], said: str
) -> None:
    every = [Array(name=name, uuid=uuid, node="", level="raid1") for uuid, name in known.items()]
    assert not_one_called("po\x1bnd", found, every) == said


def test_a_number_and_its_unit_stay_in_one_line() -> None:
    assert fold("a disk of 537 MB (512 MiB), sata", 23) == ["a disk of 537 MB", "(512 MiB), sata"]
    assert fold("at 46.9 % of 3 h", 12) == ["at 46.9 % of", "3 h"]
    assert fold("take 2 members", 7) == ["take 2", "members"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("which costs 30 to 40 % of the speed", "30 to 40 %"),
        ("takes 1.5 to 3 h more", "1.5 to 3 h"),
        ("it was scrubbed 1 Dec 02:30 and is well", "1 Dec 02:30"),
        ("alerts proven 1 Dec 2026 by mail", "1 Dec 2026"),
        ("lost since 2026-12-01 02:30 UTC, pulled", "2026-12-01 02:30 UTC,"),
        ("about 26.3k of 1,234 IOPS at most", "1,234 IOPS"),
    ],
)
def test_a_range_and_a_date_with_its_time_stay_in_one_line(text: str, kept: str) -> None:
    for width in range(len(kept), len(text) + 1):
        assert any(kept in line for line in fold(text, width)), width


def test_what_only_looks_like_a_range_or_a_date_may_be_broken() -> None:
    assert fold("members 1 to 2 of it", 9) == ["members 1", "to 2 of", "it"]
    assert fold("the disks 3 Marvell", 11) == ["the disks 3", "Marvell"]


@pytest.mark.parametrize(
    ("size", "text"), [(100 * MIB, "100 MiB"), (4 * 10**12, "4 TB"), (1025, "1025 B"), (0, "0 B")]
)
def test_an_exact_size_for_people_has_a_blank_before_its_unit(size: int, text: str) -> None:
    assert exact(size) == text
    assert parse_size(spell_size(size)) == size
