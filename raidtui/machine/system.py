"""Read what plans need to know about the computer besides its disks."""

import os
import re
from typing import Final

import psutil

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
from raidtui.machine.degraded_boot import degraded_started_by
from raidtui.machine.installation import ONE_FILE, how_installed, own_command
from raidtui.machine.levels import md_levels
from raidtui.machine.monitor import monitored_by
from raidtui.machine.packages import read_family
from raidtui.machine.scrub import could_scrub, installed_timers, read_schedules, scrubbed_by
from raidtui.machine.smartd import smartd_conf
from raidtui.machine.surroundings import container, corrects_memory, hypervisor
from raidtui.machine.sync_limits import read_limits
from raidtui.machine.tools import find_tool
from raidtui.machine.tree import Tree
from raidtui.machine.udev import udev_runs
from raidtui.model.paths import OF_ROOT
from raidtui.model.system import System

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
        memory_bytes=psutil.virtual_memory().total,
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
