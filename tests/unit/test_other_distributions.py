"""Persistence on Fedora, openSUSE and Arch, in trees made from their documented layout: none of them runs here."""

import os
from pathlib import Path
from typing import Final

import pytest

from raidtui.commands.doctor import untried_lines
from raidtui.machine.system import read_system
from raidtui.model.packages import Family
from raidtui.model.plan import EnsureLine, Plan, Run
from raidtui.model.system import System
from raidtui.plan.script import as_script
from tests.unit.machine_trees import MadeTree
from tests.unit.plan_machines import machine, plan, step

FEDORA: Final = "6.14.0-63.fc42.x86_64"
SUSE: Final = "6.4.0-150600.23.47-default"
ARCH: Final = "6.14.4-arch1-1"


class Elsewhere(MadeTree):
    """The files of another distribution, and the programs in its PATH."""

    def boots(self, release: str, image: str, os_release: str) -> None:
        self.write("/usr/lib/os-release", os_release)
        self.link("/etc/os-release", "../usr/lib/os-release")
        self.write(image, "")
        (self.root / "lib/modules" / release).mkdir(parents=True)
        self.write("/etc/fstab", "UUID=1-2 / xfs defaults 0 0\n")

    def installs(self, *names: str) -> None:
        for name in names:
            self.write(f"/usr/bin/{name}", "#!/bin/sh\n")
            (self.root / "usr/bin" / name).chmod(0o755)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    made = Elsewhere(tmp_path)
    monkeypatch.setattr("raidtui.machine.tools.search_path", lambda: str(tmp_path / "usr/bin"))
    return made


def reading(made: Elsewhere, release: str, monkeypatch: pytest.MonkeyPatch) -> System:
    about = os.uname()
    running = os.uname_result((about.sysname, about.nodename, release, about.version, about.machine))
    monkeypatch.setattr(os, "uname", lambda: running)
    return read_system(made.tree)


def built(system: System) -> Plan:
    fields = {
        name: getattr(system, name) for name in System.__struct_fields__ if name not in {"hostname", "kernel"}
    }
    return plan(where=machine(**fields, kernel=system.kernel))


def test_on_fedora_the_array_goes_to_etc_mdadm_conf_and_dracut_and_the_mount_is_labeled(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.boots(FEDORA, f"/boot/initramfs-{FEDORA}.img", "NAME=Fedora Linux\nID=fedora\n")
    elsewhere.write(f"/boot/initramfs-0-rescue-{'0' * 32}.img", "")  # of no kernel that a boot takes
    elsewhere.write("/sys/fs/selinux/enforce", "1")
    elsewhere.installs("dracut", "restorecon")
    system = reading(elsewhere, FEDORA, monkeypatch)
    assert (system.family, system.mdadm_conf, system.initramfs) == (
        Family.FEDORA,
        "/etc/mdadm.conf",
        "dracut",
    )
    assert (system.boot_kernels, system.selinux) == ((FEDORA,), True)
    made = built(system)
    (line,) = step(made, "conf").actions
    assert isinstance(line, EnsureLine)
    assert line.path == "/etc/mdadm.conf"
    conf, rebuild = step(made, "initramfs").actions
    assert conf == EnsureLine(path="/etc/dracut.conf.d/90-mdadmconf.conf", line='mdadmconf="yes"')
    assert isinstance(rebuild, Run)
    assert rebuild.argv == ("dracut", "--force", "--kver", FEDORA)
    mount, label = (one for one in step(made, "mount").actions if isinstance(one, Run))
    assert (mount.argv[0], label.argv) == ("mount", ("restorecon", mount.argv[-1]))
    assert "restorecon" in as_script(made)


def test_without_selinux_nothing_is_labeled(elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere.boots(FEDORA, f"/boot/initramfs-{FEDORA}.img", "ID=fedora\n")
    elsewhere.installs("dracut", "restorecon")
    assert not reading(elsewhere, FEDORA, monkeypatch).selinux  # it is off
    elsewhere.write("/sys/fs/selinux/enforce", "0")  # permissive: it will be on one day
    assert reading(elsewhere, FEDORA, monkeypatch).selinux
    (elsewhere.root / "usr/bin/restorecon").unlink()
    assert not reading(elsewhere, FEDORA, monkeypatch).selinux
    assert "restorecon" not in as_script(built(reading(elsewhere, FEDORA, monkeypatch)))


def test_on_opensuse_the_image_has_another_name(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.boots(SUSE, f"/boot/initrd-{SUSE}", 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n')
    elsewhere.link("/boot/initrd", f"initrd-{SUSE}")
    elsewhere.installs("dracut")
    system = reading(elsewhere, SUSE, monkeypatch)
    assert (system.family, system.mdadm_conf, system.initramfs) == (Family.SUSE, "/etc/mdadm.conf", "dracut")
    assert system.boot_kernels == (SUSE,)
    no_lab, tried = untried_lines(system)
    assert "need user-mode Linux" in no_lab
    assert tried.startswith("On openSUSE, /etc/mdadm.conf, dracut and SELinux were tried in a tree")
    made = built(system)
    assert [check.subject for check in step(made, "initramfs").after] == [SUSE]


def test_an_initramfs_that_is_not_in_boot_is_said_to_be_missing(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.boots(FEDORA, f"/boot/efi/{'0' * 32}/{FEDORA}/initrd", "ID=fedora\n")  # with systemd-boot
    elsewhere.installs("dracut")
    system = reading(elsewhere, FEDORA, monkeypatch)
    assert system.initramfs == ""
    assert untried_lines(system)[2].startswith("No initramfs of the running kernel was found in /boot.")


def test_on_arch_doctor_says_that_the_initramfs_is_not_rebuilt(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere.boots(ARCH, "/boot/initramfs-linux.img", "ID=arch\n")
    elsewhere.installs("mkinitcpio")
    system = reading(elsewhere, ARCH, monkeypatch)
    assert (system.family, system.mdadm_conf, system.initramfs) == (Family.ARCH, "/etc/mdadm.conf", "")
    _, line = untried_lines(system)
    assert "run 'mkinitcpio -P'" in line


def test_on_debian_there_is_nothing_to_say(elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere.boots(FEDORA, f"/boot/initrd.img-{FEDORA}", "ID=debian\n")
    assert untried_lines(reading(elsewhere, FEDORA, monkeypatch)) == ()
