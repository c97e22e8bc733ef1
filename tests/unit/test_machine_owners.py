"""Whose process has a disk open decides how the disk is freed: nothing that serves others is ever to be killed."""

from pathlib import Path

import pytest

from raidtui.model.machine import ClaimKind
from tests.unit.machine_trees import MadeTree


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    """A computer with one disk."""
    tree = MadeTree(tmp_path)
    tree.disk("sda")
    return tree


def way(made: MadeTree, name: str, *, cgroup: str = "", command: str = "") -> tuple[str, str]:
    """What is said of a process with the disk open, and how it lets go of it."""
    made.process(42, name, "/dev/sda", writes=True)
    made.write("/proc/42/cgroup", f"0::{cgroup}\n")
    made.write("/proc/42/cmdline", command.replace(" ", "\0"))
    claims = [one for one in made.read_disk("sda").taken_by if one.what is ClaimKind.PROCESS]
    assert len(claims) == 1
    return claims[0].detail, claims[0].how_to_free


@pytest.mark.parametrize(
    ("name", "cgroup", "command", "how"),
    [
        ("qemu-system-x86", "", "", "shut the virtual machine down"),
        ("qemu-system-x86", "", "qemu-system-x86_64 -name web", "shut the virtual machine web down"),
        (
            "qemu-system-x86",
            r"/machine.slice/machine-qemu\x2d1\x2dweb.scope/libvirt/emulator",
            "qemu-system-x86_64 -name guest=web,debug-threads=on",
            "virsh shutdown web",
        ),
        ("kvm", "/qemu.slice/100.scope", "/usr/bin/kvm -id 100 -name web", "qm shutdown 100"),
        ("VBoxHeadless", "", "", "shut the virtual machine down"),
        ("tgtd", "/system.slice/tgt.service", "", "take the disk out of its iSCSI target"),
        ("multipathd", "/system.slice/multipathd.service", "", "blacklist of /etc/multipath.conf"),
        ("dmeventd", "/system.slice/dm-event.service", "", "deactivate the volume group"),
        ("zed", "/system.slice/zfs-zed.service", "", "export the pool"),
        ("udisksd", "/system.slice/udisks2.service", "", "wait until udisksd releases"),
        ("nbd-server", "/system.slice/nbd-server.service", "", "stop exporting the disk"),
        (
            "postgres",
            "/system.slice/postgresql@15-main.service",
            "",
            "systemctl stop postgresql@15-main.service",
        ),
        ("dd", f"/system.slice/docker-{'0123456789ab' * 5}.scope", "", "docker stop 0123456789ab"),
        ("dd", f"/machine.slice/libpod-{'fedcba987654' * 5}.scope", "", "podman stop fedcba987654"),
        ("dd", "/kubepods.slice/kubepods-pod1.slice", "", "delete the pod"),
        # A program that somebody started, whatever service his session came through.
        ("dd", "/user.slice/user-0.slice/session-2.scope", "", "end dd (process 42)"),
        ("badblocks", "/system.slice/ssh.service", "", "end badblocks (process 42)"),
        ("dd", "/system.slice/system-getty.slice/getty@tty1.service", "", "end dd (process 42)"),
        ("dd", "", "", "end dd (process 42)"),
    ],
)
def test_a_disk_is_freed_in_the_way_of_its_owner(
    made: MadeTree, name: str, cgroup: str, command: str, how: str
) -> None:
    detail, said = way(made, name, cgroup=cgroup, command=command)
    assert how in said
    assert "kill" not in said
    assert f"process 42 ({name}" in detail


def test_the_monitor_of_a_firmware_raid_goes_with_its_volumes(made: MadeTree) -> None:
    made.disk(
        "md127", md__metadata_version="external:imsm", md__array_state="inactive", md__level="container"
    )
    made.write("/sys/block/sda/holders/md127", "")
    made.process(42, "mdmon", "/dev/sda", writes=True)
    claims = made.read_disk("sda").taken_by
    assert ClaimKind.PROCESS not in {one.what for one in claims}
    assert not any("kill" in one.how_to_free for one in claims)


def test_a_monitor_without_its_container_is_not_to_be_ended_either(made: MadeTree) -> None:
    detail, how = way(made, "mdmon")
    assert "firmware RAID" in detail
    assert how == "stop the firmware RAID volumes on the disk; this process ends with them"
