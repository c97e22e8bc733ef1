"""The tour that breaks an array ends well, and not if a photo has changed."""

import pytest

from raidtui.lab.guest import Guest


@pytest.mark.first(0)
def test_the_tour_that_breaks_an_array_ends_with_all_its_photos(large_guest: Guest) -> None:
    done = large_guest.run(["raidtui", "tour", "--break"], timeout=600)
    assert done.returncode == 0, done.stderr
    for words in ("WRONG DISK: LAB-0003", "3 of 3 members in sync", "no photo was lost"):
        assert words in done.stdout
    assert done.stdout.count("Yes: their checksum is") == 3


@pytest.mark.first(0)
def test_the_tour_fails_if_a_photo_has_changed(large_guest: Guest) -> None:
    tour = large_guest.start(["raidtui", "tour", "--break"])
    while b"checksum of all photos" not in tour.stdout:
        large_guest.pump(0.2)
    large_guest.shell("echo changed >/srv/photos/00.jpg")
    assert tour.wait(300) == 4
    assert b"it was" in bytes(tour.stderr)
