"""The metadata of a volume group is restored as a trial found it: torn, without a label, or after its volumes were removed."""

import pytest

from raidtui.lab.guest import Guest
from tests.kernel.test_recover import files_are_right, recover, sums
from tests.kernel.test_recover_volumes import FILL, HEAD, build

DISKS = ("--disks", "LAB-0001,LAB-0002,LAB-0003")
ACCEPT = ("--for-real", "1", "--accept", "restore-metadata")
ON_ARRAY = f"""set -e
mdadm -q --create /dev/md/tank-1 --run --homehost=lab --metadata=1.2 --bitmap=internal --level=5 -n3 /dev/ubda /dev/ubdb /dev/ubdc
mdadm -q --wait /dev/md/tank-1 || :
vgcreate -q tank /dev/md/tank-1; lvcreate -q -y -Wn -L 40M -n data tank
{FILL}; lvextend -q -l +1 tank/data; vgchange -q -an tank; udevadm settle"""
# A power cut within a command of LVM: the header of each area leads to a text that was not written whole.
TEAR = """python3 - {} <<'END'
import struct, sys
for device in sys.argv[1:]:
    with open(device, "r+b") as file:
        file.seek(4096)
        offset, size = struct.unpack_from("<QQ", file.read(512), 40)
        file.seek(4096 + offset + size // 2 // 512 * 512)
        file.write(bytes(512))
END
rm -r /etc/lvm/backup/tank; udevadm settle"""


def for_real(guest: Guest, *words: str, code: int = 0) -> str:
    done = guest.run(["raidtui", "recover", *words, *ACCEPT], timeout=300)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stderr


def data_is_right(guest: Guest) -> None:
    guest.shell("mkdir -p /run/raidtui-recovery; mount -o ro /dev/tank/data /run/raidtui-recovery")
    assert files_are_right(guest)
    guest.shell("umount /run/raidtui-recovery")


def test_torn_on_every_disk_and_killed_in_the_middle(guest: Guest) -> None:
    build(guest, "--type raid1 -m1 -L 60M")
    guest.shell(TEAR.format("/dev/ubd[abc]"))
    before = sums(guest, "abc")
    assert "--for-real" in guest.run(["raidtui", "care"]).stdout
    assert recover(guest, *DISKS)["tried"][0]["clean"] is True
    asked = guest.run(["raidtui", "recover", *DISKS, *ACCEPT[:2]])
    assert (asked.returncode, "--accept restore-metadata" in asked.stderr) == (3, True), asked.stderr

    # LVM writes the label of the second disk and then does not return: the job is killed in that step.
    guest.shell(
        """mv /usr/sbin/pvcreate /usr/sbin/pvcreate.real
printf '#!/bin/sh\n/usr/sbin/lvm pvcreate "$@"; code=$?\ncase "$*" in *LAB-0002*) sleep 600;; esac; exit $code\n' >/usr/sbin/pvcreate
chmod +x /usr/sbin/pvcreate"""
    )
    running = guest.start(["raidtui", "recover", *DISKS, *ACCEPT])
    guest.shell("until pgrep -f '[s]leep 600' >/dev/null; do sleep 0.2; done")
    job = guest.shell("ls /var/lib/raidtui/jobs | tail -n 1").stdout.strip()
    guest.shell(
        "pkill -9 -f '[r]aidtui job'; pkill -9 -f '[s]leep 600'; mv /usr/sbin/pvcreate.real /usr/sbin/pvcreate",
        check=False,
    )
    running.wait(60)
    assert sums(guest, "abc") != before
    back = guest.run(["raidtui", "rollback", job], timeout=120)
    assert back.returncode == 0, (back.stdout, back.stderr)
    assert sums(guest, "abc") == before

    for_real(guest, *DISKS)
    data_is_right(guest)
    assert guest.run(["raidtui", "status"]).returncode == 0


@pytest.mark.first(1)
@pytest.mark.parametrize("then", ["", "pvresize -q /dev/md127; pvs -o pv_mda_count /dev/md127 | grep -w 0"])
def test_torn_on_the_array_that_a_group_is_on(guest: Guest, then: str) -> None:
    """The array need not be stopped: the overlay is on it. pvresize makes a physical volume of no group of what is torn."""
    guest.shell(ON_ARRAY)
    guest.shell(f"{TEAR.format('/dev/md127')}; {then}")
    words = ("--disks", "/dev/md/tank-1")
    assert f"raidtui recover {' '.join(words)}" in guest.run(["raidtui", "care"]).stdout
    before = sums(guest, "abc")
    assert recover(guest, *words)["tried"][0]["clean"] is True
    assert sums(guest, "abc") == before
    for_real(guest, *words)
    data_is_right(guest)


@pytest.mark.first(0)
def test_a_growth_does_not_enlarge_a_physical_volume_whose_group_cannot_be_read(guest: Guest) -> None:
    guest.shell(ON_ARRAY)
    guest.shell(
        "mv /usr/sbin/pvresize /usr/sbin/pvresize.real; ln -s /bin/false /usr/sbin/pvresize; vgchange -q -ay tank"
    )
    grow = ["raidtui", "grow", "tank-1", "--add", "LAB-0004", "--erase", "LAB-0004"]
    failed = guest.run(grow, timeout=300)
    assert (failed.returncode, "enlarge the physical volume" in failed.stderr) == (4, True), failed.stderr
    guest.shell(
        f"mv /usr/sbin/pvresize.real /usr/sbin/pvresize; vgchange -q -an tank; {TEAR.format('/dev/md127')}"
    )
    torn = guest.shell("sha256sum </dev/md127").stdout
    job = guest.shell("ls /var/lib/raidtui/jobs | tail -n 1").stdout.strip()
    refused = guest.run(["raidtui", "resume", job], timeout=300)
    assert (refused.returncode, "does not say how large it is" in refused.stderr) == (4, True), refused.stderr
    assert guest.shell("sha256sum </dev/md127").stdout == torn

    words = ("--disks", "/dev/md/tank-1")
    assert recover(guest, *words)["tried"][0]["clean"] is True
    for_real(guest, *words)
    done = guest.run(["raidtui", "resume", job], timeout=300)
    assert done.returncode == 0, done.stderr
    data_is_right(guest)


@pytest.mark.first(0)
def test_a_label_that_was_overwritten_is_written_again(guest: Guest) -> None:
    build(guest, "-l 100%FREE")
    guest.shell(f"{HEAD.format('b')}; udevadm settle")
    assert recover(guest, "tank", "--disks", "LAB-0002")["tried"][0]["clean"] is True
    for_real(guest, "tank", "--disks", "LAB-0002")
    data_is_right(guest)
    guest.shell("vgchange -q -an tank")
    assert "nothing to restore" in for_real(guest, "tank", "--disks", "LAB-0002", code=3)
    kept = guest.shell("ls -d /var/lib/raidtui/recovery/metadata-* | tail -n 1").stdout.strip()
    assert guest.run(["raidtui", "recover", "--put-back", kept]).returncode == 0
    assert "unknown" in guest.shell("pvs").stdout


@pytest.mark.first(0)
def test_what_has_another_signature_where_its_label_was_gets_no_label(guest: Guest) -> None:
    build(guest, "-l 100%FREE")
    guest.shell(f"{HEAD.format('b')}; printf 'label: gpt\\n' | sfdisk -q /dev/ubdb; udevadm settle")
    assert recover(guest, "tank", "--disks", "LAB-0002")["tried"][0]["clean"] is True
    before = sums(guest, "abc")
    assert "would overwrite it" in for_real(guest, "tank", "--disks", "LAB-0002", code=3)
    assert sums(guest, "abc") == before


@pytest.mark.first(0)
@pytest.mark.parametrize(
    ("removed", "words"), [("lvremove -q -y tank/data", ("tank",)), ("vgremove -q -y tank", DISKS)]
)
def test_a_volume_and_a_group_that_were_removed_come_back(
    guest: Guest, removed: str, words: tuple[str, ...]
) -> None:
    build(guest, "-i 3 -I 64 -L 90M")
    guest.shell(f"{removed}; udevadm settle")
    assert recover(guest, *words)["tried"][0]["clean"] is True
    for_real(guest, *words)
    data_is_right(guest)


@pytest.mark.first(0)
def test_a_group_on_two_arrays_that_was_removed_comes_back(guest: Guest) -> None:
    guest.shell(
        "set -e; for n in 1 2; do mdadm -q --create /dev/md/tank-$n --run --homehost=lab --metadata=1.2 --level=1 --bitmap=none "
        "--assume-clean -n2 $(test $n = 1 && echo /dev/ubda /dev/ubdb || echo /dev/ubdc /dev/ubdd); done; "
        f"vgcreate -q tank /dev/md/tank-1 /dev/md/tank-2; lvcreate -q -y -Wn -l 100%FREE -n data tank; {FILL}; "
        "printf 'UUID=%s /srv/tank ext4 nofail 0 2\n' $(blkid -o value -s UUID /dev/tank/data) >>/etc/fstab; "
        "vgchange -q -an tank; vgremove -q -y tank; udevadm settle"
    )
    words = ("--disks", "/dev/md/tank-1,/dev/md/tank-2")
    assert f"raidtui recover {' '.join(words)}" in guest.run(["raidtui", "care"]).stdout
    before = sums(guest, "abcd")
    assert recover(guest, *words)["tried"][0]["clean"] is True
    assert sums(guest, "abcd") == before
    for_real(guest, *words)
    data_is_right(guest)


@pytest.mark.first(0)
def test_what_newer_metadata_has_is_not_lost_for_an_older_version(guest: Guest) -> None:
    build(guest, "-L 40M")
    guest.shell(
        "vgchange -q -ay tank; lvcreate -q -y -Wn -L 40M -n home tank; mkfs.ext4 -qF /dev/tank/home; mount /dev/tank/home /mnt; "
        "echo 1 >/mnt/f; umount /mnt; lvremove -q -y tank/home; vgchange -q -an tank; udevadm settle"
    )
    tried = recover(guest, "tank")["tried"]
    number = next(n for n, one in enumerate(tried, 1) if one["candidate"]["of"] == "home")
    done = guest.run(["raidtui", "recover", "tank", "--for-real", str(number), *ACCEPT[2:]])
    assert (done.returncode, "newer metadata" in done.stderr) == (3, True), done.stderr


@pytest.mark.first(0)
def test_disks_that_another_group_took_are_refused(guest: Guest) -> None:
    build(guest, "-L 40M", "ab")
    guest.shell("vgremove -q -y tank; vgcreate -q other /dev/ubda /dev/ubdb; udevadm settle")
    words = ("--disks", "LAB-0001,LAB-0002")
    refused = guest.run(["raidtui", "recover", *words])
    assert (refused.returncode, "several volume groups" in refused.stderr) == (3, True), refused.stderr
    assert recover(guest, "tank", *words)["tried"][0]["candidate"]["version"]["group"] == "tank"
    assert "in another volume group" in for_real(guest, "tank", *words, code=3)
