"""The script's shell functions under dash, on a small /sys, with tools that fail the way udev makes them fail.

`[ -b ]` cannot be true of a file, so the tests say themselves what is a block device; everything else is real.
"""

import subprocess
from pathlib import Path

import pytest

from raidtui.plan.script import shell_functions
from raidtui.plan.script_parts import PATIENTLY

pytestmark = pytest.mark.processes  # the shell that runs the functions

LINK = "/dev/disk/by-id/wwn-0x5-part1"
# A link that is gone for the first $gone looks: readlink then says the link itself, which is not a device.
UDEV = r"""
sleep() { :; }
gone=0
looks=$tmp/looks
echo 0 >"$looks"
readlink() {
    n=$(($(cat "$looks") + 1))
    echo "$n" >"$looks"
    if [ "$n" -le "$gone" ]; then printf '%s\n' "$2"; else printf '/dev/sda1\n'; fi
}
is_there() { case $1 in /dev/sd*) ;; *) return 1 ;; esac; }
"""


# It says nothing of a blank disk.
WIPEFS = "case $1 in --version) echo 'wipefs from util-linux 2.38.1' ;; esac"


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """A partition from sector 2048 with 4096 sectors."""
    folder = tmp_path / "class/block/sda1"
    folder.mkdir(parents=True)
    (folder / "start").write_text("2048\n")
    (folder / "size").write_text("4096\n")
    (folder / "partition").write_text("1\n")
    (tmp_path / "tools").mkdir()
    return tmp_path


def tool(sysfs: Path, name: str, script: str) -> None:
    """A program that is found before the real one."""
    path = sysfs / "tools" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(sysfs: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run ``script`` after the functions under dash."""
    functions = shell_functions().replace("/sys/", f"{sysfs}/")
    text = f"tmp={sysfs}\n{functions}\n{PATIENTLY}\n{UDEV}\nPATH={sysfs}/tools:$PATH\n{script}\n"
    return subprocess.run(["dash", "-c", text], capture_output=True, text=True, timeout=30, check=False)


def test_a_partition_is_found_though_its_link_is_gone_for_a_moment(sysfs: Path) -> None:
    done = run(sysfs, f"gone=3; must is_partition {LINK} 1048576 2097152; echo found")
    assert (done.returncode, done.stdout, done.stderr) == (0, "found\n", "")


def test_a_partition_whose_link_stays_away_is_a_failure_that_is_named(sysfs: Path) -> None:
    done = run(sysfs, f"gone=99; must is_partition {LINK} 1048576 2097152; echo found")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"check failed: is_partition {LINK} 1048576 2097152\n"


@pytest.mark.parametrize("lost", ["start", "size"])
def test_a_partition_that_the_kernel_drops_meanwhile_is_not_there(sysfs: Path, lost: str) -> None:
    (sysfs / "class/block/sda1" / lost).unlink()
    done = run(sysfs, f"is_partition {LINK} 1048576 2097152 || echo no; echo after")
    assert (done.returncode, done.stdout, done.stderr) == (0, "no\nafter\n", "")


@pytest.mark.parametrize("start", ["2048", "4096"])
def test_a_partition_elsewhere_is_another(sysfs: Path, start: str) -> None:
    (sysfs / "class/block/sda1/start").write_text(f"{start}\n")
    done = run(sysfs, f"is_partition {LINK} 1048576 2097152 && echo same || echo other")
    assert done.stdout == ("same\n" if start == "2048" else "other\n")


def test_a_device_that_cannot_be_asked_is_not_blank(sysfs: Path) -> None:
    tool(sysfs, "wipefs", "echo 'wipefs: error: probing initialization failed' >&2; exit 1")
    done = run(sysfs, f"is_blank {LINK} && echo blank || echo unknown")
    assert done.stdout == "unknown\n"
    assert "probing initialization failed" in done.stderr


def test_a_device_without_signatures_is_blank_and_one_with_them_is_not(sysfs: Path) -> None:
    tool(sysfs, "wipefs", WIPEFS)
    assert run(sysfs, f"is_blank {LINK} && echo blank").stdout == "blank\n"
    tool(sysfs, "wipefs", "echo ' ext4   abcd '")
    done = run(
        sysfs, f"is_blank {LINK} && echo blank; contents_of /dev/sda1; has_filesystem {LINK} ext4 abcd"
    )
    assert (done.returncode, done.stdout) == (0, "disk ext4 abcd\n")


SAME_DISK = (
    "names_of() { echo S-1; }; blockdev() { echo 512; }; same_disk /dev/sda1 S-1 512 '' free; echo ours"
)


def test_a_disk_is_known_by_its_link_too(sysfs: Path) -> None:
    """A bay of a USB enclosure has only that, and the serial number of its enclosure."""
    tool(sysfs, "lsblk", "case $4 in SERIAL) echo DB9876543214E ;; esac")
    links = "disk/by-path/pci-0:1 disk/by-id/usb-JMicron_Disk_DB9876543214E-0:1"
    tool(sysfs, "udevadm", f"case $2 in *symlink) echo '{links}' ;; *) echo ID_BUS=usb ;; esac")
    assert run(sysfs, "names_of /dev/sda1").stdout == "DB9876543214E\nusb-JMicron_Disk_DB9876543214E-0:1\n"


def test_a_user_who_is_gone_when_asked_again_is_none(sysfs: Path) -> None:
    tool(sysfs, "wipefs", WIPEFS)
    seen = f"users_of() {{ [ -e {sysfs}/seen ] || echo 'process 7 (blkid)'; : >{sysfs}/seen; }}; "
    done = run(sysfs, seen + SAME_DISK)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ours\n", "")


def test_a_user_who_stays_is_named(sysfs: Path) -> None:
    tool(sysfs, "wipefs", WIPEFS)
    done = run(sysfs, "users_of() { echo 'process 7 (dd)'; echo more; }; " + SAME_DISK)
    assert done.returncode == 3
    assert done.stderr == "refused: S-1 (/dev/sda1) is in use by process 7 (dd). Nothing was changed.\n"


def test_a_disk_that_is_locked_by_a_link_that_is_gone_makes_no_file(sysfs: Path) -> None:
    done = run(sysfs, f'gone=99; flock --exclusive "$(node_of {sysfs}/link)" true')
    assert done.returncode != 0
    assert not (sysfs / "link").exists()


def test_a_busy_device_is_tried_again(sysfs: Path) -> None:
    tool(
        sysfs,
        "blockdev",
        f"[ -e {sysfs}/tried ] && exit 0; : >{sysfs}/tried; "
        "echo 'blockdev: ioctl error on BLKRRPART: Device or resource busy' >&2; exit 1",
    )
    done = run(sysfs, "patiently blockdev --rereadpt /dev/sda; echo done")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr.endswith("BLKRRPART: Device or resource busy\nbusy; trying again in 0.2 s\n")


def test_a_device_that_stays_busy_is_given_up_and_another_failure_is_not_tried_again(sysfs: Path) -> None:
    for message, tries in (("target is busy", 7), ("no such device", 1)):
        tool(sysfs, "umount", f"echo try; echo '{message}' >&2; exit 32")
        done = run(sysfs, "patiently umount /srv/tank; echo done")
        assert (done.returncode, done.stdout) == (32, "")
        assert done.stderr.count("try\n") == tries


def lvm(sysfs: Path, **answers: str) -> str:
    """An LVM that gives these answers, by what it is asked for: ``pvs``, ``vgs``, ``lvs``; blanks stand around rows."""
    for name, answer in answers.items():
        (sysfs / name).write_text("".join(f"  {row}  \n" for row in answer.splitlines()))
    document = 'row=$(sed -n 1p "$1" | sed "s/^ *//; s/ *$//"); printf \'{"report": [ {"%s": [%s\n]} ]}\' "${1%s}" "$row"'
    others = 'case $* in *segtype*) cat segments ;; *) cat "$1" ;; esac'
    tool(sysfs, "lvm", f"cd {sysfs}; case $* in *json*) {document} ;; *) {others} ;; esac")
    return "gone=0; "


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("d4d83b-0f02-a75d-b382-1176-0bcd-28fcd1 1", True),
        ("d4d83b-0f02-a75d-b382-1176-0bcd-28fcd1 0", False),  # without its metadata area
        ("d4d83b-0f02-a75d-b382-1176-0bcd-28fcd1 tank 1", False),
        ("d4d83b-0f02-a75d-b382-1176-0bcd-28fcd2 1", False),
        ("", False),
    ],
)
def test_a_physical_volume_is_known_however_its_uuid_is_grouped(sysfs: Path, said: str, holds: bool) -> None:
    uuid = "d4d83b0f-02a7-5db3-8211-760bcd28fcd1"
    done = run(sysfs, f"{lvm(sysfs, pvs=said)} is_physical_volume {LINK} {uuid} && echo yes || echo no")
    assert done.stdout == ("yes\n" if holds else "no\n")


@pytest.mark.parametrize(("said", "holds"), [("tank 3 0", True), ("tank 3 1", False), ("", False)])
def test_a_group_is_there_with_all_its_disks_or_not(sysfs: Path, said: str, holds: bool) -> None:
    answers = lvm(sysfs, vgs=said)
    done = run(
        sysfs,
        f"{answers} is_group mark tank 3 && echo yes || echo no; group_gone mark && echo gone || echo there",
    )
    assert done.stdout.split() == ["yes" if holds else "no", "there" if said else "gone"]


@pytest.mark.parametrize(
    ("lvs", "segments", "vgs", "holds"),
    [
        ("data 4096 active", "raid5", "3 0", True),
        ("data 4096 active\ndata 4096 active", "linear\nlinear", "3 0", False),
        ("data 4096 active\ndata_rmeta_0 4 active", "raid5\nlinear", "3 0", False),
        ("data 4096 ", "raid5", "3 0", False),
        ("data 8192 active", "raid5", "3 0", False),
        ("data 4096 active", "raid5", "3 1", False),
        ("", "", "3 0", False),
    ],
)
def test_a_volume_runs_whole_or_not(sysfs: Path, lvs: str, segments: str, vgs: str, holds: bool) -> None:
    answers = lvm(sysfs, lvs=lvs, segments=segments, vgs=vgs)
    done = run(
        sysfs,
        f"{answers} volume_runs mark raid5 3 4096 && echo yes || echo no; volumes_gone mark && echo gone || echo there",
    )
    assert done.stdout.split() == ["yes" if holds else "no", "there" if lvs else "gone"]


def test_an_lvm_that_fails_does_not_make_anything_gone(sysfs: Path) -> None:
    tool(sysfs, "lvm", "exit 5")
    done = run(
        sysfs,
        "set -e; group_gone mark && echo gone || echo unknown; volumes_gone mark && echo gone || echo unknown",
    )
    assert done.stdout.split() == ["unknown", "unknown"]


@pytest.mark.parametrize(
    ("script", "free"),
    [
        ('[ "$3" = guid ] && echo "GUID  " || echo NAME; echo "vault "', 0),
        ("echo no pools available", 0),
        ('[ "$3" = guid ] && echo GUID || echo NAME; echo vault; echo " tank"', 1),
        ("exit 1", 1),
        ("echo vault", 1),
    ],
)
def test_a_pool_is_not_taken_for_absent_because_zpool_does_not_answer(
    sysfs: Path, script: str, free: int
) -> None:
    """Without the module zfs it says on stderr how to load it, and exits with 1."""
    tool(sysfs, "zpool", script)
    assert run(sysfs, "is_pool_name_free tank").returncode == free
    assert run(sysfs, "pool_gone tank").returncode == free
