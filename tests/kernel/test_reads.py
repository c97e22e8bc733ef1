"""Which disks serve the reads of a real kernel, against the ideal speed: the busiest disk is waited for."""

import pytest

from raidtui.backends.arithmetic.ideal import ideal
from raidtui.backends.facts import Options
from raidtui.backends.registry import backend
from raidtui.lab.guest import Guest
from raidtui.model.spec import Backend
from raidtui.model.units import GIB

FIO = (
    "fio --name=reads --thread=1 --direct=1 --ioengine=libaio --time_based=1 --runtime=2 --randrepeat=0 "
    "--norandommap=1 --output=/dev/null"
)
SEQUENTIAL = "--rw=read --bs=1m --iodepth=8"
RANDOM = "--rw=randread --bs=4k --iodepth=32"


def sectors_read(guest: Guest, disks: str) -> list[int]:
    return [
        int(word) for word in guest.shell(f"awk '{{print $3}}' /sys/block/ubd[{disks}]/stat").stdout.split()
    ]


def serving(guest: Guest, disks: str, words: str) -> float:
    """How many disks serve these reads: those of all, divided by those of the busiest."""
    before = sectors_read(guest, disks)
    guest.shell(f"{FIO} {words}")
    each = [after - earlier for after, earlier in zip(sectors_read(guest, disks), before, strict=True)]
    return sum(each) / max(each)


@pytest.mark.first(1)
@pytest.mark.parametrize(("layout", "disks"), [("f2", 4), ("o2", 4), ("f2", 5), ("o3", 5)])
def test_a_degraded_raid10_of_far_copies_waits_for_the_next_disk(
    guest: Guest, layout: str, disks: int
) -> None:
    names = "abcdef"[:disks]
    guest.shell(
        f"mdadm --quiet --create /dev/md/far --run --level=raid10 --layout={layout} --chunk=64 --bitmap=none "
        f"--assume-clean --raid-devices={disks} /dev/ubd[{names}] && mdadm --quiet /dev/md/far --fail /dev/ubdb && "
        f"for disk in /sys/block/ubd[{names}]; do echo 1 >$disk/queue/rotational; done"
    )
    degraded = ideal("raid10", disks, layout).degraded

    assert degraded is not None
    for words in (SEQUENTIAL, RANDOM):
        found = serving(guest, names, f"--filename=/dev/md/far {words}")
        assert found == pytest.approx(degraded.rand_read, rel=0.06)
        assert found == pytest.approx(degraded.seq_read, rel=0.06)


@pytest.mark.first(1)
@pytest.mark.parametrize(("level", "disks"), [("raid5", 4), ("raid6", 5), ("raid10", 4)])
def test_a_stream_of_btrfs_is_served_by_the_disks_of_its_ideal(
    large_guest: Guest, level: str, disks: int
) -> None:
    names = "abcdef"[:disks]
    best = backend(Backend.BTRFS).facts(level, (GIB,) * disks, Options(rotational=False)).ideal
    large_guest.shell(
        f"mkfs.btrfs -q -f -d {level} -m raid1 /dev/ubd[{names}] && mkdir -p /srv/reads && "
        f"btrfs device scan /dev/ubd[{names}] && mount /dev/ubda /srv/reads && "
        "dd if=/dev/zero of=/srv/reads/file bs=1M count=300 conv=fsync status=none"
    )

    found = serving(large_guest, names, f"--filename=/srv/reads/file --size=300m {SEQUENTIAL}")

    assert found == pytest.approx(best.seq_read, rel=0.06)
