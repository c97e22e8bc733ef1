"""What storcli, storcli2 and perccli print, read strictly: recorded, damaged, in other units, and as an error."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.backends.cards.records import Drive, DriveState, Policy, Volume, VolumeState
from raidtui.backends.megaraid.adapters import adapter_in
from raidtui.backends.megaraid.answer import Reply, agreeing, exact_size, parse_answer, seconds_left, size_of
from raidtui.backends.megaraid.drives import drives_in, drives_listed
from raidtui.backends.megaraid.volumes import volumes_in
from raidtui.model.errors import StepFailed
from raidtui.model.units import KIB, TIB
from tests.unit.card_machines import DATA, answer, recorded

RECORDINGS = sorted(path.name for path in DATA.glob("*.json"))


def reply(name: str) -> Reply:
    (one,) = parse_answer(recorded(name))
    return one


def volume(name: str) -> Volume:
    (one,) = volumes_in(reply(name).data, 0)
    return one


def drives(name: str) -> tuple[Drive, ...]:
    return tuple(drives_in(reply(name).data, 0))


def test_a_controller_is_read() -> None:
    one = adapter_in(reply("9270-c0.json").data, number=0, tool="storcli64", version="7")
    assert (one.model, one.serial) == ("LSI MegaRAID SAS 9270CV-8i", "SV00000001")
    assert (one.package, one.driver, one.address) == ("23.34.0-0019", "megaraid_sas", "0000:01:00.0")
    assert one.cache_bytes == 875 * 1024**2
    assert one.battery is not None
    assert (one.battery.kind, one.keeps_cache) == ("CacheVault", True)
    assert (one.patrol_read, one.consistency_check) == (True, True)
    assert one.levels == ("raid0", "raid1", "raid5", "raid10", "raid50")


def test_a_controller_of_the_second_generation_is_read() -> None:
    one = adapter_in(reply("9660-c0.json").data, number=0, tool="storcli2", version="8")
    assert one.model == "MegaRAID 9660-16i Tri-Mode Storage Adapter"
    assert (one.driver, one.address, one.personality) == ("mpi3mr", "0000:16:00.0", "RAID")
    assert one.battery is not None
    assert (one.battery.kind, one.keeps_cache) == ("energy pack", True)
    assert (one.patrol_read, one.consistency_check) == (True, None)


def test_a_virtual_drive_is_read() -> None:
    one = volume("9270-vall.json")
    assert (one.number, one.place, one.level, one.state) == ("0", "/c0/v0", "raid5", VolumeState.OPTIMAL)
    assert one.size_bytes == 41016098816 * 512
    assert (one.strip_bytes, one.policy, one.policy_set) == (256 * KIB, Policy.WRITE_BACK, Policy.WRITE_BACK)
    assert (one.read_ahead, one.drive_cache, one.consistent) == (True, False, True)
    assert (one.naa, one.node) == ("5000000000000011", "/dev/sda")
    assert one.slots == ("252:7", "252:6", "252:5", "252:4", "252:0", "252:1", "252:2", "252:3")
    (check,) = one.operations
    assert (check.what, check.fraction) == ("consistency check", 0.36)


def test_a_number_that_counts_down_from_239_and_a_cache_that_each_drive_has_by_itself() -> None:
    one = volume("9500-v233.json")
    assert (one.place, one.group, one.policy) == ("/c0/v233", "6", Policy.WRITE_THROUGH)
    assert one.drive_cache is None
    assert one.naa == "600062b212da5d402bd3b488d03a89ca"


def test_a_virtual_drive_of_the_second_generation_is_read() -> None:
    one = volume("9660-vall.json")
    assert (one.place, one.level, one.strip_bytes) == ("/c0/v2", "raid0", 256 * KIB)
    assert one.size_bytes == 2441478144 * 4096
    assert (one.read_ahead, one.policy, one.drive_cache) == (False, Policy.WRITE_BACK, False)
    assert one.slots == ("306:1",)


def test_what_a_virtual_drive_has_is_data_drives_times_the_smallest() -> None:
    """Three recordings of three say so, to the sector."""
    sizes = {one.size_bytes for one in drives("9270-sall.json")}
    assert volume("9270-vall.json").size_bytes == 7 * min(sizes)


def test_drives_are_read() -> None:
    found = {one.slot: one for one in drives("9270-sall.json")}
    assert len(found) == 8
    one = found["252:0"]
    assert (one.place, one.state, one.group, one.row) == ("/c0/e252/s0", DriveState.ONLINE, "0", 4)
    assert (one.serial, one.wwn, one.device_id) == ("WD-WM00000001", "5000000000000008", 14)
    assert one.size_bytes == 0x15D400000 * 512
    assert (one.logical_sector_bytes, one.physical_sector_bytes) == (512, 512)
    assert found["252:1"].physical_sector_bytes == 4096
    assert (one.media_errors, one.predicted_failures, one.smart_alert) == (0, 0, False)
    assert (one.temperature_celsius, one.transport, one.vendor) == (61, "sata", "")


def test_a_drive_that_is_free_keeps_no_group() -> None:
    (one,) = drives("9500-e251s12.json")
    assert (one.state, one.group, one.vendor) == (DriveState.FREE, "", "SEAGATE")


def test_a_drive_of_the_second_generation_is_read() -> None:
    (one,) = drives("9660-e320s3.json")
    assert (one.place, one.state, one.row, one.device_id) == ("/c0/e320/s3", DriveState.ONLINE, 0, 310)
    assert (one.serial, one.wwn) == ("WP00MLKP0000E2426F8Q", "5000c500ef7ddf74")
    assert one.size_bytes == 0x48C300000 * 512
    assert (one.media_errors, one.temperature_celsius, one.physical_sector_bytes) == (0, 41, 4096)
    listed = {one.slot: one.state for one in drives_listed(reply("9660-c0.json").data, 0)}
    assert listed["320:11"] is DriveState.FREE


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("9270-bbu-refused.json", "use /cx/cv (error 255)"),
        ("9660-no-drive.json", "No PD found.; Drive not found (error 255)"),
        ("9270-no-foreign.json", "No foreign configuration found.; No foreign configuration (error 50)"),
    ],
)
def test_a_failure_is_one_whatever_the_exit_status_was(name: str, why: str) -> None:
    one = reply(name)
    assert not one.ok
    assert one.why == why


def test_a_syntax_error_is_plain_text() -> None:
    (one,) = parse_answer(recorded("storcli2-syntax.txt"))
    assert not one.ok
    assert one.why.startswith("syntax error, unexpected TOKEN_WRITE_CACHE")


def test_noise_before_the_document_and_control_characters_in_it_do_no_harm() -> None:
    noisy = 'libfoo: {warning} "x"\n\x1b[0m' + recorded("9270-vall.json").replace("Optl", "Op\x00tl")
    (one,) = parse_answer(noisy)
    assert next(volumes_in(one.data, 0)).state is VolumeState.OPTIMAL


def test_a_document_that_is_nested_once_more_is_read() -> None:
    data = json.loads(recorded("9270-vall.json"))["Controllers"][0]["Response Data"]
    (one,) = parse_answer(answer({"Response Data": data}))
    assert next(volumes_in(one.data, 0)).number == "0"


@pytest.mark.parametrize(
    "said", ["", "<html>502</html>", "[]", '{"Controllers": []}', "\x00\x00", "{" * 5000]
)
def test_what_is_not_an_answer_is_refused(said: str) -> None:
    with pytest.raises(StepFailed):
        parse_answer(said)


@pytest.mark.parametrize("name", RECORDINGS)
@given(cut=st.floats(min_value=0, max_value=0.999))
def test_a_document_that_is_cut_off_is_refused(name: str, cut: float) -> None:
    whole = recorded(name).rstrip()
    with pytest.raises(StepFailed):
        parse_answer(whole[: int(len(whole) * cut)])


def values(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a document: the container and the key."""
    found: list[tuple[Any, Any]] = []
    pairs = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    for key, one in pairs:
        found.append((value, key))
        found += values(one)
    return found


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "-", "N/A", "Unknown", 0, -1, 1.5, True, [], {}, "9.1 XB", "[0xzz Sectors]", "F"]
)


@pytest.mark.parametrize(
    "name", ["9270-c0.json", "9270-vall.json", "9270-sall.json", "9660-vall.json", "9660-c0.json"]
)
@given(data=st.data())
def test_a_value_of_another_kind_never_ends_the_reading(name: str, data: st.DataObject) -> None:
    document = json.loads(recorded(name))
    container, key = data.draw(st.sampled_from(values(document)))
    container[key] = data.draw(ODD)
    try:
        (one,) = parse_answer(json.dumps(document))
    except (StepFailed, ValueError):
        return
    adapter_in(one.data, number=0, tool="storcli64", version="")
    for found in volumes_in(one.data, 0):
        assert found.size_bytes in {0, 41016098816 * 512, 2441478144 * 4096}
    for drive in (*drives_in(one.data, 0), *drives_listed(one.data, 0)):
        assert drive.size_bytes in {0, 0x15D400000 * 512}


@given(order=st.permutations(range(8)))
def test_the_order_of_drives_in_a_document_means_nothing(order: list[int]) -> None:
    data = reply("9270-sall.json").data
    keys = [key for slot in order for key in data if key.startswith(f"Drive /c0/e252/s{slot}")]
    found = {one.slot: one for one in drives_in({key: data[key] for key in keys}, 0)}
    assert found == {one.slot: one for one in drives("9270-sall.json")}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("256 KB", 256 * KIB),
        ("256 KiB", 256 * KIB),
        ("1.000 MB", 1024 * KIB),
        ("9.094 TiB", round(9.094 * TIB)),
    ],
)
def test_sizes_are_binary_whichever_way_they_are_written(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["256", "256 kB", "KB", "256 KX", "-256 KB", "2,728 TB", ""])
def test_a_size_with_no_unit_or_another_one_is_not_known(text: str) -> None:
    assert size_of(text) is None


def test_a_size_that_disagrees_with_its_sectors_is_not_known() -> None:
    assert exact_size("2.728 TB [0x15d400000 Sectors]") == 0x15D400000 * 512
    assert exact_size("2.728 GB [0x15d400000 Sectors]") is None
    assert agreeing(2441478144, round(9.094 * TIB)) == 2441478144 * 4096


def test_time_that_is_left() -> None:
    assert seconds_left("4 Days 3 Hours 51 Minutes") == 4 * 86400 + 3 * 3600 + 51 * 60
    assert seconds_left("0 Minutes") == 0
    assert seconds_left("-") is None
