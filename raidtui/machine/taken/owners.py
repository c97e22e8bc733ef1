"""Whose process has a disk open, and how that lets go of it.

To end a process is right for a program that somebody started by hand. A virtual machine is shut down, a target lets
go of the disk by its own command, a service is stopped through systemd, and what serves the kernel (mdmon) is never
touched. Of a process that is none of these only its name and number are said: never a command that ends it.

Sources: comm and cgroup of proc(5) and cgroups(7); systemd.slice(5) for the slices; machinectl(1), virsh(1),
tgt-admin(8), multipath(8).
"""

import itertools
import re
import shlex
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.open_by import ISCSI, NVME, SERVER
from raidtui.model.struct import Record


class Owner(Record, frozen=True, kw_only=True):
    """Whose process it is."""

    what: str = ""  # VIRTUAL_MACHINE; empty of an ordinary program
    how_to_free: str  # a command or an instruction; empty if the owner goes with something else on the disk


class _Kind(Record, frozen=True, kw_only=True):
    programs: re.Pattern[str]  # of comm, which the kernel cuts to 15 characters
    what: str
    how: str


def _kind(programs: str, what: str, how: str) -> _Kind:
    return _Kind(programs=re.compile(programs), what=what, how=how)


_MACHINES: Final = re.compile(
    r"qemu-system.*|qemu-kvm|kvm|VBoxHeadless|VirtualBoxVM|vmware-vmx|cloud-hyperviso.*|firecracker|crosvm|bhyve"
)
_KINDS: Final = (
    _kind(
        r"tgtd|istgt|ietd|iscsi-scstd|scst.*|ctld",
        ISCSI,
        "take the disk out of its iSCSI target ({name}), then the target releases it",
    ),
    _kind(
        r"nbd-server|qemu-nbd|nbdkit|nbd-client",
        SERVER,
        "stop exporting the disk ({name})",
    ),
    _kind(r"spdk.*|nvmf_tgt|reactor_\d+", NVME, "remove the disk from that target"),
    _kind(
        r"multipathd",
        "multipath",
        "exclude the disk in the blacklist of /etc/multipath.conf, then: systemctl reload multipathd.service",
    ),
    _kind(r"dmeventd", "LVM's monitor", "deactivate the volume group on the disk; {name} then releases it"),
    _kind(r"zed", "the ZFS event daemon", "export the pool on the disk; {name} then releases it"),
    _kind(
        r"udisksd|smartd|lvmpolld|blkmapd|iscsid|cryptsetup|systemd-.*|\(sd-.*",
        "a part of the system",
        "wait until {name} releases the disk",
    ),
    _kind(r"drbdsetup.*|drbdmeta", "DRBD", "take the DRBD resource on the disk down: drbdadm down"),
    _kind(r"ceph-osd|bluestore.*", "a Ceph OSD", "take that OSD out of the cluster"),
    _kind(
        r"mdadm|mkfs.*|mke2fs|fsck.*|e2fsck|xfs_repair|sfdisk|sgdisk|parted|wipefs|blkdiscard|lvm|pvmove|btrfs|zpool|zfs",
        "a storage tool",
        "wait until {name} is done",
    ),
)
# Containers by their cgroup: the end of its path, with the name or number in the first group.
_CONTAINERS: Final = (
    (re.compile(r"(?:docker-|/docker/)([0-9a-f]{12})[0-9a-f]*(?:\.scope)?(?:/|$)"), "docker stop {}"),
    (re.compile(r"libpod-([0-9a-f]{12})[0-9a-f]*\.scope(?:/|$)"), "podman stop {}"),
    (re.compile(r"systemd-nspawn@([^/]+)\.service(?:/|$)"), "machinectl poweroff {}"),
    (re.compile(r"/lxc(?:\.payload[./]|/)([^/]+)(?:/|$)"), "lxc-stop --name {}"),
)
_SERVICE: Final = re.compile(r"/system\.slice/(?:[^/]+\.slice/)*([^/]+\.service)(?:/|$)")
# Services that people's own programs run in, where no session has been made for them.
_OF_PEOPLE: Final = re.compile(
    r"(sshd?|dropbear|crond?|cronie|anacron|atd|(serial-|console-)?getty|container-getty|emergency|rescue|debug-shell"
    r"|docker|containerd|podman|dbus.*|systemd-.*|display-manager|gdm\d?|lightdm|sddm|rc-local)(@.*)?\.service"
)


def owner_of(tree: Tree, pid: int, name: str) -> Owner:
    """The owner of the process ``pid`` with the short name ``name``."""
    if name == "mdmon":
        # It writes the metadata of a firmware RAID set: writes to its volumes would hang without it.
        return Owner(what="which keeps the metadata of a firmware RAID set", how_to_free="")
    cgroup = tree.text(f"/proc/{pid}/cgroup").replace("\\x2d", "-")
    if _MACHINES.fullmatch(name):
        return Owner(what="a virtual machine", how_to_free=_shut_down(tree, pid, cgroup))
    for pattern, how in _CONTAINERS:
        if match := pattern.search(cgroup):
            return Owner(what="in a container", how_to_free=how.format(match[1]))
    if "kubepods" in cgroup:
        return Owner(what="in a Kubernetes pod", how_to_free="delete the pod that uses the disk")
    for kind in _KINDS:
        if kind.programs.fullmatch(name):
            return Owner(what=kind.what, how_to_free=kind.how.format(name=name))
    service = _SERVICE.search(cgroup)
    if service is not None and not _OF_PEOPLE.fullmatch(service[1]):
        how = f"systemctl stop {shlex.quote(service[1])}"
        return Owner(what=f"of {service[1]}", how_to_free=how)
    return Owner(how_to_free=f"end {name} (process {pid})")


def _shut_down(tree: Tree, pid: int, cgroup: str) -> str:
    """How a virtual machine is shut down: by libvirt's or Proxmox' name for it, where it has one."""
    words = tree.text(f"/proc/{pid}/cmdline").split("\0")
    options = dict(itertools.pairwise(words))
    name = next((part for part in options.get("-name", "").split(",") if part), "").removeprefix("guest=")
    if "machine-qemu" in cgroup or "/libvirt/" in cgroup:
        return f"virsh shutdown {shlex.quote(name or 'NAME')}"
    if options.get("-id", "").isdigit():
        return f"qm shutdown {options['-id']}"
    return f"shut the virtual machine{f' {name}' if name else ''} down"
