"""The files of a thin pool's volumes are looked for on overlays, where the kernel writes to neither of its parts."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import files_are_right, recover, sums
from tests.kernel.test_recover_metadata import data_is_right, for_real
from tests.kernel.test_recover_volumes import FILL, HEAD, found_whole

VOLUMES = f"""lvcreate -q -y -Wn -V 90M -T tank/pool -n data
{FILL}; lvcreate -q -y -s -n before tank/data; vgchange -q -an tank; udevadm settle"""
LINEAR = f"""set -e
vgcreate -q tank /dev/ubda /dev/ubdb; lvcreate -q -y --poolmetadatasize 4M -L 90M -T tank/pool
{VOLUMES}"""
MIRRORED = f"""set -e
vgcreate -q tank /dev/ubda /dev/ubdb /dev/ubdc
lvcreate -q -y --type raid1 -m1 -L 90M -n pool tank; lvcreate -q -y --type raid1 -m1 -L 4M -n meta tank
lvconvert -q -y --type thin-pool --poolmetadata tank/meta tank/pool
{VOLUMES}"""
# The first block of the metadata in every copy, found by its magic number.
BLANK = """python3 - /dev/ubd[abc] <<'END'
import os, sys
for name in sys.argv[1:]:
    with open(name, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        for at in range(0, size, 1 << 20):
            file.seek(at + 32)
            if int.from_bytes(file.read(8), "little") == 27022010:
                file.seek(at)
                file.write(bytes(4096))
                print(name)
END"""


@pytest.mark.first(1)
def test_a_label_that_was_overwritten_is_written_again(guest: Guest) -> None:
    guest.shell(LINEAR)
    guest.shell(f"{HEAD.format('a')}; udevadm settle")
    found_whole(guest, "tank", "--disks", "LAB-0001", before=sums(guest, "abc"))
    for_real(guest, "tank", "--disks", "LAB-0001")
    data_is_right(guest)
    status = guest.run(["raidtui", "status"])
    assert status.returncode == 0, status.stdout


@pytest.mark.first(0)
def test_metadata_of_a_mirrored_pool_that_is_damaged_is_repaired_in_a_copy(guest: Guest) -> None:
    guest.shell(MIRRORED)
    assert len(guest.shell(f"{BLANK}\nudevadm settle").stdout.split()) == 2
    before = sums(guest, "abc")
    first, second, *_ = recover(guest, "tank")["tried"]
    for one in (first, second):
        assert (one["pool_repaired"], one["clean"], one["files"]) == (True, True, 61), one
    recover(guest, "tank", "--mount", "1")
    assert files_are_right(guest)
    guest.run(["raidtui", "recover", "--clean"])
    assert sums(guest, "abc") == before
    refused = guest.run(["raidtui", "recover", "tank", "--for-real", "1", "--accept", "restore-metadata"])
    assert refused.returncode == 3, refused.stderr
    assert sums(guest, "abc") == before


@pytest.mark.first(0)
def test_a_pool_on_an_array_that_is_put_together_first(guest: Guest) -> None:
    guest.shell(
        f"""set -e
mdadm -q --create /dev/md/box --run --homehost=lab --metadata=1.2 --level=5 --assume-clean -n3 /dev/ubda /dev/ubdb /dev/ubdc
vgcreate -q tank /dev/md/box; lvcreate -q -y --poolmetadatasize 4M -L 90M -T tank/pool
{VOLUMES}; mdadm -q --stop /dev/md/box; mdadm -q --zero-superblock /dev/ubdb; udevadm settle"""
    )
    before = sums(guest, "abc")
    found_whole(guest, "--disks", "LAB-0001,LAB-0003", before=before)
