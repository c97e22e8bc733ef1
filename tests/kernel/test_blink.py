"""The light of a disk blinks by reads alone."""

from raidtui.lab.guest import Guest

STAT = "awk '{print $1, $5, $7}' /sys/block/ubdb/stat"  # reads, writes, sectors written


def test_a_disk_that_is_located_is_read_in_bursts_and_never_written(guest: Guest) -> None:
    before = guest.shell(f"{STAT}; sha256sum /dev/ubdb").stdout.split()
    done = guest.run(["raidtui", "locate", "LAB-0002", "--seconds", "4"], check=True)
    after = guest.shell(f"sync; {STAT}; sha256sum /dev/ubdb").stdout.split()
    assert "Its activity light blinks" in done.stdout
    assert "Nothing is using it now." in done.stdout
    assert int(after[0]) - int(before[0]) > 100  # reads, past the page cache
    assert after[1:4] == before[1:4]  # writes, sectors written, the checksum
