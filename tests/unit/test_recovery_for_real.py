"""What was tried is done to the members only if its files were found whole, and superblocks say that it is right."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.jobs.recovering.for_real import order_for_real
from raidtui.jobs.recovering.regions import KeptRegion
from raidtui.jobs.recovering.superblocks import INDEX, KeptMember, KeptSuperblocks, put_back
from raidtui.model.errors import BadInput, Refused
from raidtui.model.machine import Machine
from raidtui.model.nodes import stable_paths
from raidtui.model.plan import Plan, Run, Severity, Undo
from raidtui.model.procedure import StartTried
from raidtui.model.recovery import Candidate, Recovery, Shape, Slot, Tried, Way, ranked
from raidtui.model.struct import to_json
from raidtui.model.superblock import Superblock
from raidtui.plan.care import make_care
from tests.ui import machines
from tests.ui.machines import disk, running_array, superblock, with_superblock

UUID = running_array().uuid
SEED = "11111111-2222-4333-8444-555555555555"
NAMES = tuple(f"{disk(number).serial}-part1" for number in (1, 2, 3, 4))


def tried(*members: str, events: tuple[int, ...] = (28, 28, 26), **changes: Any) -> Tried:
    shape = Shape(
        level="raid5",
        layout=2,
        chunk_bytes=512 * 1024,
        component_bytes=1 << 30,
        slots=tuple(Slot(source=one) for one in members),
    )
    way = changes.pop("way", Way.EVENTS)
    about: dict[str, Any] = {"mounted": True, "files": 10, "clean": True}
    return Tried(candidate=Candidate(way=way, words="", shape=shape, events=events), **(about | changes))


def found(*every: Tried, **changes: Any) -> Recovery:
    about: dict[str, Any] = {"name": "tank", "at": "2026-11-26T22:14:00+00:00"}
    return Recovery(tried=every, **(about | changes))


def order(last: Recovery | None, number: int = 1) -> StartTried:
    made = order_for_real(last, number, name="tank", unit=UUID)
    assert isinstance(made, StartTried)
    return made


def test_the_members_that_were_found_right_are_named_with_their_events() -> None:
    made = order(found(tried(*NAMES[:3], "")))
    assert (made.members, made.events) == (NAMES[:3], (28, 28, 26))
    assert made.kept.endswith(f"superblocks-{UUID[:8]}-20261126T221400")
    assert "clean" in made.tried


@pytest.mark.parametrize(
    ("last", "number", "why"),
    [
        (None, 1, "were not looked at"),
        (found(tried(*NAMES[:3], ""), name="other"), 1, "were not looked at"),
        (found(tried(*NAMES[:3], "", clean=None)), 1, "was not found whole"),
        (found(tried(*NAMES[:3], "", clean=False)), 1, "was not found whole"),
        (found(tried(*NAMES[:3], "", unreadable=1)), 1, "was not found whole"),
        (found(tried(*NAMES[:3], "", odd=1)), 1, "was not found whole"),
        (found(tried(*NAMES[:3], "", mounted=False)), 1, "was not found whole"),
        (found(tried(*NAMES[:3], "", way=Way.ORDER)), 1, "no superblock confirms"),
        (found(tried(*NAMES[:3], "", way=Way.RESHAPE)), 1, "no superblock confirms"),
        (found(tried(*NAMES[:3], ""), tried("", *NAMES[1:])), 2, "has newer data"),
        (found(tried(*NAMES[:3], ""), images=NAMES[:1]), 1, "was read from an image"),
    ],
)
def test_nothing_is_written_for_what_is_not_certain(last: Recovery | None, number: int, why: str) -> None:
    with pytest.raises(Refused, match=why):
        order(last, number)


def test_an_empty_filesystem_is_started_if_no_other_way_gives_files() -> None:
    empty = tried(*NAMES[:2], "", files=0)
    assert order(found(empty, tried(*NAMES[:2], "", files=0, way=Way.ORDER, clean=None))).members == NAMES[:2]
    for wrong in (
        found(empty, tried(NAMES[1], NAMES[0], "", way=Way.ORDER)),
        found(tried(*NAMES[:2], "", files=0, clean=None)),
        found(tried(*NAMES[:2], "", files=0, unreadable=1)),
        found(tried(*NAMES[:2], "", files=0, mounted=False)),
    ):
        with pytest.raises(Refused, match="was not found whole"):
            order(wrong)


def test_a_number_that_is_not_in_the_list() -> None:
    with pytest.raises(BadInput, match="no number 2"):
        order(found(tried(*NAMES[:3], "")), 2)


def machine(*known: Superblock) -> Machine:
    array = running_array(state="inactive", degraded=None, mountpoints=())
    there = [with_superblock(disk(number), array) for number in (1, 2, 3, 4)]
    made = machines.machine(there, [array])
    system = msgspec.structs.replace(made.system, program=("/usr/bin/raidtui",))
    return msgspec.structs.replace(made, superblocks=known, system=system)


LOST = (
    superblock(0, events=28),
    superblock(1, events=28),
    superblock(2, events=26),
    superblock(3, events=11),
)


def in_reshape(slot: int, **own: Any) -> Superblock:
    return superblock(slot, reshaping=True, **own)


def plan(order: StartTried, here: Machine) -> Plan:
    return make_care(order, here, seed=SEED)


def test_the_superblocks_of_all_are_kept_before_those_that_were_tried_are_forced() -> None:
    made = plan(order(found(tried(*NAMES[:3], ""))), machine(*LOST))
    assert [step.id for step in made.steps] == ["stop", "keep", "start"]
    _, keep, start = made.steps
    argv = [one.argv for step in (keep, start) for one in step.actions if isinstance(one, Run)]
    by_id = [
        stable_paths(disk)[path] for disk in machine().disks for path in disk.every_path if path.endswith("1")
    ]
    assert set(argv[0][-1].split(",")) == set(by_id)
    assert argv[1][:3] == ("mdadm", "--assemble", "--force")
    assert argv[1][-3:] == tuple(by_id[:3])
    assert [step.undoable for step in (keep, start)] == [Undo.COMMANDS, Undo.COMMANDS]
    ((hazard),) = made.hazards
    assert (hazard.severity, "tried on overlays: clean" in hazard.seen) == (Severity.HIGH, True)


@pytest.mark.parametrize(
    ("members", "events", "known", "why"),
    [
        (NAMES[:3], (28, 28, 25), LOST, "not as they were when it was tried"),
        (NAMES[:3], (28, 28, 26), LOST[:2], "not as they were when it was tried"),
        (NAMES[:2], (28, 28), LOST, "must not be forced with"),
        (NAMES, (28, 28, 26, 11), LOST, "must not be forced with"),
        (
            NAMES[:3],
            (28, 28, 28),
            tuple(superblock(slot, events=28) for slot in range(4)),
            "starts without force",
        ),
        (NAMES[:3], (28, 28, 26), (in_reshape(0, events=28), *LOST[1:]), "its reshape was interrupted"),
        (
            NAMES[:3],
            (28, 28, 26),
            (*(in_reshape(slot, events=28, adds_members=True) for slot in (0, 1)), *LOST[2:]),
            "not all of these are in its reshape",
        ),
    ],
)
def test_what_is_not_as_it_was_tried_is_refused(
    members: tuple[str, ...], events: tuple[int, ...], known: tuple[Superblock, ...], why: str
) -> None:
    wanted = StartTried(unit=UUID, members=members, events=events, kept="/var/lib/x", tried="clean")
    with pytest.raises(Refused, match=why):
        plan(wanted, machine(*known))


def test_a_reshape_onto_more_disks_is_started_as_it_was_tried() -> None:
    """Of a member that left before its end nothing is asked, and it starts only by force as it was being written to."""
    inside = [
        in_reshape(slot, events=28, adds_members=True, clean=False, active=(0, 1, 2)) for slot in range(3)
    ]
    left = in_reshape(3, events=11)
    order = StartTried(unit=UUID, members=NAMES[:3], events=(28, 28, 28), kept="/var/lib/x", tried="clean")
    assert [step.id for step in plan(order, machine(*inside, left)).steps] == ["stop", "keep", "start"]


def test_of_several_orders_in_which_nothing_is_wrong_that_with_the_fewest_mismatches_comes_first() -> None:
    def order_with(confirmed: int, files: int) -> Tried:
        one = tried(*NAMES, way=Way.ORDER, events=(), files=files)
        return msgspec.structs.replace(
            one, candidate=msgspec.structs.replace(one.candidate, confirmed=confirmed)
        )

    best, other = ranked([order_with(-20, 12), order_with(24, 10)])
    assert (best.candidate.confirmed, other.candidate.confirmed) == (24, -20)


def test_what_was_not_kept_whole_is_not_put_back(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="nothing is kept in"):
        put_back(tmp_path)
    region = KeptRegion(name="0-0.raw", offset=0, length=4096, sha256="0" * 64)
    member = KeptMember(path="/dev/x", size_bytes=1 << 20, uuid=UUID, device="", events=3, regions=(region,))
    (tmp_path / INDEX).write_text(to_json(KeptSuperblocks(members=(member,))))
    with pytest.raises(Refused, match="cannot be read"):
        put_back(tmp_path)
    (tmp_path / "0-0.raw").write_bytes(bytes(4096))
    with pytest.raises(Refused, match="does not hold the bytes that were kept"):
        put_back(tmp_path)


def test_of_several_in_which_nothing_is_wrong_the_newest_comes_first() -> None:
    stale = tried(*NAMES[:2], "", NAMES[3], events=(28, 28, 11), files=12)  # files that were deleted later
    fresh = tried(*NAMES[:3], "")
    damaged = tried(*NAMES[:3], "", unreadable=2, files=20)
    assert ranked([damaged, stale, fresh]) == [fresh, stale, damaged]


def test_a_later_state_that_loses_nothing_comes_first_although_fsck_finds_errors_and_an_older_one_is_not_forced() -> (
    None
):
    stale = tried(*NAMES[:2], "", NAMES[3], events=(28, 28, 11), files=10, newest=500)
    fresh = tried(*NAMES[:3], "", files=12, newest=900, clean=False)
    unread = tried(*NAMES[:3], "", files=12, newest=900, unreadable=1, unread=1, sampled=11)
    fewer = tried(*NAMES[:3], "", files=4, newest=900, clean=False)
    other = tried(*NAMES[:3], "", events=(), files=12, newest=900, clean=False, way=Way.ORDER)
    assert ranked([stale, fresh]) == [fresh, stale]
    for worse in (unread, fewer, other):
        assert ranked([worse, stale]) == [stale, worse]
    with pytest.raises(Refused, match="number 1 has newer data"):
        order(found(*ranked([stale, fresh])), 2)


def test_of_those_that_fsck_speaks_against_the_one_that_gives_most_comes_first() -> None:
    names = tried(*NAMES[:3], "", files=40, clean=None, sampled=10, unread=30, unreadable=30)
    reads = tried(*NAMES[:3], "", files=39, clean=None, sampled=39, events=(28, 28, 11))
    assert (names.given, reads.given) == (2, 39)
    assert ranked([names, reads]) == [reads, names]
    older = tried(*NAMES[:2], "", NAMES[3], events=(28, 28, 11), clean=None)
    newer = tried(*NAMES[:3], "", clean=None)
    assert ranked([older, newer]) == [newer, older]
