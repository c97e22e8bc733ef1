"""The first line of Review and Confirm: how many disks are erased and what is on them, briefly."""

import pytest
from msgspec.structs import replace

from raidtui.backends.md.units import unit_of
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Signature, Weight
from raidtui.ui.wizard.danger import erases, with_contents


def disk(letter: str, held: str = "", kind: ClaimKind = ClaimKind.REMAINS) -> Disk:
    made = Disk(
        name=f"sd{letter}",
        path=f"/dev/sd{letter}",
        device_number="8:0",
        size_bytes=10**12,
        serial=f"S-{letter}",
    )
    claim = Claim(what=kind, weight=Weight.DATA, device=made.path, detail=held, how_to_free="")
    return replace(made, taken_by=(claim,)) if held else made


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ([""], "ERASES 1 disk, apparently blank"),
        (["", ""], "ERASES 2 disks, all apparently blank"),
        (["ext4 'photos'", ""], "ERASES 2 disks: sda holds ext4 'photos', 1 blank"),
        (["old data", "", "old data"], "ERASES 3 disks: sda and sdc each hold old data, 1 blank"),
        (["old data"] * 3, "ERASES 3 disks: sda, sdb and sdc each hold old data"),
        (["old data"] * 4, "ERASES 4 disks: each holds old data"),
        (["xfs", *["old data"] * 5], "ERASES 6 disks: sda holds xfs, 5 disks each hold old data"),
        (
            ["a", "b", "c", "d", "d"],
            "ERASES 5 disks: sda holds a, sdb holds b, sdc holds c, 2 more hold data",
        ),
    ],
)
def test_disks_that_hold_the_same_are_named_once(held: list[str], said: str) -> None:
    assert erases([disk(letter, what) for letter, what in zip("abcdef", held, strict=False)]) == said


def test_of_an_array_that_is_removed_its_contents_are_named_and_not_the_partition_tables() -> None:
    array = Array(
        name="tank",
        node="/dev/md127",
        signatures=(Signature(device="/dev/md127", offset=1080, type="ext4", label="photos"),),
        mountpoints=("/srv/tank",),
    )
    table = disk("a", "GPT partition table with 1 partition", ClaimKind.PARTITION_TABLE)
    also = with_contents(unit_of(array))
    assert also == "array tank with ext4 'photos', mounted at /srv/tank"
    assert erases([table, table], also=also) == f"ERASES 2 disks and {also}"
    said = erases([table] * 3, also=also, former=1)
    assert said == f"ERASES 3 disks and {also}: 2 of them members, 1 former member (old copy)"
    said = erases([table] * 2, also=also, former=1)
    assert said == f"ERASES 2 disks and {also}: 1 of them a member, 1 former member (old copy)"
    assert (
        erases([table, disk("b", "xfs 'old'")], also=also)
        == f"ERASES 2 disks and {also}: sdb holds xfs 'old'"
    )


def test_of_a_disk_that_something_else_uses_too_a_part_is_erased() -> None:
    """What is in its other partitions stays, so it is not said to be lost."""
    shared, own = disk("a", "ext4 'photos'"), disk("b")
    also = "array tank"
    assert erases([shared], also=also, shared=[shared.identity]) == "ERASES a part of 1 disk and array tank"
    assert erases([shared, shared], shared=[shared.identity]) == "ERASES a part of 2 disks"
    assert (
        erases([shared, own], also=also, shared=[shared.identity])
        == "ERASES 1 disk, a part of 1 more and array tank"
    )
