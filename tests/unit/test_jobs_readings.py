"""What the checks read: mounts, and the geometry that a filesystem reports."""

from pathlib import Path

from raidtui.jobs.checks import ask_checks
from raidtui.machine.contents.stripes import EXT, XFS, find_geometry
from raidtui.machine.mounts import parse_mountinfo
from raidtui.steps.filesystems import DIRECTORY

MOUNTINFO = """\
22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
36 22 9:127 / /srv/my\\040photos rw shared:2 - xfs /dev/md127 rw,noquota
37 22 0:30 / /run rw - tmpfs tmpfs rw
"""

XFS_INFO = """\
meta-data=/dev/md127             isize=512    agcount=8, agsize=4736 blks
data     =                       bsize=4096   blocks=37888, imaxpct=25
         =                       sunit=128    swidth=384 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype=1
log      =internal log           bsize=4096   blocks=1368, version=2
         =                       sectsz=512   sunit=8 blks, lazy-count=1
"""

DUMPE2FS = """\
Block size:               4096
RAID stride:              128
RAID stripe width:        384
Flex block group size:    16
"""


def test_mounts_are_read_with_their_blanks() -> None:
    root, photos, run = parse_mountinfo(MOUNTINFO)
    assert (root.device_number, root.target, root.source) == ("259:2", "/", "/dev/nvme0n1p2")
    assert (photos.target, photos.type) == ("/srv/my photos", "xfs")
    assert run.source == "tmpfs"


def test_xfs_reports_the_stripes_of_its_data_and_not_of_its_log() -> None:
    assert find_geometry(XFS_INFO, XFS) == {"sunit": "128", "swidth": "384"}


def test_ext4_reports_stride_and_stripe_width() -> None:
    assert find_geometry(DUMPE2FS, EXT) == {"stride": "128", "stripe_width": "384"}


def test_ext4_that_knows_of_no_stripes_reports_none() -> None:
    assert find_geometry("Block size:               4096\n", EXT) == {"stride": "0", "stripe_width": "0"}


def test_a_mount_point_that_is_a_link_is_told_by_its_real_name(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    real, link = (DIRECTORY.of(str(tmp_path / name)) for name in ("real", "link"))
    there, elsewhere = ask_checks([real, link], held=lambda _: False)
    assert there.holds
    assert not elsewhere.holds
    assert elsewhere.text.endswith(f"use {tmp_path}/real as the mount point")
