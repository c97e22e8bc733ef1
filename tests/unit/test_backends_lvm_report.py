"""``lvm fullreport`` as recorded from lvm2 2.03.16 on Linux 6.1 becomes records; what is cut off or strange does not harm."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.lvm.report import LogicalVolume, Reading, VolumeGroup, parse, read_lvm
from raidtui.machine.ask import ToolAnswer
from raidtui.model.units import KIB, MIB

DATA = Path(__file__).parent / "data" / "lvm"
SEVERAL = (DATA / "several.json").read_text()


def reading(name: str) -> Reading:
    found = parse((DATA / f"{name}.json").read_text())
    assert found is not None
    return found


def group(found: Reading, name: str) -> VolumeGroup:
    return next(one for one in found.groups if one.name == name)


def volume(found: Reading, name: str) -> LogicalVolume:
    return next(one for one in found.volumes if one.name == name)


def test_a_group_with_a_raid5_that_is_being_made() -> None:
    found = reading("several")
    tank, data = group(found, "tank"), volume(found, "data")

    assert (tank.tags, tank.free_bytes, tank.extent_bytes, tank.missing) == (("raidtui.aa",), 0, 4 * MIB, 0)
    assert found.of(tank) == (data,)
    assert (data.type, data.size_bytes, data.path, data.dm_path) == (
        "raid5",
        304 * MIB,
        "/dev/tank/data",
        "/dev/mapper/tank-data",
    )
    assert (data.active, data.sync_action, data.sync_percent, data.mismatches) == (True, "resync", 0.0, 0)
    (segment,) = data.segments
    assert (segment.stripes, segment.stripe_bytes, segment.region_bytes) == (3, 64 * KIB, 2 * MIB)
    assert found.legs(data) == (("/dev/ubda",), ("/dev/ubdb",), ("/dev/ubdc",))
    assert not found.half_made(data)


def test_each_segment_of_a_linear_volume_is_one_and_the_volume_is_there_once() -> None:
    found = reading("several")
    linear, striped = volume(found, "l2"), volume(found, "s")

    assert [one.name for one in found.volumes].count("l2") == 1
    assert len(linear.segments) == 3
    assert (linear.type, striped.type) == ("linear", "striped")
    assert sorted(path for leg in found.legs(linear) for path in leg) == [
        "/dev/ubdd",
        "/dev/ubde",
        "/dev/ubdf",
    ]
    assert (striped.sync_percent, striped.mismatches, striped.sync_action) == (None, None, "")


def test_groups_of_other_systems_and_physical_volumes_in_none_are_there() -> None:
    found = reading("several")
    away = group(found, "away")

    assert (away.system_id, away.lock_type, away.exported) == ("nas-2", "", False)
    assert [(one.path, one.missing) for one in found.devices if not one.group] == [("/dev/ubdh", False)]
    assert len(found.groups) == 3  # what is in no group makes none


def test_a_missing_physical_volume_has_no_path_and_is_still_a_leg() -> None:
    found = reading("degraded")
    data = volume(found, "data")

    assert group(found, "tank").missing == 1
    assert [(one.uuid[:6], one.path) for one in found.devices if one.missing] == [("aJz0mY", "")]
    assert found.legs(data) == (("/dev/ubda",), ("",), ("/dev/ubdc",))
    assert (data.health, data.sync_percent, data.active) == ("partial", 100.0, True)


def test_a_striped_volume_with_a_missing_disk_is_partial_and_not_active() -> None:
    found = reading("striped_torn")
    torn = volume(found, "s")

    assert (torn.health, torn.active, found.legs(torn)) == ("partial", False, (("/dev/ubdd",), ("",)))


def test_a_volume_whose_lvcreate_was_killed_shows_its_metadata() -> None:
    """As lvs showed it after kill -9 in the middle: ``data rwi---r--k``, and ``data_rmeta_0`` without brackets."""
    found = parse(SEVERAL.replace("[data_rmeta_0]", "data_rmeta_0").replace("rwi-a-r---", "rwi---r--k"))
    assert found is not None
    data = volume(found, "data")

    assert found.half_made(data)
    assert not data.active
    assert not found.half_made(volume(found, "s"))


class Lvm:
    """Answers, and remembers what it was asked."""

    def __init__(self, *answers: ToolAnswer) -> None:
        self.answers, self.asked = list(answers), list[list[str]]()

    def __call__(self, argv: Sequence[str]) -> ToolAnswer:
        self.asked.append(list(argv))
        return self.answers.pop(0)


def test_everything_is_asked_in_one_question_that_reaches_the_kernel_and_every_owner() -> None:
    lvm = Lvm(ToolAnswer(returncode=0, stdout=SEVERAL))
    assert read_lvm(lvm) == reading("several")
    (words,) = lvm.asked
    assert words[:2] == ["lvm", "fullreport"]
    assert {"--foreign", "--shared", "--all", "--devicesfile"} < set(words)
    assert "--readonly" not in words


def test_an_lvm_that_knows_no_devices_file_is_asked_without() -> None:
    lvm = Lvm(ToolAnswer(returncode=3), ToolAnswer(returncode=0, stdout=SEVERAL))
    assert read_lvm(lvm) == reading("several")
    assert [("--devicesfile" in words) for words in lvm.asked] == [True, False]


def test_what_could_be_read_counts_though_one_group_is_broken() -> None:
    assert read_lvm(Lvm(ToolAnswer(returncode=5, stdout=SEVERAL))) == reading("several")


@pytest.mark.parametrize(
    "answer", [ToolAnswer(returncode=None), ToolAnswer(returncode=1), ToolAnswer(returncode=5)]
)
def test_no_answer_is_not_an_answer_that_there_is_nothing(answer: ToolAnswer) -> None:
    assert read_lvm(Lvm(answer)) is None
    assert read_lvm(Lvm(ToolAnswer(returncode=0, stdout='{"report": [{}]}'))) == Reading()


@given(st.integers(0, len(SEVERAL.rstrip()) - 1))
def test_a_report_that_breaks_off_is_none(length: int) -> None:
    assert parse(SEVERAL[:length]) is None


def every_row(document: dict[str, Any]) -> list[dict[str, str]]:
    return [row for part in document["report"] for rows in part.values() for row in rows]


@pytest.mark.parametrize("column", sorted({key for row in every_row(json.loads(SEVERAL)) for key in row}))
def test_a_column_that_is_missing_leaves_a_reading_or_none(column: str) -> None:
    document = json.loads(SEVERAL)
    for row in every_row(document):
        row.pop(column, None)
    found = parse(json.dumps(document))

    needed = {"vg_uuid", "pv_uuid", "pv_name", "lv_uuid", "lv_name"}
    assert (found is None) == (column in needed)
    for one in found.volumes if found else ():
        assert found is not None
        found.legs(one)


@given(st.integers(0, 10**6), st.sampled_from(["several", "degraded", "striped_torn"]))
def test_strange_values_never_raise(seed: int, name: str) -> None:
    draw = random.Random(seed)
    document = json.loads((DATA / f"{name}.json").read_text())
    words = [
        "",
        "-1",
        "100.00",
        "[data]",
        "[unknown](0)",
        "data(0),data_rimage_0(0)",
        "²",
        "x" * 300,
        "resync",
        "nan",
    ]
    rows = every_row(document)
    for _ in range(draw.randrange(1, 12)):
        row = draw.choice(rows)
        row[draw.choice(sorted(row))] = draw.choice(words)
    found = parse(json.dumps(document))

    assert found is not None
    for one in found.volumes:
        assert all(size >= 0 for size in (one.size_bytes, *(part.stripe_bytes for part in one.segments)))
        assert one.sync_percent is None or 0 <= one.sync_percent <= 100
        found.legs(one)
