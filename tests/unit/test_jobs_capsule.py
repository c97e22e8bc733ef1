"""The capsule puts a disk back byte for byte, or says why it will not. The disks here are image files."""

import errno
import os
import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.jobs.capsule import END_BYTES, INDEX, first_foreign, folder_of, regions_to_save, restore, save
from raidtui.model.errors import Refused, StepFailed
from raidtui.model.machine import Disk, Partition, Signature
from raidtui.model.plan import Extent
from raidtui.model.units import MIB

SIZE = 24 * MIB + 512  # an odd sector at the end, as real disks have


def a_disk(path: Path, **changes: object) -> Disk:
    kept: dict[str, object] = {
        "name": "sda",
        "path": str(path),
        "device_number": "8:0",
        "size_bytes": SIZE,
        "serial": "LAB-0001",
        "signatures": (Signature(device="/dev/sda", offset=0x438, type="ext4", uuid="aaaa"),),
    }
    return Disk(**{**kept, **changes})  # type: ignore[arg-type]


def an_image(path: Path) -> bytes:
    content = random.Random(1).randbytes(SIZE)
    path.write_bytes(content)
    return content


def no_texts() -> dict[str, str]:
    return {"table.txt": "nothing\n"}


def test_what_was_overwritten_in_the_regions_comes_back(tmp_path: Path) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    before = an_image(image)
    partition = Extent(offset=4 * MIB, length=10 * MIB)
    assert "saved" in save(capsule, a_disk(image), [partition], no_texts)
    with image.open("r+b") as file:
        for offset in (0, SIZE - MIB, partition.offset, partition.end - MIB):
            file.seek(offset)
            file.write(bytes(MIB))
    assert image.read_bytes() != before
    assert "restored" in restore(capsule, a_disk(image), ours=frozenset())
    assert image.read_bytes() == before


def test_saving_again_keeps_the_first_capsule(tmp_path: Path) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    before = an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    with image.open("r+b") as file:
        file.write(bytes(MIB))
    assert "already complete" in save(capsule, a_disk(image), [], no_texts)
    restore(capsule, a_disk(image), ours=frozenset())
    assert image.read_bytes() == before


def test_a_capsule_that_was_not_finished_is_no_capsule(tmp_path: Path) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    (folder_of(capsule, "LAB-0001") / INDEX).unlink()
    with pytest.raises(Refused, match="no complete recovery capsule of LAB-0001"):
        restore(capsule, a_disk(image), ours=frozenset())


def test_a_damaged_capsule_writes_nothing(tmp_path: Path) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    image.write_bytes(bytes(SIZE))
    (folder_of(capsule, "LAB-0001") / f"{SIZE // 4096 * 4096 - MIB}.raw").write_bytes(b"other bytes")
    with pytest.raises(Refused, match="the capsule is damaged"):
        restore(capsule, a_disk(image), ours=frozenset())
    assert image.read_bytes() == bytes(SIZE)


@pytest.mark.parametrize("changes", [{"serial": "LAB-0002"}, {"size_bytes": SIZE - 512}, {"wwn": "0x5000"}])
def test_the_capsule_of_another_disk_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    folder_of(capsule, "LAB-0001").rename(capsule / str(changes.get("serial", "LAB-0001")))
    with pytest.raises(Refused, match="is not the disk LAB-0001"):
        restore(capsule, a_disk(image, **changes), ours=frozenset())


def test_what_somebody_else_put_on_the_disk_is_not_overwritten(tmp_path: Path) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    image.write_bytes(bytes(SIZE))
    foreign = (Signature(device="/dev/sda", offset=0, type="xfs", uuid="bbbb"),)
    with pytest.raises(Refused, match="LAB-0001 now has xfs bbbb on it, which this job did not put there"):
        restore(capsule, a_disk(image, signatures=foreign), ours=frozenset())
    assert image.read_bytes() == bytes(SIZE)
    restore(capsule, a_disk(image, signatures=foreign), ours=frozenset({"xfs bbbb"}))


def test_data_without_a_signature_that_came_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    used = bytearray(SIZE)
    used[MIB // 2] = 7
    image.write_bytes(used)
    with pytest.raises(Refused, match=rf"was written to at byte {MIB // 2:,}, and not by this job"):
        restore(capsule, a_disk(image), ours=frozenset())
    assert image.read_bytes() == used


def test_below_what_holds_the_disk_now_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """udev may have started an array from it as a killed job no longer locked it."""
    image, capsule = tmp_path / "disk", tmp_path / "capsule"
    an_image(image)
    save(capsule, a_disk(image), [], no_texts)
    image.write_bytes(zeroed := bytes(SIZE))
    really = os.open

    def busy(path: str, flags: int, *rest: int) -> int:
        if flags & os.O_EXCL and path == str(image):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        return really(path, flags, *rest)

    monkeypatch.setattr(os, "open", busy)
    with pytest.raises(Refused, match="in use now, so nothing was written"):
        restore(capsule, a_disk(image), ours=frozenset())
    assert image.read_bytes() == zeroed


def test_zeros_what_was_saved_and_a_partition_table_are_the_jobs_own() -> None:
    saved, size = random.Random(2).randbytes(MIB), 10 * MIB
    cut = bytes(400_000) + saved[400_000:]  # dd was killed
    erased = saved[:65_536] + bytes(8) + saved[65_544:]  # wipefs had erased a signature
    table = saved[32_768:]
    for now in (saved, bytes(MIB), cut, erased, b"EFI PART" + bytes(32_760) + table):
        assert first_foreign(now, saved, 0, size) is None
    assert first_foreign(bytes(MIB - 9) + b"EFI PART\0", saved, size - MIB, size) is None
    assert (
        first_foreign(bytes(MIB - 40_000) + b"x" + bytes(39_999), bytes(MIB), size - MIB, size)
        == size - 40_000
    )
    assert first_foreign(bytes(50_000) + b"x" + bytes(MIB - 50_001), bytes(MIB), 0, size) == 50_000


def test_a_disk_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    image = tmp_path / "disk"
    image.write_bytes(bytes(MIB))  # shorter than the disk says it is
    with pytest.raises(StepFailed, match=r"LAB-0001 .* cannot be read"):
        save(tmp_path / "capsule", a_disk(image), [], no_texts)


def test_an_identity_never_leaves_the_folder(tmp_path: Path) -> None:
    for identity in ("../../etc", "a/b", "", ".", "a b"):
        assert folder_of(tmp_path, identity).parent == tmp_path
    assert folder_of(tmp_path, "a/b") != folder_of(tmp_path, "a_b")


sizes = st.integers(8, 2**20).map(lambda sectors: sectors * 512)


@st.composite
def disks(draw: st.DrawFn) -> tuple[Disk, list[Extent]]:
    size = draw(sizes)
    sectors = st.integers(0, size // 512 - 1)
    starts = draw(st.lists(sectors, max_size=4))
    partitions = tuple(
        Partition(
            name=f"sda{number}",
            path=f"/dev/sda{number}",
            number=number,
            start_bytes=start * 512,
            size_bytes=draw(st.integers(1, size // 512 - start)) * 512,
        )
        for number, start in enumerate(starts, 1)
    )
    signatures = tuple(
        Signature(device="/dev/sda", offset=n * 512, type="x") for n in draw(st.lists(sectors, max_size=3))
    )
    start = draw(sectors) * 512
    planned = [Extent(offset=start, length=size - start)]
    disk = a_disk(Path("/dev/sda"), size_bytes=size, partitions=partitions, signatures=signatures)
    return disk, planned


@given(disks())
def test_regions_cover_both_ends_of_everything_and_never_overlap(case: tuple[Disk, list[Extent]]) -> None:
    disk, planned = case
    regions = regions_to_save(disk, planned)
    assert all(0 <= one.offset < one.end <= disk.size_bytes for one in regions)
    assert all(one.offset % 512 == 0 and one.length % 512 == 0 for one in regions)
    assert all(before.end < after.offset for before, after in pairwise(regions))

    def covered(first: int, last: int) -> bool:
        return any(one.offset <= first and last <= one.end for one in regions)

    whole = [Extent(offset=0, length=disk.size_bytes)]
    parts = [Extent(offset=p.start_bytes, length=p.size_bytes) for p in disk.partitions]
    for one in (*whole, *parts, *planned):
        assert covered(one.offset, min(one.offset + END_BYTES, one.end))
        assert covered(max(one.end - END_BYTES, one.offset), one.end)
    assert all(covered(s.offset, s.offset + 512) for s in disk.signatures)
