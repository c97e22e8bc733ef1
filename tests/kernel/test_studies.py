"""Every published study is one command: each runs quickly, on real arrays, and leaves blank disks.

The study of ZFS runs in tests/vm.
"""

from collections.abc import Callable, Sequence

import pytest

from raidtui.lab.guest import Guest
from raidtui.sweep.file import published_studies
from raidtui.sweep.matrix import combinations_of
from raidtui.sweep.measurement import measurements_of
from raidtui.sweep.quick import quickened
from tests.kernel.driving import serials, signatures

DISKS = serials(4)


def run_study(guest: Guest, study: str, disks: Sequence[str], beside: str, *options: str) -> None:
    """See that one command measures the whole study, shows ``beside`` and leaves the disks blank."""
    named = ",".join(disks)
    words = ["raidtui", "sweep", study, "--quick", "--disks", named, "--erase", named, *options]
    shown = guest.run(words, check=True, timeout=1200).stdout
    assert "not measured" not in shown
    quick = quickened(published_studies()[study])
    count = sum(len(measurements_of(quick, chunks=one.has_chunk)) for one in combinations_of(quick))
    assert f"{count} measurements are stored" in shown
    assert beside in shown
    assert signatures(guest, disks) == []


@pytest.mark.first(0)
@pytest.mark.timeout(1300)  # minutes, beside other work
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
    run_study(own_guest("4x640MiB"), study, DISKS, beside)
