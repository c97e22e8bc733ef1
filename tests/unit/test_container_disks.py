"""Which disk of a firmware RAID failed, as mdadm --examine prints the metadata on its disks."""

from pathlib import Path

from msgspec.structs import replace

from raidtui.backends.care import Replacement
from raidtui.backends.md.diagnosis.in_container import in_container
from raidtui.backends.reading import recorded_machine
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.md.container_disks import with_failed
from raidtui.model.machine import Array, Machine, Member

STATES = Path(__file__).parents[1] / "machines" / "states"


def disk(number: int, serial: str, state: str) -> str:
    return f"  Disk0{number} Serial : {serial}\n          State : {state}\n             Id : 00000000\n"


def imsm(generation: str, *disks: str) -> str:
    first, *others = disks
    volume = "\n[vol0]:\n       Subarray : 0\n    Failed disk : 1\n      Map State : degraded\n\n"
    return f"     Generation : {generation}\n  RAID Devices : 1\n\n{first}{volume}{''.join(others)}"


FRESH = imsm("0000001a", disk(0, "WD-AAAA", "active"), disk(1, "WD-BBBB:0", "active failed"))
STALE = imsm("00000016", disk(1, "WD-BBBB", "active"), disk(0, "WD-AAAA", "active"))
DDF_FRESH = """            Seq : 0000000a
 Physical Disks : 1023
      Number    RefNo      Size       Device      Type/State
         0    bff231e8    131072K /dev/sda        active/Online
         1    3ba2393d    131072K                 active/Offline, Failed
"""
DDF_STALE = """            Seq : 00000008
         0    bff231e8    131072K                 active/Online
         1    3ba2393d    131072K /dev/sdb        active/Online
"""


def failed(answers: dict[str, str], *, degraded: int = 1) -> tuple[str, ...]:
    members = tuple(Member(path=path) for path in ("/dev/sda", "/dev/sdb"))
    container = Array(
        name="set", node="/dev/md127", level="container", metadata="external:imsm", members=members, volumes=("/dev/md126",)
    )  # fmt: skip
    volume = Array(name="vol0", node="/dev/md126", metadata="external:/md127/0", degraded=degraded)
    asked: list[str] = []

    def ask(argv: object) -> ToolAnswer:
        path = list(argv)[-1]  # type: ignore[call-overload]
        asked.append(path)
        text = answers.get(path)
        return ToolAnswer(returncode=1 if text is None else 0, stdout=text or "")

    found = with_failed((container, volume), ask)
    assert bool(asked) is bool(degraded)
    return found[0].failed


def test_the_newest_metadata_counts_and_the_disk_is_known_by_what_it_says_of_itself() -> None:
    assert failed({"/dev/sda": FRESH, "/dev/sdb": STALE}) == ("/dev/sdb",)
    assert failed({"/dev/sda": DDF_FRESH, "/dev/sdb": DDF_STALE}) == ("/dev/sdb",)


def test_one_that_is_gone_is_known_by_its_serial_number_if_there_is_one() -> None:
    assert failed({"/dev/sda": FRESH}) == ("WD-BBBB",)
    assert failed({"/dev/sda": FRESH.replace("WD-BBBB:0", "WD-BBBB:0:0")}) == ("WD-BBBB",)  # of two volumes
    assert failed({"/dev/sda": DDF_FRESH}) == ()


def test_nothing_is_asked_of_a_set_whose_volumes_are_whole_and_nothing_known_of_one_that_is_not_read() -> (
    None
):
    assert failed({"/dev/sda": FRESH}, degraded=0) == ()
    assert failed({}) == ()
    assert failed({"/dev/sda": "nonsense"}) == ()


def advice(machine: Machine, *names: str) -> tuple[str, tuple[str, ...]]:
    arrays = tuple(replace(one, failed=names) if one.level == "container" else one for one in machine.arrays)
    volume = next(one for one in arrays if one.name == "vol0")
    (found,) = in_container(volume, replace(machine, arrays=arrays))
    by_hand = found.otherwise[0] if isinstance(found, Replacement) else found
    assert found.failed == by_hand.failed
    return by_hand.text, by_hand.failed


def test_a_disk_is_named_by_its_serial_number_wherever_it_is() -> None:
    machine = recorded_machine(str(STATES / "imsm-disk-failed-in-its-container.json"))
    text, named = advice(machine, "/dev/ubdb")
    assert (text[:26], named) == ("replace LAB-0002 (ubdb), w", ("LAB-0002",))
    assert "remove it from the container, and add a new disk to it" in text
    assert advice(machine, "LAB-0003")[1] == ("LAB-0003",)
    assert advice(machine, "WD-BBBB")[0].startswith(
        "replace WD-BBBB, which has failed, as the metadata of the container imsm says: add"
    )
    assert advice(machine)[1] == ()
