"""Every published study is one command: each runs quickly, on real arrays, and leaves blank disks."""

from collections.abc import Callable

import pytest

from raidtui.lab.guest import Guest
from raidtui.sweep.file import published_studies
from raidtui.sweep.matrix import combinations_of
from raidtui.sweep.measurement import measurements_of
from raidtui.sweep.quick import quickened
from tests.kernel.driving import raidtui, serials, signatures

DISKS = serials(4)


@pytest.mark.parametrize(
    ("study", "beside"),
    [
        ("levels", "  published: MegaRAID RAID6 of 4"),
        ("levels-filesystems", "in brackets as published"),
        ("chunks", "stripe Q8T1 W"),  # the study has six disks: nothing of it is laid out alike
        ("stripe", "  published: LVM stripe of 2"),
    ],
)
def test_a_study_is_one_command(own_guest: Callable[[str], Guest], study: str, beside: str) -> None:
    guest = own_guest("4x400MiB")
    named = ",".join(DISKS)
    done = raidtui(guest, "sweep", study, "--quick", "--disks", named, "--erase", named, timeout=900)
    assert done.code == 0, done.said
    assert "not measured" not in done.said
    quick = quickened(published_studies()[study])
    count = sum(len(measurements_of(quick, chunks=one.has_chunk)) for one in combinations_of(quick))
    assert f"{count} measurements are stored" in done.said
    assert beside in done.said
    assert signatures(guest, DISKS) == []
