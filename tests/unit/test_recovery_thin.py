"""How volumes of a thin pool are looked for: from the metadata of the group, and with the pool's own, which may be damaged."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.backends.lvm import recover, versions
from raidtui.backends.lvm.lost import visible
from raidtui.backends.lvm.metadata import group_in, parse
from raidtui.backends.lvm.thin import in_pool, transaction_in
from raidtui.backends.recovering import Wanted
from raidtui.jobs.commands import Commands, Done
from raidtui.jobs.recovering import thin_pool
from raidtui.jobs.recovering.for_real import order_for_real
from raidtui.jobs.recovering.not_taken import NotTaken
from raidtui.jobs.recovering.thin_pool import open_volume
from raidtui.jobs.recovering.words import result_lines
from raidtui.model.errors import BadInput, Refused
from raidtui.model.procedure import RestoreMetadata
from raidtui.model.recovery import Candidate, Part, Place, Recovery, Shape, Slot, Source, ThinPool, Tried
from raidtui.model.units import KIB, MIB
from tests.unit.test_recovery_on_arrays import Arrays, over, way
from tests.unit.test_recovery_volumes import UUIDS, linear, member, text, volume

HIDDEN = '["READ", "WRITE"]'
INSIDE = volume("pool_tmeta", linear("pv1", 2, 1), status=HIDDEN) + volume(
    "pool_tdata", linear("pv0", 0, 3), status=HIDDEN
)
THIN = 'extent_count = 9\ntype = "thin"\nthin_pool = "pool"\ntransaction_id = 0\ndevice_id = 4'


def pool(transaction: int) -> str:
    return volume(
        "pool",
        'extent_count = 3\ntype = "thin-pool"\nmetadata = "pool_tmeta"\npool = "pool_tdata"\n'
        f"transaction_id = {transaction}\nchunk_size = 128",
    )


def described(transaction: int = 7, seqno: int = 3) -> str:
    return text(pool(transaction) + volume("data", THIN) + INSIDE, seqno=seqno)


def two(folder: Path, *texts: str, transaction: int | None = 7) -> list[Source]:
    """Both physical volumes; the second has the metadata of the pool in its third extent."""
    sources = [member(folder, name, uuid=uuid, texts=texts) for name, uuid in zip("AB", UUIDS, strict=True)]
    if transaction is not None:
        with (folder / "B").open("r+b") as file:
            file.seek(3 * MIB + 32)
            file.write((27022010).to_bytes(8, "little") + bytes(8) + transaction.to_bytes(8, "little"))
    return sources


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_KEPT", ())


def test_a_thin_volume_is_read_from_its_pool_and_the_pool_itself_is_none(tmp_path: Path) -> None:
    _, group = group_in(parse(described()))
    assert visible(group) == ["data"]
    (found,) = recover.RECOVERER.by_superblocks(two(tmp_path, described()), Wanted())
    assert found.pool is not None
    assert (found.of, found.sources, found.pool.device) == ("data", ("A", "B"), 4)
    assert (found.pool.chunk_bytes, found.pool.length_bytes) == (64 * KIB, 9 * MIB)
    assert (found.shape.component_bytes, found.pool.metadata.component_bytes) == (3 * MIB, MIB)
    assert found.words.startswith("data: A (metadata 3")  # of the data; its metadata is on B


@pytest.mark.parametrize(("transaction", "changed"), [(7, ()), (8, ("pool",)), (None, ("pool",))])
def test_a_version_is_not_restored_unless_its_pools_have_its_transaction(
    tmp_path: Path, transaction: int | None, changed: tuple[str, ...]
) -> None:
    (found,) = recover.RECOVERER.by_superblocks(two(tmp_path, described(), transaction=transaction), Wanted())
    assert found.version is not None
    assert (found.version.pools, found.version.changed) == (("pool",), changed)
    seen = Tried(candidate=found, mounted=True, files=3, clean=True)
    whole = Recovery(name="tank", tried=(seen,), at="2026-12-01T14:00:00+00:00")
    if changed:
        with pytest.raises(Refused, match="the thin pool pool changed after it"):
            order_for_real(whole, 1, name="tank", unit="")
        return
    made = order_for_real(whole, 1, name="tank", unit="")
    assert isinstance(made, RestoreMetadata)
    assert (made.pools, made.volume, made.on) == (True, "pool", "A")
    repaired = replace(whole, tried=(replace(seen, pool_repaired=True),))
    with pytest.raises(Refused, match="was not found whole"):
        order_for_real(repaired, 1, name="tank", unit="")
    said = "\n".join(result_lines(repaired))
    assert "1. clean, , 3 files, with a REPAIRED COPY of the thin pool's metadata" in said
    assert "Copy the files away before anything writes to the thin pool" in said


def test_older_versions_in_which_the_volume_lies_the_same_are_one_attempt(tmp_path: Path) -> None:
    texts = (described(), described(transaction=6, seqno=2))
    (found,) = recover.RECOVERER.by_superblocks(two(tmp_path, *texts), Wanted())
    assert "metadata 3" in found.words


def test_without_the_metadata_of_the_pool_its_volumes_are_not_looked_into(tmp_path: Path) -> None:
    (found,) = recover.RECOVERER.by_superblocks(two(tmp_path, described())[:1], Wanted())
    assert found.why_not == "a part of the metadata of its thin pool, pool, is missing"


@pytest.mark.parametrize(
    ("segment", "why"),
    [
        (f'{THIN}\nexternal_origin = "base"', "outside of its thin pool"),
        (THIN.replace('"pool"', '"other"'), "cannot be read"),
        (THIN.replace("= 4", "= x"), "no device_id"),
    ],
)
def test_what_is_not_understood_is_said(segment: str, why: str) -> None:
    _, group = group_in(parse(text(pool(7) + volume("data", segment) + INSIDE)))
    with pytest.raises(BadInput, match=why):
        in_pool(group, "data")


class PoolsOnArrays(Arrays):
    """A thin volume whose pool has its metadata on the array, in one range or with copies of its own."""

    copied = False

    def by_superblocks(self, sources: Sequence[Source], wanted: Wanted) -> tuple[Candidate, ...]:
        parts = (Part(length_bytes=MIB, on=(Place(source="array 1", offset_bytes=MIB),)),)
        slots = (Slot(source="array 1", parts=parts),) if not self.copied else (Slot(), Slot())
        made = ThinPool(
            name="pool", metadata=replace(SHAPE, slots=slots), chunk_bytes=MIB, device=1, length_bytes=MIB
        )
        return tuple(replace(one, pool=made) for one in super().by_superblocks(sources, wanted))


def test_a_pool_on_an_array_that_is_put_together_first() -> None:
    ways = {"array 1": (way("A", "B", events=30),)}
    (found,) = over(PoolsOnArrays(ways))
    assert (found.why_not, found.sources) == ("", ("A", "B"))
    assert found.pool is not None
    assert found.pool.metadata.slots[0].parts[0].on == (Place(source="array 1", offset_bytes=MIB),)
    copied = PoolsOnArrays(ways)
    copied.copied = True
    (refused,) = over(copied)
    assert "copies of its own" in refused.why_not


@pytest.mark.parametrize("block", [b"", bytes(55), bytes(4096)])
def test_a_block_that_is_none_of_a_pool_has_no_transaction(block: bytes) -> None:
    assert transaction_in(block) is None


class Kernel(Commands):
    """Answers commands by how they begin; any other succeeds."""

    def __init__(self, answers: dict[str, tuple[int, str]]) -> None:
        self.asked: list[str] = []
        self._answers = answers

    def run(self, argv: Sequence[str], **_: object) -> Done:
        words = " ".join(argv)
        self.asked.append(words)
        code, said = next(
            (answer for begin, answer in self._answers.items() if words.startswith(begin)), (0, "")
        )
        out, error = ("", said) if code else (said, "")
        return Done(argv=tuple(argv), returncode=code, stdout=out, stderr=error, seconds=0.1)


SHAPE = Shape(level="linear", layout=0, chunk_bytes=0, component_bytes=MIB, slots=(Slot(source="A"),))
POOL = ThinPool(name="pool", metadata=SHAPE, chunk_bytes=64 * KIB, device=4, length_bytes=9 * MIB)
BAD = {"thin_check": (1, "bad checksum")}
FAILED = (1, "device-mapper: reload ioctl failed: Invalid argument\nCommand failed.")


def opened(
    answers: dict[str, tuple[int, str]], monkeypatch: pytest.MonkeyPatch, *, tools: bool = True
) -> tuple[tuple[str, bool], list[str]]:
    kernel = Kernel(answers)
    monkeypatch.setattr(thin_pool, "sectors_of", lambda _: 8192)
    monkeypatch.setattr(thin_pool, "find_tool", lambda name: name if tools else None)
    made: Callable[[int], str] = lambda size: f"/dev/loop{size // MIB}"  # noqa: E731
    return open_volume(kernel, POOL, "/dev/m", "/dev/d", made), kernel.asked


def test_damaged_metadata_is_repaired_in_a_copy_without_its_superblock_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert opened({}, monkeypatch)[0] == ("/dev/mapper/raidtui-try-thin", False)
    assert opened(BAD, monkeypatch)[0] == ("/dev/mapper/raidtui-try-thin", True)
    (_, repaired), asked = opened(BAD | {"thin_repair -i": (1, "the superblock")}, monkeypatch)
    assert repaired
    assert (
        asked[2]
        == "thin_repair --transaction-id 1 --data-block-size 128 --nr-data-blocks 64 -i /dev/m -o /dev/loop4"
    )
    with pytest.raises(NotTaken, match="thin_repair fails: it is too bad") as caught:
        opened(BAD | {"thin_repair": (1, "it is too bad")}, monkeypatch)
    assert caught.value.known


@pytest.mark.parametrize(
    ("answers", "tools", "known", "why"),
    [
        (
            {"dmsetup create raidtui-try-pool": FAILED, "dmsetup targets": (0, "thin-pool v1")},
            False,
            True,
            "Invalid argument.*thin_repair .* is not installed",
        ),
        (
            {"dmsetup create raidtui-try-pool": FAILED, "dmsetup targets": (0, "linear v1")},
            True,
            False,
            "no thin pools",
        ),
        (
            {"dmsetup create raidtui-try-pool": FAILED, "dmsetup targets": (1, "failed")},
            True,
            False,
            "no thin pools",
        ),
        ({"dmsetup create --readonly raidtui-try-thin": FAILED}, True, True, "is not in the thin pool pool"),
    ],
)
def test_a_pool_that_the_kernel_does_not_take(
    answers: dict[str, tuple[int, str]],
    tools: bool,
    known: bool,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(NotTaken, match=why) as caught:
        opened(answers, monkeypatch, tools=tools)
    assert caught.value.known is known
