"""Which members an array that lost too many is assembled from by force: those that left last, and no others."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.machine.md.newest import newest
from raidtui.model.superblock import Superblock
from raidtui.model.superblock import is_enough as is_enough_of

N2, N3, F2, O2 = 0x102, 0x103, 0x201, 0x10201  # layouts of raid10 as md stores them


def is_enough(members: dict[str, Superblock]) -> bool:
    """Whether these members are."""
    return is_enough_of(members.values())


def superblock(
    slot: int,
    events: int,
    *,
    level: str = "raid5",
    layout: int = 2,
    disks: int = 3,
    active: tuple[int, ...] = (),
) -> Superblock:
    return Superblock(
        uuid="u",
        name="lab:tank",
        level=level,
        layout=layout,
        raid_disks=disks,
        created=0,
        events=events,
        bitmap_cleared=None,
        slot=slot,
        active=active,
    )


def members(*events: int, level: str = "raid5", layout: int = 2) -> dict[str, Superblock]:
    """Members in slot order, named a, b, c …; 0 events: not here, and gone before all others."""

    def active(count: int) -> tuple[int, ...]:
        return tuple(slot for slot, other in enumerate(events) if other and other + 1 >= count)

    return {
        "abcdefgh"[slot]: superblock(
            slot, count, level=level, layout=layout, disks=len(events), active=active(count)
        )
        for slot, count in enumerate(events)
        if count
    }


@pytest.mark.parametrize(
    ("level", "events", "named"),
    [
        ("raid5", (26, 19, 23), "ac"),  # b left long before c
        ("raid5", (26, 26, 23, 23), "abcd"),  # two left together, with their cable
        ("raid5", (26, 25, 19), "ab"),  # one event behind is current
        ("raid5", (26, 19, 0), "ab"),  # nothing newer is here
        ("raid5", (26, 0, 0), ""),
        ("raid6", (28, 17, 26, 21), "ac"),
        ("raid6", (28, 17, 0, 21), "ad"),
        ("raid4", (9, 5, 7), "ac"),
        ("raid0", (7, 7, 7), "abc"),
        ("raid0", (7, 0, 7), ""),
        ("raid1", (9, 3), "a"),
    ],
)
def test_those_that_left_last_are_named(level: str, events: tuple[int, ...], named: str) -> None:
    assert newest(members(*events, level=level)) == tuple(named)


@pytest.mark.parametrize(
    ("layout", "disks", "lost", "enough"),
    [
        (N2, 4, (0, 2), True),
        (N2, 4, (0, 1), False),
        (N2, 3, (0, 1), False),
        (N2, 3, (1,), True),
        (N3, 3, (0, 1), True),
        (N3, 4, (0, 1, 2), False),
        (F2, 4, (1, 2), False),
        (F2, 4, (0, 2), True),
        (O2, 4, (3, 0), False),
        (O2, 4, (1, 3), True),
    ],
)
def test_raid10_runs_while_one_copy_of_everything_is_here(
    layout: int, disks: int, lost: tuple[int, ...], enough: bool
) -> None:
    here = members(*(0 if slot in lost else 5 for slot in range(disks)), level="raid10", layout=layout)
    assert is_enough(here) is enough


def test_of_raid10_the_older_copy_is_named_only_if_the_newer_is_gone() -> None:
    assert newest(members(22, 17, 22, 22, level="raid10", layout=N2)) == ("a", "c", "d")
    assert newest(members(0, 17, 22, 22, level="raid10", layout=N2)) == ("b", "c", "d")


@given(
    level=st.sampled_from(["raid0", "raid1", "raid4", "raid5", "raid6", "raid10"]),
    events=st.lists(st.integers(0, 9), min_size=4, max_size=6),
)
def test_no_member_is_named_without_all_that_are_newer(level: str, events: list[int]) -> None:
    here = members(*events, level=level, layout=N2)
    named = set(newest(here))
    if not named:  # not even all of them are enough
        assert not is_enough(here)
        return
    assert is_enough({path: here[path] for path in named})
    assert all(here[one].events > here[other].events for one in named for other in set(here) - named)
    oldest = min(here[path].events for path in named)
    fewer = {path: here[path] for path in named if here[path].events > oldest}
    assert oldest + 1 >= max(one.events for one in here.values()) or not is_enough(fewer)


def test_one_more_loss_than_parity_is_too_many() -> None:
    for level, parity in (("raid5", 1), ("raid6", 2)):
        whole = members(3, 3, 3, 3, 3, level=level)
        for lost in range(1, 5):
            for gone in combinations(whole, lost):
                here = {path: one for path, one in whole.items() if path not in gone}
                assert is_enough(here) is (lost <= parity)


def test_none_is_named_if_one_that_is_not_here_left_later() -> None:
    """a ran with c until c left too: only c has what was written since b left."""
    a = superblock(0, 26, active=(0,))
    first, later = superblock(1, 19, active=(0, 1, 2)), superblock(1, 19, active=(0, 1))
    assert newest({"a": a, "b": first}) == ()
    assert newest({"a": a, "b": superblock(1, 19)}) == ()  # who was there then is not known
    assert newest({"a": a, "b": later}) == ("a", "b")
    assert newest({"a": a, "b": first, "c": superblock(2, 25, active=(0, 2))}) == ("a", "c")
