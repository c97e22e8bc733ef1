"""Run a guest whose writes are recorded, on each engine of the lab."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from raidtui.lab.disks import VirtualDisk
from raidtui.lab.guest import Guest
from raidtui.lab.qemu import devices
from tests.campaign.disk_server import DiskServer
from tests.campaign.recorder import Recorder, kernel_of


@contextmanager
def recorded(guest: Guest, folder: Path, data: Path) -> Iterator[Recorder | DiskServer]:
    """Boot ``guest``, record what it writes to its disks, and cut its power.

    Args:
        folder: of the files of its disks.
        data: the file for the written bytes.
    """
    if guest.setup.engine == "qemu":
        recorder: Recorder | DiskServer = _served(guest, folder, data)
    else:
        guest.power_on()
        assert guest._keeper is not None
        files = [folder / disk.file_name for disk in guest.disks]
        recorder = Recorder(kernel_of(guest._keeper._process.pid), files, data)
    try:
        yield recorder
    finally:
        guest.power_cut()
    recorder.end()


def _served(guest: Guest, folder: Path, data: Path) -> DiskServer:
    server = DiskServer(data.with_name("socket"), folder, data)
    in_files = devices.data_of

    def over_nbd(disk: VirtualDisk) -> dict[str, object]:
        return {**in_files(disk), "file": {**server.node(disk.file_name), "discard": "unmap"}}

    with patch.object(devices, "data_of", over_nbd):
        guest.power_on()
    assert server.names == [disk.file_name for disk in guest.disks]
    return server
