"""What of a volume group is nearly full, and what is no finding: LVM extends it, it has room for all, it was lost before."""

from typing import Any

import msgspec
import pytest

from raidtui.backends.lvm.fill import filling
from raidtui.backends.lvm.reading import LvmReading
from raidtui.backends.lvm.report import LogicalVolume, Segment
from raidtui.model.finding import Finding, Kind
from tests.unit.lvm_machines import GROUP_UUID, VOLUME, group, lvm_machine, reading

POOL = LogicalVolume(
    uuid="pool",
    name="pool",
    group=GROUP_UUID,
    attr="twi-aotz--",
    size_bytes=100,
    data_percent=85.0,
    metadata_percent=12.0,
    monitored=True,
    segments=(Segment(type="thin-pool", devices=("pool_tdata",)),),
)
SNAPSHOT = LogicalVolume(
    uuid="snapshot",
    name="backup",
    group=GROUP_UUID,
    attr="swi-a-s---",
    size_bytes=24,
    origin_bytes=64,
    data_percent=99.0,
    segments=(Segment(type="linear", devices=("/dev/sda1",)),),
)


def found(volume: LogicalVolume, known: LvmReading | None = None, **changes: Any) -> list[Finding]:
    of = known or reading(volumes=(VOLUME, volume), its=group(free_bytes=50))
    return list(filling(lvm_machine(msgspec.structs.replace(of, **changes))))


def pool(**changes: Any) -> LogicalVolume:
    return msgspec.structs.replace(POOL, **changes)


@pytest.mark.parametrize(
    ("volume", "kind", "words"),
    [
        (POOL, Kind.FILLING, "thin pool tank/pool 85.0 % full"),
        (pool(data_percent=99.97), Kind.FULL, "thin pool tank/pool 99.9 % full"),
        (pool(data_percent=100.0), Kind.FULL, "thin pool tank/pool 100 % full"),
        (
            pool(data_percent=1.0, metadata_percent=96.0),
            Kind.FULL,
            "metadata of the thin pool tank/pool 96.0 % full",
        ),
        (
            pool(data_percent=81.0, metadata_percent=97.0),
            Kind.FULL,
            "metadata of the thin pool tank/pool 97.0 % full, thin pool tank/pool 81.0 % full",
        ),
        (pool(segments=(Segment(type="vdo-pool"),)), Kind.FILLING, "VDO pool tank/pool 85.0 % full"),
        (SNAPSHOT, Kind.FILLING, "snapshot tank/backup 99.0 % full"),  # only it is lost when it is full
    ],
)
def test_it_is_said_what_is_nearly_full(volume: LogicalVolume, kind: Kind, words: str) -> None:
    (one,) = found(volume)
    assert (one.name, one.unit, one.kind) == ("tank", GROUP_UUID, kind)
    assert one.what == f"volume group tank: {words}"


@pytest.mark.parametrize(
    "volume",
    [
        pool(data_percent=79.0),
        pool(data_percent=None, metadata_percent=None),  # not active
        pool(data_percent=100.0, health="out_of_data"),  # said of the group
        pool(segments=(Segment(type="cache-pool"),), data_percent=100.0),  # as it should be
        pool(segments=(Segment(type="thin"),)),
        msgspec.structs.replace(SNAPSHOT, attr="Swi-a-s---"),  # it is being merged
        msgspec.structs.replace(SNAPSHOT, attr="swi-I-s---", data_percent=100.0),  # said of the group
        msgspec.structs.replace(SNAPSHOT, size_bytes=65),  # it has room for all of its origin
    ],
)
def test_what_need_not_be_looked_at(volume: LogicalVolume) -> None:
    assert found(volume) == []


def test_what_dmeventd_extends_need_not_be_looked_at_while_the_group_has_room() -> None:
    assert found(POOL, extended_at={"thin_pool": 70}) == []
    (full,) = found(pool(data_percent=96.0), extended_at={"thin_pool": 70})
    assert full.kind is Kind.FULL
    (no_room,) = found(POOL, reading(volumes=(VOLUME, POOL), its=group()), extended_at={"thin_pool": 70})
    assert (
        "no room for that: add a disk to it first (vgextend(8)). LVM extends it at 70 %"
        in no_room.remedies[0].text
    )
    (alone,) = found(pool(monitored=False), extended_at={"thin_pool": 70})
    assert "but dmeventd does not monitor it" in alone.remedies[0].text
    (never,) = found(POOL, extended_at={"thin_pool": 100})
    assert "thin_pool_autoextend_threshold in lvm.conf is 100" in never.remedies[0].text


def test_a_group_of_another_system_is_left_to_it() -> None:
    theirs = reading(volumes=(VOLUME, POOL), its=group(system_id="other"), system_id="lab")
    assert found(POOL, theirs) == []
