"""Every published study is one command: each runs quickly, on real arrays, and leaves blank disks.

The study of ZFS runs in tests/vm.
"""

from collections.abc import Callable, Sequence

import pytest

from raidtui.lab.guest import Guest
from raidtui.model.sweep import SINGLE
from raidtui.sweep.file import published_studies
from raidtui.sweep.matrix import combinations_of
from raidtui.sweep.measurement import measurements_of
from raidtui.sweep.quick import quickened
from tests.kernel.driving import serials, signatures

DISKS = serials(4)
SMALL = ("--size", "64MiB")  # a file of fio; Bonnie++ needs the larger one of --quick


def run_study(
    guest: Guest,
    study: str,
    disks: Sequence[str],
    beside: str,
    *options: str,
    card: bool = False,
    timeout: float = 1200,
) -> None:
    """See that one command measures the whole study, shows ``beside`` and leaves the disks blank.

    Args:
        card: whether the disks are behind a card, which hides them: a single disk is not measured there.
    """
    named = ",".join(disks)
    words = ["raidtui", "sweep", study, "--quick", "--disks", named, "--erase", named, *options]
    shown = guest.run(words, check=True, timeout=timeout).stdout
    quick = quickened(published_studies()[study])
    measured = [one for one in combinations_of(quick) if not (card and one.level == SINGLE)]
    assert shown.count("not measured") == len(combinations_of(quick)) - len(measured)
    count = sum(len(measurements_of(quick, chunks=one.has_chunk)) for one in measured)
    assert f"{count} measurements are stored" in shown
    assert beside in shown
    if not card:
        assert signatures(guest, disks) == []


@pytest.mark.first(0)
@pytest.mark.timeout(1300)  # minutes, beside other work
@pytest.mark.parametrize(
    ("study", "beside", "options"),
    [
        ("levels-filesystems", "in brackets as published", SMALL),
        ("stripe", "  published: LVM stripe of 2", SMALL),
        ("levels", "  published: MegaRAID RAID6 of 4", SMALL),
        ("chunks", "stripe Q8T1 W", ()),  # the study has six disks: nothing of it is laid out alike
    ],
    ids=["levels-filesystems", "stripe", "levels", "chunks"],
)
def test_a_study_is_one_command(
    own_guest: Callable[[str], Guest], study: str, beside: str, options: Sequence[str]
) -> None:
    run_study(own_guest("4x640MiB"), study, DISKS, beside, *options)
