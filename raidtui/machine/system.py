"""Read what plans need to know about the computer besides its disks, without running a program where a file says it."""

import os
import re
from typing import Final

from raidtui.machine.configured import (
    array_entries,
    auto_words,
    crypttab_lines,
    device_words,
    find_mdadm_conf,
    fstab_lines,
    lead_to,
    mail_address,
)
from raidtui.machine.installation import ONE_FILE, how_installed, own_command
from raidtui.machine.md.sync_limits import read_limits
from raidtui.machine.scrub import could_scrub, installed_timers, read_schedules, scrubbed_by
from raidtui.machine.tools import find_tool, read_family
from raidtui.machine.tree import Tree
from raidtui.machine.udev import udev_runs
from raidtui.model.md_levels import MD_LEVELS
from raidtui.model.paths import OF_ROOT
from raidtui.model.system import SmartdConf, System

_IMAGES: Final = ("/boot/initrd.img-{}", "/boot/initramfs-{}.img", "/boot/initrd-{}")
_MAKERS: Final = ("update-initramfs", "dracut")


def read_system(tree: Tree) -> System:
    """Read the current state of this computer."""
    about = os.uname()
    mdadm_conf = find_mdadm_conf(tree)
    entries = array_entries(tree, mdadm_conf)
    lines, crypttab = fstab_lines(tree), crypttab_lines(tree)
    slowest, fastest = read_limits(tree)
    schedules = read_schedules(tree)
    return System(
        hostname=about.nodename,
        kernel=about.release,
        architecture=about.machine,
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        processors=os.cpu_count() or 1,
        processor_model=_processor(tree),
        systemd=tree.exists("/run/systemd/system"),
        udev=udev_runs(tree),
        uefi=tree.exists("/sys/firmware/efi"),
        initramfs=_initramfs(tree, about.release),
        boot_kernels=boot_kernels(tree, about.release),
        mdadm_conf=mdadm_conf,
        mdadm_conf_arrays=tuple(entry.text for entry in entries),
        mdadm_conf_entries=entries,
        mdadm_conf_devices=device_words(tree, mdadm_conf),
        mdadm_conf_auto=auto_words(tree, mdadm_conf),
        fstab=lines,
        fstab_nodes=tuple(lead_to(tree, line) for line in lines),
        crypttab=crypttab,
        crypttab_nodes=tuple(lead_to(tree, line.split()[1]) for line in crypttab),
        raid_speed_min=slowest,
        raid_speed_max=fastest,
        mail_address=mail_address(tree, mdadm_conf),
        scrubbed_by=scrubbed_by(schedules),
        scrub_schedules=schedules,
        scrub_timers=installed_timers(tree),
        monitored_by=monitored_by(tree),
        degraded_started_by=degraded_started_by(tree),
        hypervisor=hypervisor(tree),
        container=container(tree),
        memory_corrects=corrects_memory(tree),
        md_levels=md_levels(tree, about.release),
        md_waits=md_waits(tree),
        could_scrub=could_scrub(tree),
        program=_own_program(),
        smartd=smartd_conf(tree),
        family=read_family(tree),
        selinux=tree.exists("/sys/fs/selinux/enforce") and find_tool("restorecon") is not None,
    )


def _own_program() -> tuple[str, ...]:
    """How this is started again after the next boot, with the same state folder; empty: it may be gone then."""
    if how_installed() == ONE_FILE:
        return ()
    folder = os.path.abspath(os.environ.get("RAIDTUI_STATE") or OF_ROOT)
    environment = () if folder == OF_ROOT else ("/usr/bin/env", f"RAIDTUI_STATE={folder}")
    return (*environment, *own_command())


def _processor(tree: Tree) -> str:
    for line in tree.lines("/proc/cpuinfo"):
        key, _, value = line.partition(":")
        if key.strip() in {"model name", "Model", "cpu model"}:
            return value.strip()
    return ""


def _initramfs(tree: Tree, release: str) -> str:
    """The program that builds the initramfs; empty if the running kernel has none and so needs none."""
    if not any(tree.exists(image.format(release)) for image in _IMAGES):
        return ""
    return next((maker for maker in _MAKERS if find_tool(maker)), "")


def boot_kernels(tree: Tree, running: str) -> tuple[str, ...]:
    """The releases with an initramfs that may be booted next: the running kernel, and the newest installed.

    Older ones are booted only if selected by hand.
    """
    heads = [(image.partition("{}")[0].rpartition("/")[2], image.partition("{}")[2]) for image in _IMAGES]
    found = {
        name.removeprefix(head).removesuffix(tail)
        for name in tree.names("/boot")
        for head, tail in heads
        if name.startswith(head) and name.endswith(tail)
    }
    releases = {one for one in found if tree.exists(f"/lib/modules/{one}")}
    newest = max(releases, key=_version, default="")
    return tuple(dict.fromkeys(one for one in (running, newest) if one in releases))


def _version(release: str) -> list[tuple[int, str]]:
    """Sort key for releases, oldest first: 6.1.0-9 before 6.1.0-32."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", release)]


def md_waits(tree: Tree) -> bool | None:
    """Whether md_mod's ``start_ro`` makes arrays wait for their first write at each boot.

    Not known where md is not loaded, and where the kernel's command line sets it, maybe for this boot only.
    """
    value = tree.number("/sys/module/md_mod/parameters/start_ro")
    if value is None or "md_mod.start_ro=" in tree.text("/proc/cmdline"):
        return None
    return value != 0


_LAST_RESORT: Final = "mdadm-last-resort@.timer"
_LAST_RESORT_UNITS: Final = (_LAST_RESORT, "mdadm-last-resort@.service")
_ASSEMBLY_RULE: Final = "64-md-raid-assembly.rules"
# The first folder that has it decides (systemd.unit(5), udev(7)).
_OF_SYSTEMD: Final = (
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
_OF_UDEV: Final = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")


def degraded_started_by(tree: Tree) -> str | None:
    """The timer that starts degraded arrays at boot; empty if nothing does, None where that is not known.

    That is so without systemd: it depends on scripts of that system.
    """
    if not tree.exists("/run/systemd/system"):
        return None
    there = all(_found(tree, _OF_SYSTEMD, name) for name in _LAST_RESORT_UNITS)
    rule = _found(tree, _OF_UDEV, _ASSEMBLY_RULE)
    return _LAST_RESORT if there and rule and "mdadm-last-resort@" in tree.text(rule) else ""


def _found(tree: Tree, folders: tuple[str, ...], name: str) -> str:
    """The path that counts of those that the folders have; empty if there is none, or if it is masked."""
    path = next((f"{folder}/{name}" for folder in folders if tree.exists(f"{folder}/{name}")), "")
    return "" if not path or tree.link(path) == "/dev/null" else path


_ALSO_CALLED: Final = {"md-linear": "linear"}  # the module's name differs between kernels
_MODULE_FILE: Final = re.compile(r"(.+)\.ko(\.(gz|xz|zst))?")


def md_levels(tree: Tree, release: str) -> tuple[str, ...] | None:
    """The levels that the running kernel supports, sorted.

    ``None`` if not known: there is no /lib/modules, for example because the kernel is built without modules.

    Args:
        release: of the running kernel, as printed by ``uname -r``.
    """
    if not tree.names("/lib/modules"):
        return None
    loaded = re.findall(r"\[(\w+)\]", next(iter(tree.lines("/proc/mdstat")), ""))
    files = (_MODULE_FILE.fullmatch(name) for name in tree.names(f"/lib/modules/{release}/kernel/drivers/md"))
    modules = {_ALSO_CALLED.get(file[1], file[1]) for file in files if file}
    loadable = {level for level, known in MD_LEVELS.items() if known.module in modules}
    return tuple(sorted({*loaded, *loadable}))


_MONITOR: Final = "mdmonitor.service"
_MONITOR_SCRIPT: Final = "/etc/init.d/mdadm"
_UNIT_FOLDERS: Final = ("/usr/lib/systemd/system", "/lib/systemd/system", "/etc/systemd/system")


def monitored_by(tree: Tree) -> str:
    """The unit or init script that monitors arrays, now or once there is one; empty if there is none."""
    if tree.exists("/run/systemd/system"):
        masked = tree.link(f"/etc/systemd/system/{_MONITOR}") == "/dev/null"
        return (
            _MONITOR
            if not masked and any(tree.exists(f"{folder}/{_MONITOR}") for folder in _UNIT_FOLDERS)
            else ""
        )
    daemon = any(line.replace(" ", "") == "START_DAEMON=true" for line in tree.lines("/etc/default/mdadm"))
    return _MONITOR_SCRIPT if daemon and tree.exists(_MONITOR_SCRIPT) else ""


_SMARTD_FILES: Final = ("/etc/smartd.conf", "/etc/smartmontools/smartd.conf")  # Debian; Fedora and openSUSE


def smartd_conf(tree: Tree) -> SmartdConf | None:
    """The directives of its file; None if there is no file."""
    for file in _SMARTD_FILES:
        if tree.exists(file):
            lines = (line.strip() for line in tree.lines(file))
            return SmartdConf(file=file, lines=tuple(one for one in lines if one and not one.startswith("#")))
    return None


# DMI names of hypervisors, as in systemd-detect-virt.
_BOARDS: Final = (
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("Google Compute Engine", "google"),
    ("Amazon EC2", "amazon"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("innotek GmbH", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyper-v"),
    ("Virtual Machine", "hyper-v"),
    ("Apple Virtualization", "apple"),
)
_DMI_NAMES: Final = ("product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version")
_UNNAMED: Final = "unnamed"
_MARKS: Final = (("/run/.containerenv", "podman"), ("/.dockerenv", "docker"))


def hypervisor(tree: Tree) -> str:
    """The hypervisor this computer runs on: ``kvm``, ``vmware``, ``uml`` …; empty on bare metal.

    On x86 the CPU flag decides whether there is a hypervisor, and the board's name only which: cloud providers rent
    out bare metal too.
    """
    processor = tree.text("/proc/cpuinfo")
    if _is_uml(processor):
        return "uml"
    if tree.text("/sys/hypervisor/type") == "xen" and "control_d" not in tree.text("/proc/xen/capabilities"):
        return "xen"
    flags = next((line for line in processor.splitlines() if line.startswith("flags")), "")
    if flags and "hypervisor" not in flags.split():
        return ""
    board = [tree.text(f"/sys/class/dmi/id/{name}") for name in _DMI_NAMES]
    named = next((word for mark, word in _BOARDS if any(text.startswith(mark) for text in board)), "")
    if named or flags:
        return named or _UNNAMED
    compatible = tree.text("/proc/device-tree/hypervisor/compatible").strip("\0")
    return "kvm" if compatible == "linux,kvm" else compatible


def container(tree: Tree) -> str:
    """The kind of container this system runs in; empty outside a container."""
    reported = tree.text("/run/systemd/container") or _from_init_environment(tree)
    if reported or _is_uml(tree.text("/proc/cpuinfo")):  # lab guests see the host's files, markers included
        return reported
    return next((word for path, word in _MARKS if tree.exists(path)), "")


def _from_init_environment(tree: Tree) -> str:
    words = (word.partition(b"=") for word in tree.bytes("/proc/1/environ").split(b"\0"))
    return next((value.decode(errors="replace") for name, _, value in words if name == b"container"), "")


def _is_uml(processor: str) -> bool:
    return "User Mode Linux" in processor


def corrects_memory(tree: Tree) -> bool | None:
    """Whether a memory controller reports ECC; ``None`` if the kernel has no EDAC."""
    folder = "/sys/devices/system/edac/mc"
    if not tree.exists(folder):
        return None
    controllers = [name for name in tree.names(folder) if name.startswith("mc") and name[2:].isdigit()]
    modes = [
        tree.text(f"{folder}/{controller}/{module}/dimm_edac_mode")
        for controller in controllers
        for module in tree.names(f"{folder}/{controller}")
        if module.startswith(("dimm", "rank"))
    ]
    return bool(controllers) and (not modes or any(mode not in {"", "None", "Unknown"} for mode in modes))
