"""A damaged LUKS header is written to a file as it was: cryptsetup opens the container with it, and takes it back."""

import pytest

from raidtui.lab.guest import Guest

MAKE = """set -e
mdadm -q --create /dev/md/tank --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 /dev/ubda /dev/ubdb
udevadm settle; mkdir -p /srv/tank; rm -f /root/header
printf secret | cryptsetup luksFormat --type {kind} --batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 /dev/md/tank -
printf secret | cryptsetup open /dev/md/tank safe -; mkfs.ext4 -q /dev/mapper/safe; mount /dev/mapper/safe /srv/tank
echo here >/srv/tank/file; umount /srv/tank; cryptsetup close safe; {harm}; udevadm settle"""
LOOK = """set -e; printf secret | cryptsetup open {how} /dev/md/tank safe -
mount -o ro /dev/mapper/safe /srv/tank; cat /srv/tank/file; umount /srv/tank; cryptsetup close safe"""
WIPED = "wipefs --all --quiet /dev/md/tank"
GPT = "printf 'label: gpt\\n,,\\n' | sfdisk -q /dev/md/tank"
MBR = "printf 'label: dos\\n,,\\n' | sfdisk -q /dev/md/tank"


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("kind", "harm"), [("luks2", WIPED), ("luks1", MBR), ("luks2", GPT), ("luks1", WIPED), ("luks2", MBR)]
)
def test_the_container_is_opened_with_the_repaired_header(guest: Guest, kind: str, harm: str) -> None:
    guest.shell(MAKE.format(kind=kind, harm=harm), timeout=300)
    said = guest.run(["raidtui", "care"]).stdout
    assert f"the {kind.upper()} header on array tank was overwritten" in said
    assert "raidtui recover /dev/md/tank --luks-header FILE" in said
    before = guest.shell("sha256sum /dev/md/tank").stdout
    made = guest.run(["raidtui", "recover", "/dev/md/tank", "--luks-header", "/root/header"])
    assert (made.returncode, "Nothing was written to /dev/md/tank" in made.stdout) == (0, True), made
    assert guest.shell("sha256sum /dev/md/tank").stdout == before
    assert guest.shell("stat -c %a /root/header").stdout.strip() == "600"
    again = guest.run(["raidtui", "recover", "/dev/md/tank", "--luks-header", "/root/header"])
    assert (again.returncode, "File exists" in again.stderr) == (3, True), again
    assert guest.shell(LOOK.format(how="--readonly --header /root/header")).stdout == "here\n"
    guest.shell("cryptsetup luksHeaderRestore -q /dev/md/tank --header-backup-file /root/header")
    assert guest.shell(LOOK.format(how="")).stdout == "here\n"
