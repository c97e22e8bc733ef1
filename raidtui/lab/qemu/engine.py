"""Start QEMU: its command line, and the files of this computer that the guest sees."""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from raidtui.lab import boot
from raidtui.lab.disks import VirtualDisk, udev_rules
from raidtui.lab.engine import Launch, Parts
from raidtui.lab.qemu import devices, host
from raidtui.lab.qemu.image import Image, find_image
from raidtui.lab.qemu.monitor import NAME, open_monitor
from raidtui.model.errors import BadInput, RaidtuiError
from raidtui.model.units import MIB

_HERE: Final = Path(__file__).parent
_AGENT: Final = _HERE.parent / "agent.py"
_LINE: Final = "raidtui-lab"
_PROCESSORS: Final = 2
# The second line saves a third of the boot in emulation, and most of the start of each program: without randomized
# addresses, code that was translated once is reused.
_APPEND: Final = (
    "root=/dev/vda rw console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off "
    "norandmaps init_on_alloc=0 rcupdate.rcu_expedited=1 cryptomgr.notests"
)

# The guest has its own of these; everything else at the top of the host's tree is mounted over the guest's. What the
# guest mounts at boot must not be below a folder that is mounted over later: that would hide it.
_SYSTEM: Final = frozenset(
    [
        *(
            "bin",
            "boot",
            "dev",
            "etc",
            "lib",
            "lib32",
            "lib64",
            "libx32",
            "lost+found",
            "proc",
            "run",
            "sbin",
        ),
        *("sys", "usr", "var", "media", "mnt", "srv"),
    ]
)


class Qemu:
    """Has buses, and its own system with systemd and ZFS; slow without KVM."""

    title: Final = "QEMU"
    buses: Final = devices.BUSES
    least_memory: Final = 512 * MIB
    boot_timeout: Final = 300.0  # 20 to 27 s on two processors without KVM

    def __init__(self) -> None:
        self._program = ""
        self._image: Image | None = None

    def prepare(self) -> None:
        """Find QEMU and the image; make the image if it does not exist."""
        self._program = host.find_programs()
        self._image = find_image()

    @contextlib.contextmanager
    def inherited(self) -> Iterator[tuple[int, ...]]:
        """No descriptors are needed."""
        yield ()

    def launch(self, parts: Parts) -> Launch:
        """Write the files of the guest's system disk and its start scripts, and return QEMU's command line."""
        assert self._image is not None
        system = _system_disk(self._image, parts)
        first = parts.folder / "first"
        (first / "bin").mkdir(parents=True)
        for name, module in (("raidtui", "raidtui"), ("lab", "raidtui.lab.inside")):
            (first / "bin" / name).write_text(boot.wrapper(module), encoding="utf-8")
            (first / "bin" / name).chmod(0o755)
        (first / "start").write_text(_start_script(parts), encoding="utf-8")
        kernel = str(system / "vmlinux")
        argv = [
            *(self._program, "-nodefaults", "-no-user-config", "-no-reboot"),
            *("-display", "none", "-vga", "none", "-machine", "pc"),
            *host.processor(self._program, kernel),
            *("-smp", str(_PROCESSORS), "-m", f"{parts.memory_bytes // MIB}M"),
            *("-kernel", kernel, "-initrd", _newest_initramfs(system)),
            *("-append", _APPEND),
            # In the same log as QEMU's own messages.
            *("-chardev", f"file,id=console,path={_plain(parts.folder / 'kernel.log')},append=on"),
            *("-serial", "chardev:console"),
            *("-device", "virtio-serial-pci"),
            *("-chardev", f"socket,id=line,fd={parts.line}"),
            *("-device", f"virtserialport,chardev=line,name={_LINE}"),
            *("-chardev", f"socket,id=monitor,path={NAME},server=on,wait=off"),
            *("-mon", "chardev=monitor,mode=control"),
            *("-drive", f"file={_plain(system / 'root.qcow2')},if=none,id=root,discard=unmap"),
            *("-device", "virtio-blk-pci,drive=root,serial=LAB-SYSTEM"),
            *devices.share("first", first, writable=False),
            *devices.share("host", Path("/"), writable=False),
            *devices.share("boot", system / "boot", writable=True),
            *(devices.share("share", parts.share, writable=True) if parts.share else []),
            *devices.arguments(parts.disks),
        ]
        return Launch(argv, {"PATH": os.defpath, "HOME": str(parts.folder), "TMPDIR": str(parts.folder)})

    def explain(self, kernel_log: str) -> RaidtuiError | None:
        """No known cause prevents a boot."""
        return None

    def pull(self, parts: Parts, disk: VirtualDisk) -> None:
        """Remove the device of the disk; its data stay for `plug`."""
        if disk.bus in ("sata", "megaraid"):
            raise BadInput(f"{disk.serial} cannot be pulled: QEMU has no hot-plug on {disk.bus}")
        with open_monitor(parts.disk_folder) as monitor:
            monitor.ask("device_del", {"id": devices.identity(disk)})
            monitor.wait_for("DEVICE_DELETED", devices.identity(disk))

    def plug(self, parts: Parts, disk: VirtualDisk) -> None:
        """Add the device of the disk again, at its former place."""
        number = devices.places(parts.disks)[devices.identity(disk)]
        with open_monitor(parts.disk_folder) as monitor:
            monitor.ask("device_add", devices.device_of(disk, number))


def _plain(path: Path) -> str:
    """A path for QEMU's options, where a comma is doubled."""
    return str(path).replace(",", ",,")


def _system_disk(image: Image, parts: Parts) -> Path:
    """The folder with the guest's kernel, initramfs and system disk: new, or kept from an earlier boot."""
    system = parts.disk_folder / "system"
    disk = system / "root.qcow2"
    if disk.exists():
        return system
    half = parts.disk_folder / "system.new"
    shutil.rmtree(half, ignore_errors=True)
    shutil.copytree(image.boot, half / "boot")
    (half / "vmlinux").symlink_to(image.kernel)
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-b", image.root, "-F", "raw", half / "root.qcow2"],
        check=True,
        env={"PATH": host.SEARCH},
    )
    half.rename(system)
    return system


def _newest_initramfs(system: Path) -> str:
    """The latest initramfs in the guest's /boot; the guest itself may have written one."""
    found = (system / "boot").glob("initrd.img-*")
    return str(max(found, key=lambda file: file.stat().st_mtime))


def _visible() -> list[str]:
    """The folders of the host that the guest sees at the same paths, none inside another."""
    tops = [Path("/") / name for name in sorted(os.listdir("/")) if name not in _SYSTEM]
    tops = [top for top in tops if top.is_dir() and not top.is_symlink()] + [
        Path("/usr/local"),
        Path("/var/tmp"),
    ]
    needed = (Path.cwd(), boot.PACKAGE.parent, Path(sys.prefix), Path(sys.base_prefix))
    for folder in sorted({one.resolve() for one in needed}):
        if folder not in (Path("/"), Path("/usr")) and not any(folder.is_relative_to(top) for top in tops):
            tops.append(folder)
    # What the user of QEMU may not read, such as /root, cannot be mounted in the guest.
    return [str(top) for top in tops if top.is_dir() and os.access(top, os.R_OK | os.X_OK)]


def _start_script(parts: Parts) -> str:
    copies = list(devices.names(parts.disks))
    settings = {
        "PYTHON": sys.executable,
        "AGENT": str(_AGENT),
        "LINE": f"/dev/virtio-ports/{_LINE}",
        "VISIBLE": "\n".join(_visible()),
        "SHARE": str(parts.share or ""),
        "RULES": udev_rules(copies) if copies else "",
    }
    head = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    return "\n".join([*head, (_HERE / "start.sh").read_text(encoding="utf-8")])
