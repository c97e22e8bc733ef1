"""How QEMU is started: its command line, and what it shows the guest of this computer's files."""

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
from raidtui.lab.disks import VirtualDisk
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
# The second line saves a third of the boot in emulation, and most of the start of each program: without random
# addresses code that was translated once is found again.
_APPEND: Final = (
    "root=/dev/vda rw console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off "
    "norandmaps init_on_alloc=0 rcupdate.rcu_expedited=1 cryptomgr.notests"
)

# The guest has its own of these; all else at the top of the host's tree is laid over. What the guest mounts at
# boot must not be below a folder that is laid over later: that would hide it.
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
    """Has buses, and a system of its own with systemd and ZFS; slow where KVM does not serve."""

    title: Final = "QEMU"
    buses: Final = devices.BUSES
    least_memory: Final = 512 * MIB
    boot_timeout: Final = 300.0  # 20 to 27 on two processors without KVM

    def __init__(self) -> None:
        self._program = ""
        self._image: Image | None = None

    def prepare(self) -> None:
        """Find QEMU, and the image; make that, if it is not there yet."""
        self._program = host.find_programs()
        self._image = find_image()

    @contextlib.contextmanager
    def inherited(self) -> Iterator[tuple[int, ...]]:
        """It needs none."""
        yield ()

    def launch(self, parts: Parts) -> Launch:
        """Lay out the files of the guest's system disk and of its first commands."""
        assert self._image is not None
        system = _system_disk(self._image, parts)
        first = parts.folder / "first"
        (first / "bin").mkdir(parents=True)
        (first / "bin" / "raidtui").write_text(boot.wrapper(), encoding="utf-8")
        (first / "bin" / "raidtui").chmod(0o755)
        (first / "start").write_text(_start_script(parts.share), encoding="utf-8")
        kernel = str(system / "vmlinux")
        argv = [
            *(self._program, "-nodefaults", "-no-user-config", "-no-reboot"),
            *("-display", "none", "-vga", "none", "-machine", "pc"),
            *host.processor(self._program, kernel),
            *("-smp", str(_PROCESSORS), "-m", f"{parts.memory_bytes // MIB}M"),
            *("-kernel", kernel, "-initrd", _newest_initramfs(system)),
            *("-append", _APPEND),
            # Beside what QEMU itself has to say.
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
        """Nothing is known that forbids it."""
        return None

    def pull(self, parts: Parts, disk: VirtualDisk) -> None:
        """Take the disk's device away; its data stay, for `plug`."""
        if disk.bus in ("sata", "megaraid"):
            raise BadInput(f"{disk.serial} cannot be pulled: QEMU has no hot-plug on {disk.bus}")
        with open_monitor(parts.disk_folder) as monitor:
            monitor.ask("device_del", {"id": devices.identity(disk)})
            monitor.wait_for("DEVICE_DELETED", devices.identity(disk))

    def plug(self, parts: Parts, disk: VirtualDisk) -> None:
        """Make the disk's device anew, at the place that it had."""
        number = devices.places(parts.disks)[disk.serial]
        with open_monitor(parts.disk_folder) as monitor:
            monitor.ask("device_add", devices.device_of(disk, number))


def _plain(path: Path) -> str:
    """A path in QEMU's notation of options, where a comma is doubled."""
    return str(path).replace(",", ",,")


def _system_disk(image: Image, parts: Parts) -> Path:
    """The folder with the guest's kernel, initramfs and system disk: new ones, or those that were kept."""
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
    """The one in the guest's /boot that was written last, as the guest itself may have done."""
    found = (system / "boot").glob("initrd.img-*")
    return str(max(found, key=lambda file: file.stat().st_mtime))


def _visible() -> list[str]:
    """The folders of the host that the guest is to see where they are, no one within another."""
    tops = [Path("/") / name for name in sorted(os.listdir("/")) if name not in _SYSTEM]
    tops = [top for top in tops if top.is_dir() and not top.is_symlink()] + [
        Path("/usr/local"),
        Path("/var/tmp"),
    ]
    needed = (Path.cwd(), boot.PACKAGE.parent, Path(sys.prefix), Path(sys.base_prefix))
    for folder in sorted({one.resolve() for one in needed}):
        if folder not in (Path("/"), Path("/usr")) and not any(folder.is_relative_to(top) for top in tops):
            tops.append(folder)
    # What QEMU may not read for its user, such as /root, cannot be laid over the guest's own.
    return [str(top) for top in tops if top.is_dir() and os.access(top, os.R_OK | os.X_OK)]


def _start_script(share: Path | None) -> str:
    settings = {
        "PYTHON": sys.executable,
        "AGENT": str(_AGENT),
        "LINE": f"/dev/virtio-ports/{_LINE}",
        "VISIBLE": "\n".join(_visible()),
        "SHARE": str(share or ""),
    }
    head = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    return "\n".join([*head, (_HERE / "start.sh").read_text(encoding="utf-8")])
