"""The light of a disk blinks by reads alone."""

from raidtui.lab.guest import Guest

STAT = "cut -d' ' -f1-7 /sys/block/ubdb/stat | xargs"


def test_a_disk_that_is_located_is_read_in_bursts_and_never_written(guest: Guest) -> None:
    before = guest.shell(f"{STAT}; sha256sum /dev/ubdb").stdout.split()
    done = guest.run(["raidtui", "locate", "LAB-0002", "--seconds", "4"], check=True)
    after = guest.shell(f"sync; {STAT}; sha256sum /dev/ubdb").stdout.split()
    assert "Its activity light blinks" in done.stdout
    assert "Nothing is using it now." in done.stdout
    assert int(after[0]) - int(before[0]) > 100  # reads, past the page cache
    assert after[4:7] == before[4:7]  # writes and sectors written
    assert after[-2] == before[-2]
