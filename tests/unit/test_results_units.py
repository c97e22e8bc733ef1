"""What a result keeps of the unit that was measured, whose it is, and results from before there were units."""

import json

import msgspec
import pytest

from raidtui.commands.text.grid import grid
from raidtui.model.result import Cell, Context, MeasuredDisk, MeasuredUnit, Result
from raidtui.model.spec import Backend
from raidtui.model.struct import from_json, to_json
from raidtui.results.compare import compare, compare_by
from raidtui.results.context_words import layout_of
from raidtui.results.efficiency import capacity_kept
from raidtui.results.export import export_results
from raidtui.results.groups import BY
from raidtui.results.published.reader import published
from raidtui.results.side_by_side import table
from raidtui.results.summary import summarise

STRIPED = MeasuredUnit(
    backend=Backend.LVM, name="tank", level="striped", raid_disks=4, chunk_bytes=64 * 1024, uuid="u"
)
RAID0 = MeasuredUnit(name="tank", level="raid0", raid_disks=4, chunk_bytes=64 * 1024)


def result(label: str, unit: MeasuredUnit | None, rate: float = 100.0) -> Result:
    cells = (
        Cell(name="SEQ1M Q8T1", direction="write", bytes_per_second=rate, iops=1, latency_mean_seconds=1),
    )
    disks = tuple(MeasuredDisk(identity=str(n), model="m") for n in range(unit.raid_disks if unit else 1))
    context = Context(unit=unit, disks=disks, filesystem="ext4")
    return Result(
        id=label, label=label, created="2026-11-22", version="", profile="cdm", context=context, cells=cells
    )


def test_a_result_from_before_there_were_units_is_read_and_is_of_mdadm() -> None:
    whole = json.loads(to_json(result("old", RAID0)))
    whole["context"]["array"] = {
        "name": "tank",
        "node": "/dev/md127",
        "level": "raid5",
        "metadata": "1.2",
        "component_bytes": 1,
        "state": "clean",
        "raid_disks": 4,
        "degraded": 1,
        "bitmap_chunk_bytes": 67108864,
        "sync": {"action": "recover", "done_bytes": 1, "total_bytes": 2, "bytes_per_second": 3},
        "members": [{"path": "/dev/sda1", "slot": 0}],
        "lost": [],
    }
    unit = from_json(json.dumps(whole), Result, origin="a file").context.unit
    assert unit == MeasuredUnit(
        name="tank",
        level="raid5",
        metadata="1.2",
        raid_disks=4,
        degraded=1,
        bitmap_chunk_bytes=67108864,
    )
    assert unit.backend is Backend.MDADM


def test_the_key_of_the_unit_is_the_one_that_it_always_was() -> None:
    written = json.loads(to_json(result("new", STRIPED)))
    assert written["context"]["array"]["backend"] == "lvm"
    assert from_json(json.dumps(written), Result, origin="a file") == result("new", STRIPED)


def test_whose_it_is_stands_before_the_level_where_it_is_not_of_mdadm() -> None:
    assert [layout_of(result("x", unit).context) for unit in (RAID0, STRIPED)] == [
        "raid0 of 4, ext4",
        "lvm striped of 4, ext4",
    ]
    assert summarise(result("x", STRIPED)).level == "lvm striped"
    assert [BY["array"](result("x", unit)) for unit in (RAID0, STRIPED)] == [
        "raid0 of 4, 64KiB, ext4",
        "lvm striped of 4, 64KiB, ext4",
    ]


def test_equal_levels_of_two_backends_are_two_groups() -> None:
    mirrors = [msgspec.structs.replace(one, level="raid1", raid_disks=2) for one in (RAID0, STRIPED)]
    found = compare_by([result(str(n), one) for n, one in enumerate(mirrors)], "level")
    assert [column.id for column in found.columns] == ["raid1", "lvm raid1"]


def test_a_comparison_says_that_the_backends_differ() -> None:
    said = compare([result("a", RAID0), result("b", STRIPED), result("c", None)]).remarks
    assert "not the same: the backend (mdadm: a; lvm: b; none: c)" in said
    assert not any("backend" in one for one in compare([result("a", RAID0), result("c", None)]).remarks)


def test_where_columns_have_letters_the_remarks_have_these_and_no_long_labels() -> None:
    found = compare([result("the md array of the attic", RAID0), result("LVM of the cellar", STRIPED)])
    assert "not the same: the backend (A: mdadm, B: lvm)" in found.lettered
    assert len(found.lettered) == len(found.remarks)
    assert "the backend (A: mdadm, B: lvm)" in " ".join(table(found).split())
    by = compare_by([result(f"{n}", RAID0 if n else STRIPED) for n in range(9)], "level")
    assert any("(A: lvm, B: mdadm)" in one for one in by.lettered)


def test_the_cache_policy_of_a_card_is_said_before_all_else() -> None:
    back = {"write policy": "write-back", "battery": "BBU Optimal", "firmware": "1"}
    through = back | {"write policy": "write-through", "firmware": "2"}

    def on_card(label: str, properties: dict[str, str], kernel: str) -> Result:
        unit = MeasuredUnit(backend=Backend.MEGARAID, level="raid5", card=label, properties=properties)
        made = result(label, unit)
        return msgspec.structs.replace(
            made, context=msgspec.structs.replace(made.context, card=label, kernel=kernel)
        )

    said = compare([on_card("a", back, "6.1"), on_card("b", through, "6.12")]).remarks
    assert said[:2] == (
        "not the same: the write policy (a: write-back, b: write-through)",
        "not the same: the firmware (a: 1, b: 2)",
    )
    assert any("the kernel" in one for one in said)
    assert not any("battery" in one or "the backend" in one for one in said)
    mixed = compare([on_card("a", back, "6.1"), result("m", RAID0)]).remarks
    assert "not the same: the backend (a: megaraid, m: mdadm)" in mixed


def test_the_chunk_is_a_difference_between_backends_and_not_between_levels() -> None:
    large = msgspec.structs.replace(RAID0, chunk_bytes=512 * 1024)
    said = compare([result("a", large), result("b", STRIPED)]).remarks
    assert "not the same: the chunk (a: 512KiB, b: 64KiB)" in said
    five = msgspec.structs.replace(large, level="raid5")
    assert not any("chunk" in one for one in compare([result("a", RAID0), result("b", five)]).remarks)


@pytest.mark.parametrize(
    ("level", "disks", "kept"),
    [("striped", 4, 1.0), ("raid1", 3, 1 / 3), ("raid6", 6, 4 / 6), ("raid10", 4, 0.5)],
)
def test_what_lvm_keeps_of_the_disks_is_what_lvm_says(level: str, disks: int, kept: float) -> None:
    unit = msgspec.structs.replace(STRIPED, level=level, raid_disks=disks)
    assert capacity_kept(Context(unit=unit)) == pytest.approx(kept, rel=1e-5)


def test_the_ideal_is_of_the_levels_of_its_own_backend() -> None:
    comparison = compare([result("disk", None), result("md", RAID0, 380.0), result("lvm", STRIPED, 200.0)])
    assert [cell.ideal_share for cell in comparison.rows[0].cells] == [
        None,
        pytest.approx(0.95),
        pytest.approx(0.5),
    ]
    unknown = msgspec.structs.replace(STRIPED, level="stripe", raid_disks=10**9)
    assert capacity_kept(Context(unit=unknown)) is None
    many = msgspec.structs.replace(STRIPED, level="linear", raid_disks=10**9)
    assert capacity_kept(Context(unit=many)) is None, "a file may say anything, and is answered at once"


def test_the_published_stripes_are_of_two_backends() -> None:
    units = [published(f"published:streams-{name}-stripe").context.unit for name in ("mdadm", "lvm")]
    assert [unit.kind for unit in units if unit] == ["raid0", "lvm striped"]
    pool = published("published:mkfile-zfs-stripe3").context
    assert layout_of(pool).startswith("zfs stripe of 3")
    assert capacity_kept(pool) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(("level", "kept"), [("raid0", 1.0), ("raid1", 0.25), ("linear", 1.0)])
def test_a_layout_that_the_level_does_not_have_changes_nothing(level: str, kept: float) -> None:
    unit = MeasuredUnit(level=level, raid_disks=4, layout="left-symmetric", consistency="bitmap")
    assert capacity_kept(Context(unit=unit)) == kept


@pytest.mark.parametrize("kind", ["text", "markdown", "html"])
def test_how_a_card_is_set_stands_in_every_form_of_a_result(kind: str) -> None:
    set_to = {"write policy": "write-back", "battery": "optimal", "firmware": "24.21.0-0159"}
    behind = msgspec.structs.replace(RAID0, backend=Backend.MEGARAID, card="MegaRAID", properties=set_to)
    measured = result("behind a card", behind)
    said = grid(measured) if kind == "text" else export_results([measured], kind)
    words = "chunk 64KiB, write policy write-back, battery optimal, firmware 24.21.0-0159"
    assert words in " ".join(said.split())
