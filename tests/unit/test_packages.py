"""The names of packages, and whose they are."""

from pathlib import Path

import pytest

from raidtui.commands.doctor import install_lines
from raidtui.machine.tools import TOOLS, read_family
from raidtui.model.packages import Family, family_in, to_install
from tests.unit.machine_trees import MadeTree


@pytest.mark.parametrize(
    ("os_release", "family"),
    [
        ('PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\n', Family.DEBIAN),
        ("NAME=Ubuntu\nID=ubuntu\nID_LIKE=debian\n", Family.UBUNTU),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', Family.UBUNTU),
        ("ID=raspbian\nID_LIKE=debian\n", Family.DEBIAN),
        ("NAME=Fedora Linux\nID=fedora\nVERSION_ID=42\n", Family.FEDORA),
        ('ID="almalinux"\nID_LIKE="rhel centos fedora"\n', Family.FEDORA),
        ('ID="rhel"\nID_LIKE="fedora"\n', Family.FEDORA),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', Family.SUSE),
        ("ID='sles'\nID_LIKE='suse'\n", Family.SUSE),
        ("ID=arch\n", Family.ARCH),
        ("ID=void\n", None),
        ("rubbish\x00 = =", None),
        ("", None),
    ],
)
def test_the_family_comes_from_os_release(os_release: str, family: Family | None) -> None:
    assert family_in(os_release) is family


def test_the_first_os_release_that_exists_is_read(tmp_path: Path) -> None:
    computer = MadeTree(tmp_path)
    tree = computer.tree
    assert read_family(tree) is None
    computer.write("/usr/lib/os-release", "ID=arch\n")
    assert read_family(tree) is Family.ARCH
    computer.write("/etc/os-release", "ID=fedora\n")
    assert read_family(tree) is Family.FEDORA


@pytest.mark.parametrize(
    ("family", "command"),
    [
        (None, "on Debian: apt-get install fdisk udev btrfs-progs"),
        (Family.DEBIAN, "on Debian: apt-get install fdisk udev btrfs-progs"),
        (Family.UBUNTU, "on Ubuntu: apt-get install fdisk udev btrfs-progs"),
        (Family.FEDORA, "on Fedora: dnf install util-linux systemd-udev btrfs-progs"),
        (Family.SUSE, "on openSUSE: zypper install util-linux udev btrfsprogs"),
        (Family.ARCH, "on Arch Linux: pacman -S util-linux systemd btrfs-progs"),
    ],
)
def test_each_family_has_its_names(family: Family | None, command: str) -> None:
    assert to_install(["fdisk", "udev", "btrfs-progs"], family) == command


@pytest.mark.parametrize("family", [Family.FEDORA, Family.SUSE, Family.ARCH])
def test_a_package_that_is_nowhere_else_is_not_asked_for(family: Family) -> None:
    """One unknown name, and dnf, zypper and pacman install nothing."""
    lab = TOOLS["linux.uml"]
    assert install_lines([lab], family) == ()
    (line,) = install_lines([lab, TOOLS["fio"]], family)
    assert line.endswith(" fio")
    assert install_lines([lab], None) == (
        "To install what is missing on Debian: apt-get install user-mode-linux",
    )


def test_a_package_that_has_several_of_debians_stands_once() -> None:
    assert to_install(["fdisk", "mount"], Family.FEDORA) == "on Fedora: dnf install util-linux"


def test_what_is_not_in_the_main_repository_says_where_it_is() -> None:
    zfs = TOOLS["zpool"].all_packages
    assert to_install(zfs, Family.DEBIAN).endswith("zfs-dkms zfsutils-linux (from contrib)")
    assert to_install(zfs, Family.UBUNTU) == "on Ubuntu: apt-get install zfsutils-linux"
    assert to_install(zfs, Family.FEDORA) == (
        "on Fedora: dnf install kernel-devel zfs (from OpenZFS's own repository)"
    )
    assert to_install(zfs, Family.ARCH).startswith(
        "on Arch Linux: pacman -S linux-headers zfs-dkms zfs-utils (from the AUR"
    )
