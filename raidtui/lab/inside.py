"""The command ``lab`` in a guest: break a virtual disk, to see what an array does.

The engine pulls and plugs disks: the host is asked through the agent. Slow and bad disks are made in the guest: a layer
of device mapper, and a loop device on it, because device mapper has no partitions. The loop device has the serial number
of the disk, and the disk below is hidden. It leaves its arrays meanwhile, as when it is pulled.
"""

import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import pyudev

from raidtui.lab import agent
from raidtui.lab.disks import VirtualDisk, properties
from raidtui.model.errors import BadInput, RaidtuiError, StepFailed
from raidtui.model.faults import FAULTS
from raidtui.model.text import fold
from raidtui.model.units import KIB, SECTOR, both

_RULES: Final = Path("/run/udev/rules.d")
_CHUNK: Final = 64 * KIB
_DELAY_MS: Final = 50
_BAD_PLACES: Final = 16
_BAD_SECTORS: Final = 8  # at each
_TRIES: Final = 30
_TRY_SECONDS: Final = 0.1


def main(words: Sequence[str]) -> int:
    """Do what the words say; return the exit code."""
    verb, *disks = words or ("--help",)
    if verb in {"--help", "-h"}:
        print("usage: lab WHAT [DISK], for example: lab pull LAB-0002\n")
        for word, fault in FAULTS.items():
            print(*fold(f"  {word:<8} {fault.title}: {fault.text}", 79, then=" " * 11), sep="\n")
        return 0
    try:
        if verb not in FAULTS:
            raise BadInput(f"'lab' has no {verb!r}; it has {', '.join(FAULTS)}")
        if len(disks) > 1 or (not disks and FAULTS[verb].needs_disk):
            raise BadInput(f"'lab {verb}' needs the serial number of one disk, such as LAB-0002")
        print(_do(verb, *disks))
    except RaidtuiError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _do(verb: str, serial: str = "") -> str:
    match verb:
        case "pull":
            _leave_arrays(_find(serial))
            _take_layer_off(serial)
            _ask_host("pull", serial)
            return f"{serial} is pulled"
        case "slow":
            _put_layer(serial, f"delay {{node}} 0 {_DELAY_MS}")
            return f"{serial} is slow"
        case "bad":
            _put_layer(serial, f"dust {{node}} 0 {SECTOR}")
            _make_bad(serial)
            return f"{serial} has bad sectors"
        case "corrupt":
            return _corrupt(serial)
        case _:
            _ask_host(verb, serial)
            return f"{serial or 'Every disk'} is plugged in"


def _ask_host(verb: str, serial: str) -> None:
    """Have the host do it; wait until it is done.

    Raises:
        StepFailed: the host did not do it; the message says why.
    """
    with socket.socket(socket.AF_UNIX) as door:
        try:
            door.connect(agent.DOOR)
        except OSError as error:
            raise BadInput("this is not the lab; 'raidtui lab' starts it") from error
        door.sendall(f"{verb} {serial}".encode())
        said = b"".join(iter(lambda: door.recv(4096), b"")).decode()
    if said:
        raise StepFailed(said)
    _run("udevadm", "settle")


def _find(serial: str) -> pyudev.Device:
    """The device with this serial number: the disk, or the loop device in its place.

    Raises:
        BadInput: no disk here has it.
    """
    found = {}
    for device in pyudev.Context().list_devices(subsystem="block", DEVTYPE="disk"):
        known = device.properties
        hidden = known.get("RAIDTUI_LAB_INTERNAL") == "1"
        name = known.get("ID_SCSI_SERIAL") or known.get("ID_SERIAL_SHORT") or ""
        if name.startswith("LAB-") and name[4:].isdigit() and not hidden:
            found[name] = device
    if serial not in found:
        raise BadInput(f"no disk {serial!r} is connected; these are: {', '.join(sorted(found))}")
    return found[serial]


def _parts(device: pyudev.Device) -> Iterator[str]:
    """The kernel's names of a disk and of its partitions."""
    yield device.sys_name
    yield from (part.sys_name for part in device.children if part.get("DEVTYPE") == "partition")


def _leave_arrays(device: pyudev.Device) -> None:
    """Fail and remove the disk's members, as udev does when a disk vanishes; QEMU's disks can vanish while in use."""
    for name in _parts(device) if device.sys_name.startswith(("ubd", "loop")) else ():
        for md in os.listdir(f"/sys/class/block/{name}/holders"):
            if md.startswith("md"):
                # mdadm refuses it from 4.3 on if the array fails by this; the kernel says "busy", and has failed the member.
                with suppress(OSError):
                    Path(f"/sys/class/block/{md}/md/dev-{name}/state").write_text("faulty", encoding="ascii")
                _remove(f"/dev/{md}", f"/dev/{name}")


def _remove(array: str, member: str) -> None:
    """Remove a failed member as soon as md has ended its requests; if it cannot, the pull is refused."""
    for _ in range(_TRIES):
        if not os.path.exists(f"/sys/class/block/{member[5:]}/holders/{array[5:]}"):
            return
        _run("mdadm", array, "--remove", member, may_fail=True)
        time.sleep(_TRY_SECONDS)


def _layer(serial: str) -> tuple[Path, str]:
    """The file with the udev rules of a disk with a layer, and the name of the layer in device mapper."""
    return _RULES / f"60-raidtui-{serial}.rules", f"raidtui-{serial}"


def _put_layer(serial: str, target: str) -> None:
    """Put a target of device mapper on a disk, and in place of the disk a loop device on that."""
    device = _find(serial)
    _leave_arrays(device)
    _take_layer_off(serial)
    device = _find(serial)
    rules, name = _layer(serial)
    size = int(device.attributes.asint("size"))
    _run("modprobe", "loop")
    _run("modprobe", f"dm-{target.split()[0]}")
    loop = _run("losetup", "--find").strip()
    names = loop.removeprefix("/dev/")
    shown = properties(VirtualDisk(serial, size * SECTOR))
    rules.write_text(
        f'KERNEL=="{device.sys_name}*", ENV{{RAIDTUI_LAB_INTERNAL}}="1"\n'
        # What is on the layer is not for mdadm: it is on the loop device as well.
        f'KERNEL=="dm-*", ATTR{{dm/name}}=="{name}", ENV{{ANACONDA}}="1", ENV{{SYSTEMD_READY}}="0"\n'
        f'KERNEL=="{names}|{names}p*", ENV{{RAIDTUI_LAB_DISK}}="1", {shown}\n'
        f'KERNEL=="{names}", SYMLINK+="disk/by-id/ubd-$env{{ID_SERIAL}}"\n'
        f'KERNEL=="{names}p*", SYMLINK+="disk/by-id/ubd-$env{{ID_SERIAL}}-part%n"\n',
        encoding="ascii",
    )
    _run("udevadm", "control", "--reload")
    _run("dmsetup", "create", name, "--table", f"0 {size} {target.format(node=device.device_node)}")
    _run("udevadm", "trigger", "--action=change", device.sys_path)
    _run("losetup", "--partscan", "--direct-io=on", loop, f"/dev/mapper/{name}")
    _run("udevadm", "settle")


def _take_layer_off(serial: str) -> None:
    """Put the disk itself back in the place of its loop device, if it has one.

    Raises:
        StepFailed: the disk is in use.
    """
    rules, name = _layer(serial)
    if not rules.exists():
        return
    loop = _find(serial).device_node
    _run("losetup", "--detach", loop)
    _run("udevadm", "settle")
    _run("dmsetup", "remove", "--retry", name)
    rules.unlink()
    _run("udevadm", "control", "--reload")
    _run("udevadm", "trigger", "--subsystem-match=block", "--action=change")
    _run("udevadm", "settle")


def _make_bad(serial: str) -> None:
    """Make sectors unreadable at places spread over the disk."""
    _, name = _layer(serial)
    sectors = int(_run("blockdev", "--getsz", f"/dev/mapper/{name}"))
    for place in range(1, _BAD_PLACES + 1):
        first = sectors * place // (_BAD_PLACES + 1) // _BAD_SECTORS * _BAD_SECTORS
        for sector in range(first, first + _BAD_SECTORS):
            _run("dmsetup", "message", name, "0", "addbadblock", str(sector))
    _run("dmsetup", "message", name, "0", "enable")


def _corrupt(serial: str) -> str:
    """Overwrite a piece in the middle of the disk's largest partition, or of the disk if it has none."""
    device = _find(serial)
    whole, *parts = _parts(device)
    sizes = {name: int(Path(f"/sys/class/block/{name}/size").read_text()) for name in parts or (whole,)}
    name = max(sizes, key=lambda one: sizes[one])
    at = sizes[name] * SECTOR // 2 // _CHUNK * _CHUNK
    with open(f"/dev/{name}", "r+b", buffering=0) as file:
        os.pwrite(file.fileno(), random.randbytes(_CHUNK), at)
        os.fsync(file.fileno())
    return f"{serial}: {both(_CHUNK)} of /dev/{name} overwritten, at {both(at)}"


def _run(*argv: str, may_fail: bool = False) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode and not may_fail:
        raise StepFailed(f"{argv[0]}: {done.stderr.strip() or done.returncode}")
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
