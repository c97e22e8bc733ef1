"""What is left of a LUKS header that was overwritten is known, before anything makes a new one."""

import contextlib
import hashlib
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.machine.contents.luks_header import read_luks_left
from raidtui.machine.contents.luks_repaired import repaired_header
from raidtui.model.errors import Refused
from raidtui.model.luks import Left
from tests.unit.test_recorded_states import found_in, state

KIB = 1024
AREAS, PAYLOAD = 540 * KIB, 2 * 1024 * KIB
UUID = "0b667deb-42a3-4da0-8209-bd1585bc4fec"
DESCRIPTION = json.dumps(
    {
        "keyslots": {
            str(slot): {
                "type": "luks2",
                "key_size": 64,
                "af": {"type": "luks1", "stripes": 4000, "hash": "sha256"},
                "area": {"type": "raw", "offset": str((32 + 252 * slot) * KIB), "size": "258048"},
            }
            for slot in range(2)
        },
        "tokens": {},
        "segments": {},
        "digests": {},
        "config": {"json_size": "12288", "keyslots_size": str(AREAS - 32 * KIB)},
    }
).encode()


def noise(size: int) -> bytes:
    return random.Random(7).randbytes(size)


def luks2() -> bytearray:
    """A container with two key slots."""
    both = b""
    for mark, place in ((b"LUKS\xba\xbe", 0), (b"SKUL\xba\xbe", 16 * KIB)):
        head = bytearray(16 * KIB)
        head[:6], head[6:8], head[8:16] = mark, (2).to_bytes(2), (16 * KIB).to_bytes(8)
        head[72:78], head[168 : 168 + 36], head[256:264] = b"sha256", UUID.encode(), place.to_bytes(8)
        head[4 * KIB : 4 * KIB + len(DESCRIPTION)] = DESCRIPTION
        head[448:480] = hashlib.sha256(head).digest()
        both += head
    return bytearray(both + noise(600 * KIB))


def luks1() -> bytearray:
    """A container with one key slot of eight."""
    whole = bytearray(4 * KIB) + noise(2 * 1024 * KIB)
    whole[:6], whole[6:8], whole[8:11] = b"LUKS\xba\xbe", (1).to_bytes(2), b"aes"
    whole[104:108] = (PAYLOAD // 512).to_bytes(4)
    whole[108:112], whole[168 : 168 + 36] = (64).to_bytes(4), UUID.encode()
    for slot in range(8):
        at = 208 + 48 * slot
        whole[at : at + 4] = (0x0000DEAD if slot else 0x00AC71F3).to_bytes(4)
        whole[at + 40 : at + 48] = (8 + 504 * slot).to_bytes(4) + (4000).to_bytes(4)
    return whole


def _length(make: Callable[[], bytearray]) -> int:
    """Of a header with its key slots."""
    return AREAS if make is luks2 else PAYLOAD


def over(*places: tuple[int, int]) -> Callable[[bytearray], None]:
    def write(whole: bytearray) -> None:
        for place, size in places:
            whole[place : place + size] = bytes(size)

    return write


@pytest.mark.parametrize(
    ("make", "harm", "left", "keys"),
    [
        (luks2, over((0, 4 * KIB)), Left.SECOND, 2),
        (luks2, over((0, 512)), Left.SECOND, 2),  # a table of an MBR
        (luks2, over((0, 4 * KIB), (33 * KIB, 512)), Left.SECOND, 1),  # and one sector of a key slot
        (luks2, over((0, 6), (16 * KIB, 6)), Left.MARKS, 2),  # wipefs
        (luks2, over((448, 16 * KIB + 512)), Left.DESCRIPTION, 2),  # a GPT
        (luks2, over((0, 20 * KIB)), Left.DESCRIPTION, 2),
        (luks2, over((0, 300 * KIB)), None, 0),
        (luks2, over((16 * KIB, 16 * KIB)), None, 0),  # the first header is whole
        (luks2, over(), None, 0),
        (luks1, over((0, 6)), Left.MARKS, 1),
        (luks1, over((440, 72)), Left.ENTRIES, 1),
        (luks1, over((440, 17 * KIB)), Left.ENTRIES, 0),
        (luks1, over((0, 4 * KIB)), None, 0),
        (luks1, over(), None, 0),
    ],
)
def test_what_is_left_of_a_header_and_how_many_key_slots(
    tmp_path: Path,
    make: Callable[[], bytearray],
    harm: Callable[[bytearray], None],
    left: Left | None,
    keys: int,
) -> None:
    whole = make()
    harm(whole)
    (tmp_path / "tank").write_bytes(whole)
    found = read_luks_left(os.fspath(tmp_path / "tank"))
    assert (found and found.left, found.keys if found else 0) == (left, keys)
    if found is not None and left is not Left.DESCRIPTION:
        assert found.uuid == UUID


@pytest.mark.parametrize(
    ("make", "harm"),
    [
        (luks2, over((0, 4 * KIB))),
        (luks2, over((0, 6), (16 * KIB, 6))),
        (luks2, over((448, 16 * KIB + 512))),
        (luks1, over((0, 6))),
        (luks1, over((440, 72))),
        (luks1, over((0, 6), (440, 6))),
    ],
)
def test_the_header_is_written_to_a_file_as_it_was(
    tmp_path: Path, make: Callable[[], bytearray], harm: Callable[[bytearray], None]
) -> None:
    whole = make()
    device = tmp_path / "tank"
    harm(whole)
    device.write_bytes(whole)
    assert repaired_header(os.fspath(device)) == make()[: _length(make)]
    assert device.read_bytes() == whole


def test_a_header_whose_uuid_is_gone_gets_a_new_one(tmp_path: Path) -> None:
    whole = luks2()
    over((0, 20 * KIB))(whole)
    (tmp_path / "tank").write_bytes(whole)
    (tmp_path / "file").write_bytes(repaired_header(os.fspath(tmp_path / "tank")))
    assert read_luks_left(os.fspath(tmp_path / "file")) is None  # nothing is wrong with it


@pytest.mark.parametrize(
    ("harm", "why"),
    [(over(), "no damaged LUKS header"), (over((0, 4 * KIB), (33 * KIB, 400 * KIB)), "no key slot")],
)
def test_a_header_that_is_whole_or_opens_nothing_is_refused(
    tmp_path: Path, harm: Callable[[bytearray], None], why: str
) -> None:
    whole = luks2()
    harm(whole)
    (tmp_path / "tank").write_bytes(whole)
    with pytest.raises(Refused, match=why):
        repaired_header(os.fspath(tmp_path / "tank"))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"32768"', f'"{"9" * 30}"'),
        ('"32768"', f'"{"9" * 5000}"'),
        ('"32768"', '"-5"'),
        ('"key_size": 64', '"key_size": 1e999'),
        ('"key_size": 64', f'"key_size": {10**30}'),
        (f'"{AREAS - 32 * KIB}"', f'"{"9" * 5000}"'),
        ('"tokens": {}', f'"tokens": {"[" * 6000}'),
    ],
)
def test_a_description_that_nobody_wrote_ends_no_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was: str, now: str
) -> None:
    assert was in DESCRIPTION.decode()
    monkeypatch.setattr(f"{__name__}.DESCRIPTION", DESCRIPTION.decode().replace(was, now).encode())
    device = tmp_path / "device"
    device.write_bytes(bytes(6) + luks2()[6:])
    assert read_luks_left(str(device)) is not None
    with contextlib.suppress(Refused):
        repaired_header(str(device))


def test_what_is_no_header_is_none(tmp_path: Path) -> None:
    for content in (b"", bytes(32 * KIB), noise(32 * KIB), bytes(20 * KIB) + b"{[" + bytes(20 * KIB)):
        (tmp_path / "tank").write_bytes(content)
        assert read_luks_left(os.fspath(tmp_path / "tank")) is None
    assert read_luks_left(os.fspath(tmp_path / "none")) is None


def test_a_container_of_another_kind_needs_no_luks_header() -> None:
    machine = state("luks-header-overwritten")
    assert [one.kind for one in found_in(machine)] == ["header-damaged"]
    for options in ("plain", "swap", "luks,header=/boot/safe", "cipher=aes-xts-plain64"):
        system = replace(machine.system, crypttab=(f"safe /dev/md/tank none {options}",))
        assert "header-damaged" not in {one.kind for one in found_in(replace(machine, system=system))}


def test_without_root_no_header_is_said_to_be_gone() -> None:
    machine = replace(state("luks-header-overwritten"), complete=False)
    assert "header-damaged" not in {one.kind for one in found_in(machine)}


def test_what_is_left_below_something_else_is_no_finding_unless_crypttab_expects_it() -> None:
    machine = state("luks-marks-erased")
    used = replace(
        machine, devices=tuple(replace(one, type="xfs") if one.luks else one for one in machine.devices)
    )
    (finding,) = found_in(used)
    assert "and xfs is there now" in finding.what
    assert not found_in(
        replace(used, system=replace(used.system, crypttab=(), crypttab_nodes=(), fstab=(), fstab_nodes=()))
    )


def test_an_open_container_whose_header_is_under_a_gpt_is_a_finding_and_one_whose_second_header_is_whole_is_not() -> (
    None
):
    machine = state("luks-marks-erased-while-open")
    for left, kinds in ((Left.DESCRIPTION, ["header-gone"]), (Left.SECOND, [])):
        devices = tuple(
            replace(one, type="crypto_LUKS", luks=replace(one.luks, left=left)) if one.luks else one
            for one in machine.devices
        )
        assert [one.kind for one in found_in(replace(machine, devices=devices))] == kinds
    (finding,) = found_in(machine)
    assert finding.remedies[1].commands == ("raidtui recover /dev/md/tank --luks-header FILE",)
