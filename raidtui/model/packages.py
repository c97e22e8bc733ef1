"""Names of packages in each family of distributions, and the command that installs them."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from raidtui.model.struct import Record


class Family(StrEnum):
    """Distributions that share a package manager and the names of packages."""

    DEBIAN = "debian"
    UBUNTU = "ubuntu"
    FEDORA = "fedora"
    SUSE = "suse"
    ARCH = "arch"


class _Manager(Record, frozen=True):
    distribution: str
    install: str


_MANAGERS: Final = {
    Family.DEBIAN: _Manager("Debian", "apt-get install"),
    Family.UBUNTU: _Manager("Ubuntu", "apt-get install"),
    Family.FEDORA: _Manager("Fedora", "dnf install"),
    Family.SUSE: _Manager("openSUSE", "zypper install"),
    Family.ARCH: _Manager("Arch Linux", "pacman -S"),
}

FAMILIES: Final = (Family.DEBIAN, Family.FEDORA, Family.SUSE, Family.ARCH)
"""One of each package manager."""

# Debian's name → the name elsewhere, where it differs; empty: not needed, or not to be had, there.
_NAMES: Final[dict[Family, dict[str, str]]] = {
    Family.DEBIAN: {},
    Family.UBUNTU: {"linux-headers-amd64": "", "zfs-dkms": ""},  # the kernel's own packages have the module
    Family.FEDORA: {
        "fdisk": "util-linux",
        "mount": "util-linux",
        "udev": "systemd-udev",
        "user-mode-linux": "",
        "linux-headers-amd64": "kernel-devel",
        "zfs-dkms": "",
        "zfsutils-linux": "zfs",
    },
    Family.SUSE: {
        "fdisk": "util-linux",
        "mount": "util-linux",
        "btrfs-progs": "btrfsprogs",
        "user-mode-linux": "",
        "linux-headers-amd64": "",
        "zfs-dkms": "",
        "zfsutils-linux": "zfs",
    },
    Family.ARCH: {
        "fdisk": "util-linux",
        "mount": "util-linux",
        "udev": "systemd",
        "user-mode-linux": "",
        "linux-headers-amd64": "linux-headers",
        "zfsutils-linux": "zfs-utils",
    },
}

# What is not in the distribution's own main repository, by Debian's name.
_FROM: Final = {
    (Family.DEBIAN, "linux-headers-amd64"): "contrib",
    (Family.DEBIAN, "zfs-dkms"): "contrib",
    (Family.DEBIAN, "zfsutils-linux"): "contrib",
    (Family.FEDORA, "zfsutils-linux"): "OpenZFS's own repository",
    (Family.SUSE, "zfsutils-linux"): "the repository 'filesystems'",
    (Family.ARCH, "zfs-dkms"): "the AUR, which pacman does not read",
    (Family.ARCH, "zfsutils-linux"): "the AUR, which pacman does not read",
}


def family_in(os_release: str) -> Family | None:
    """The family of a distribution, from the text of os-release(5); None: not known."""
    values = dict(line.partition("=")[::2] for line in os_release.splitlines())
    words = f"{values.get('ID', '')} {values.get('ID_LIKE', '')}".replace('"', " ").replace("'", " ").split()
    also = {"opensuse": Family.SUSE, "sles": Family.SUSE, "rhel": Family.FEDORA, "centos": Family.FEDORA}
    known = also | {str(family): family for family in Family}
    return next((known[word] for word in words if word in known), None)


def distribution(family: Family) -> str:
    """The name of the best known distribution of a family."""
    return _MANAGERS[family].distribution


def name_in(package: str, family: Family | None) -> str:
    """The name of Debian's ``package`` there; empty: not needed, or not to be had."""
    return _NAMES[family or Family.DEBIAN].get(package, package)


def to_install(packages: Iterable[str], family: Family | None) -> str:
    """The command that installs Debian's ``packages``: "on Fedora: dnf install fio". Of an unknown family, Debian's."""
    where = family or Family.DEBIAN
    wanted = list(packages)
    names = dict.fromkeys(name for package in wanted if (name := name_in(package, where)))
    sources = dict.fromkeys(_FROM[where, package] for package in wanted if (where, package) in _FROM)
    origin = f" (from {' and '.join(sources)})" if sources else ""
    manager = _MANAGERS[where]
    return f"on {manager.distribution}: {manager.install} {' '.join(names)}{origin}"
