"""Sweeps: the file, the matrix, the order, the estimate and the journal, without any disk."""

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.journal import Entry, Event
from raidtui.model.machine import ClaimKind, Weight
from raidtui.model.plan import Run
from raidtui.model.spec import Backend
from raidtui.model.sweep import SINGLE, LevelWord, Sweep, split_level
from raidtui.model.units import GIB, KIB, MIB
from raidtui.plan.build import make_plan
from raidtui.sweep.file import find_sweep, published_studies, read_sweep
from raidtui.sweep.matrix import Combination, combinations_of, spec_of, turns_of
from raidtui.sweep.prepare import estimates, preview
from raidtui.sweep.quick import quickened
from raidtui.sweep.state import progress_of
from tests.unit.plan_machines import SEED, disk, machine, taken
from tests.unit.test_backends_megaraid_build import SERIALS, free

FOUR = machine(*(disk(number) for number in range(1, 5)))
NAMES = tuple(one.identity for one in FOUR.disks)
FILE = """\
name = "mine"
disks = ["S-0001", "S-0002", "S-0003"]
slice = "2GiB"

[matrix]
level = ["raid0", "raid1", "raid5"]
members = [2, 3]
chunk = ["64KiB", "512KiB"]
filesystem = ["ext4", "xfs"]

[measure]
profile = ["cdm"]
size = "64MiB"
runs = 3
seconds = 2
"""


def test_a_file_says_what_is_measured() -> None:
    sweep = read_sweep(FILE, origin="mine.toml")
    assert (sweep.disks, sweep.slice, sweep.passes) == (("S-0001", "S-0002", "S-0003"), 2 * GIB, 2)
    assert (sweep.levels, sweep.members) == (("raid0", "raid1", "raid5"), (2, 3))
    assert (sweep.chunks, sweep.filesystems) == ((64 * KIB, 512 * KIB), ("ext4", "xfs"))
    assert (sweep.size_bytes, sweep.runs, sweep.seconds, sweep.mix) == (64 * MIB, 3, 2, False)


def test_the_file_of_a_profile_is_found_from_every_folder_and_is_called_like_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = 'name = "own"\ntitle = "t"\nabout = "a"\n[row."SEQ1M Q1T1"]\n'
    (tmp_path / "own.toml").write_text(profile)
    (tmp_path / "other.toml").write_text(profile.replace("own", "cdm"))
    monkeypatch.chdir(tmp_path)
    sweep = read_sweep(FILE.replace('["cdm"]', '["cdm", "./own.toml"]'), origin="mine.toml")
    assert sweep.profiles == ("cdm", f"{tmp_path}/own.toml")
    with pytest.raises(BadInput, match=r"line 12: cdm and other\.toml are both called cdm"):
        read_sweep(FILE.replace('["cdm"]', '["cdm", "other.toml"]'), origin="mine.toml")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('name = "mine"', "", "mine.toml: the key 'name' is missing; write it at the top"),
        ('name = "mine"', 'name = "a b"', "'a b' cannot be the name of a sweep"),
        ('name = "mine"', f'name = "{"m" * 41}"', "the name of a sweep has at most 40"),
        ("slice =", "slide =", "mine.toml, line 3: there is no key 'slide'; did you mean 'slice'?"),
        ('"raid5"', '"raid7"', "mine.toml, line 6: 'raid7' is not a valid level; valid values: "),
        ('"raid5"', '"raid0"', "line 6: level names raid0 twice"),
        ("[2, 3]", "[2, 4]", "line 7: members asks for 4 disks, but only 3 are named"),
        ('"raid5"]', '"raid5 of 4"]', "line 6: level asks for 4 disks, but only 3 are named"),
        ('"raid5"]', '"raid5 of 0"]', "line 6: 'raid5 of 0' is not a level with a number of disks"),
        ('"raid5"]', '"raid55 of 3"]', "line 6: 'raid55' is not a valid level; did you mean 'raid5'?"),
        ("[2, 3]", "[0]", "line 7: members must be at least 1, not 0"),
        ("[2, 3]", "2", "line 7: members must be a list, such as members = [2, 4]"),
        ("[2, 3]", '["2"]', "line 7: members must be a whole number, without quotation marks, not text"),
        ('"64KiB"', "64", "line 8: chunk 64 has no unit"),
        ('"xfs"', '"zfs"', "line 9: 'zfs' is not a valid filesystem; did you mean 'xfs'?"),
        ('["ext4", "xfs"]', "[]", "line 9: filesystem is an empty list"),
        ('["cdm"]', '["cmd"]', "line 12: unknown profile 'cmd'; did you mean 'cdm'?"),
        ("runs = 3", "runs = 0", "line 14: runs must be at least 1"),
        ("runs = 3", "runs = 2.5", "line 14: runs must be a whole number"),
        ("[matrix]", '[matrix]\nbackend = ["disk"]', "a sweep cannot build with disk; it builds with mdadm"),
        ('"raid5"]', '"lvm raid5"]', "'lvm raid5' is of a backend that is not in the list backend"),
        ('"raid5"]', '"mdadm raid55"]', "line 6: 'raid55' is not a valid level; did you mean 'raid5'?"),
        ('"raid5"]', '"mdadm single"]', "line 6: 'single' is not a valid level"),
        ("level =", "runs = 1\nlevel =", "there is no key 'runs'; runs belongs below [measure]"),
        ("[2, 3]", f"[{', '.join(map(str, range(2, 3000)))}]", "the limit is 10000"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(before: str, after: str, sentence: str) -> None:
    text = FILE.replace(before, after, 1)
    if "10000" in sentence:
        text = text.replace('disks = ["S-0001", "S-0002", "S-0003"]', "")
    with pytest.raises(BadInput) as told:
        read_sweep(text, origin="mine.toml")
    assert sentence in str(told.value)


def test_the_name_of_a_sweep_need_not_fit_into_the_superblock_of_an_array() -> None:
    for name in ("md127", "2026", "parity-against-mirrors-on-four-disks"):
        assert read_sweep(FILE.replace("mine", name), origin="mine.toml").name == name


@given(st.text(max_size=200))
def test_any_text_is_a_sweep_or_an_error_with_a_sentence(text: str) -> None:
    with suppress(BadInput):
        assert read_sweep(text, origin="any").levels


def test_a_word_that_is_neither_file_nor_study_names_the_studies() -> None:
    with pytest.raises(BadInput, match=r"there is no file nothing\.toml, and the studies .* are chunks"):
        find_sweep("nothing.toml")


def test_every_published_study_can_be_built_on_four_disks() -> None:
    studies = published_studies()
    assert {"levels", "levels-filesystems", "chunks", "stripe"} <= set(studies)
    large = machine(*(disk(number, size_bytes=64 * GIB) for number in range(1, 5)))
    for name, sweep in studies.items():
        assert find_sweep(name) == sweep
        assert sweep.about
        found = estimates(msgspec.structs.replace(sweep, disks=NAMES), large)
        assert [one.refused for one in found.values() if one.refused] == []
        for combination in found:
            if not combination.bare:
                spec = spec_of(msgspec.structs.replace(sweep, disks=NAMES), combination)
                assert make_plan(spec, large, seed=SEED).array_bytes > 0


@pytest.mark.parametrize("name", [*published_studies()])
def test_a_quick_sweep_has_each_value_of_every_list_once_and_is_small(name: str) -> None:
    whole = published_studies()[name]
    quick = quickened(whole)
    every, few = combinations_of(whole), combinations_of(quick)
    assert set(few) <= set(every)
    assert len(few) == max(len({one.id.split("-")[-1] for one in few}), len(set(map(unit, every))))
    for value in (unit, lambda one: one.chunk, lambda one: one.filesystem):
        assert set(map(value, few)) == set(map(value, every))
    assert len(turns_of(msgspec.structs.replace(quick, disks=NAMES))) == len(few)
    assert (quick.slice or 0, quick.size_bytes, quick.runs, quick.seconds) == (512 * MIB, 256 * MIB, 1, 1)


def unit(one: Combination) -> tuple[object, ...]:
    return one.backend, one.level, one.members


def test_what_a_level_does_not_have_makes_no_difference_to_it() -> None:
    sweep = read_sweep(FILE.replace('"raid0"', '"single", "raid0"'), origin="mine.toml")
    ids = [one.id for one in combinations_of(sweep)]
    assert len(ids) == len(set(ids))
    assert [one for one in ids if one.startswith("single")] == ["single-1-ext4", "single-1-xfs"]
    assert [one for one in ids if one.startswith("raid1-")] == [
        "raid1-2-ext4", "raid1-2-xfs", "raid1-3-ext4", "raid1-3-xfs",
    ]  # fmt: skip
    assert len([one for one in ids if one.startswith("raid5-")]) == 2 * 2 * 2


def test_a_level_may_have_a_number_of_disks_of_its_own() -> None:
    text = FILE.replace('"raid0", "raid1", "raid5"', '"single", "raid0 of 3", "raid1"')
    arrays = [(one.level, one.members) for one in combinations_of(read_sweep(text, origin="mine.toml"))]
    assert list(dict.fromkeys(arrays)) == [("single", 1), ("raid0", 3), ("raid1", 2), ("raid1", 3)]


BOTH = Sweep(
    name="both",
    disks=NAMES[:4],
    backends=(Backend.MDADM, Backend.LVM),
    levels=(SINGLE, "raid0", "striped", "raid1 of 2"),
    chunks=(64 * KIB,),
)


def test_a_sweep_takes_the_levels_and_strips_of_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    sweep = Sweep(
        name="card",
        disks=SERIALS[:4],
        backends=(Backend.MEGARAID,),
        levels=("raid10", "raid5 of 3"),
        chunks=(64 * KIB, 256 * KIB),
        filesystems=("none",),
    )
    there = free(monkeypatch)
    said = []
    for one in combinations_of(sweep):
        plan = make_plan(spec_of(sweep, one), there, seed=SEED)
        words = [
            word for step in plan.steps for run in step.actions if isinstance(run, Run) for word in run.argv
        ]
        said.append((one.title, [word for word in words if word.startswith(("r1", "r5", "strip="))]))
    assert said == [
        ("megaraid raid10 of 4, 64KiB", ["r10", "strip=64"]),
        ("megaraid raid10 of 4, 256KiB", ["r10", "strip=256"]),
        ("megaraid raid5 of 3, 64KiB", ["r5", "strip=64"]),
        ("megaraid raid5 of 3, 256KiB", ["r5", "strip=256"]),
    ]


def test_a_sweep_of_drives_behind_a_card_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no path by which one could be told from another, and none can be measured alone."""
    sweep = Sweep(
        name="card",
        disks=SERIALS[:3],
        backends=(Backend.MEGARAID,),
        levels=(SINGLE, "raid5"),
        filesystems=("none", "ext4"),
    )
    seen = preview(sweep, free(monkeypatch), seed=SEED)
    of_md = msgspec.structs.replace(sweep, backends=(Backend.MDADM,))
    with pytest.raises(BadInput, match=r"cannot reach; build on it with backend = 'megaraid'"):
        preview(of_md, free(monkeypatch), seed=SEED)
    assert [disk.serial for disk in seen.disks] == [*SERIALS[:3]]
    quick = quickened(msgspec.structs.replace(sweep, levels=("raid5",)))
    seen_quick = preview(quick, free(monkeypatch), seed=SEED)
    assert seen_quick.part == "the whole of each disk"  # a card makes no partitions
    assert [estimate.refused for _, estimate in seen_quick.combinations] == [None, None]
    refused = {one.title: estimate.refused for one, estimate in seen.combinations}
    assert refused == {
        "single disk": f"{SERIALS[0]} (slot 252:0) is a drive behind a RAID card; measure it as 'raid0 of 1'",
        "single disk, ext4": f"{SERIALS[0]} (slot 252:0) is a drive behind a RAID card, which the kernel cannot "
        "reach; build on it with backend = 'megaraid'",
        "megaraid raid5 of 3": None,
        "megaraid raid5 of 3, ext4": None,
    }


@pytest.mark.parametrize("name", ["chunks", "levels"])
def test_a_published_study_measures_the_card_that_its_drives_are_behind(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Software and hardware RAID by one file: it names no backend."""
    study = msgspec.structs.replace(published_studies()[name], disks=SERIALS[:4])
    seen = preview(study, free(monkeypatch), seed=SEED)
    built = {one.level for one, estimate in seen.combinations if estimate.refused is None}
    assert {"chunks": {"raid5", "raid6", "raid10"}, "levels": {"raid0", "raid1", "raid5", "raid6", "raid10"}}[
        name
    ] == built
    assert {one.backend for one, _ in seen.combinations} - {Backend.DISK} == {Backend.MEGARAID}
    assert seen.sweep.backends == (Backend.MEGARAID,)
    assert preview(msgspec.structs.replace(study, disks=NAMES), FOUR, seed=SEED).sweep.backends == ()


def test_each_backend_builds_the_levels_that_it_has_and_is_named_with_them() -> None:
    found = combinations_of(BOTH)
    assert [one.title for one in found] == [
        "single disk",
        "mdadm raid0 of 4, 64KiB",
        "lvm raid0 of 4, 64KiB",
        "lvm striped of 4, 64KiB",
        "mdadm raid1 of 2",
        "lvm raid1 of 2",
    ]
    assert found[3].id == "lvm-striped-4-64KiB"
    spec = spec_of(BOTH, found[3])
    assert (spec.backend, spec.level, spec.chunk) == (Backend.LVM, "striped", 64 * KIB)
    assert len({one.id for one in found}) == len(found)
    lvm = msgspec.structs.replace(BOTH, backends=(Backend.LVM,))
    assert [one.title for one in combinations_of(lvm)][-2:] == ["lvm striped of 4, 64KiB", "lvm raid1 of 2"]


def test_a_level_may_be_of_one_backend_alone() -> None:
    assert split_level("lvm striped of 2") == LevelWord("striped", 2, Backend.LVM)
    assert split_level("raid5 of many") == LevelWord("raid5 of many")
    sweep = msgspec.structs.replace(
        BOTH, levels=("mdadm raid0", "lvm striped of 2", "mdadm raid1"), chunks=()
    )
    assert [one.title for one in combinations_of(sweep)] == [
        "mdadm raid0 of 4",
        "lvm striped of 2",
        "mdadm raid1 of 4",
    ]


def test_the_estimate_of_a_level_is_of_its_backend() -> None:
    found = {one.title: estimate for one, estimate in estimates(BOTH, FOUR).items()}
    mirrors = [found[f"{name} raid1 of 2"] for name in ("mdadm", "lvm")]
    assert mirrors[1].high_seconds == pytest.approx(mirrors[0].high_seconds, rel=0.01)
    assert mirrors[1].written_bytes == pytest.approx(mirrors[0].written_bytes, rel=0.01)
    assert mirrors[0].high_seconds > found["mdadm raid0 of 4, 64KiB"].high_seconds, "a mirror is synced first"
    six = msgspec.structs.replace(BOTH, levels=("lvm raid6",), chunks=())
    assert [one.refused for one in estimates(six, FOUR).values()] == [
        "LVM RAID6 takes at least 5 disks, not 4"
    ]


def test_what_a_program_is_missing_for_is_left_out_and_the_rest_is_measured() -> None:
    tools = {name: version for name, version in FOUR.tools.items() if name != "lvm"}
    without = msgspec.structs.replace(FOUR, tools=tools)
    both = msgspec.structs.replace(BOTH, levels=("mdadm raid0", "lvm striped"))
    refused = {one.title: told.refused for one, told in preview(both, without, seed=SEED).combinations}
    assert refused["mdadm raid0 of 4, 64KiB"] is None
    assert "lvm is not installed" in str(refused["lvm striped of 4, 64KiB"])
    alone = msgspec.structs.replace(both, backends=(Backend.LVM,), levels=("striped",))
    with pytest.raises(ToolMissing, match="lvm is not installed"):
        preview(alone, without, seed=SEED)


def test_each_pass_has_every_combination_once_in_an_order_of_its_own() -> None:
    sweep = read_sweep(FILE.replace('name = "mine"', 'name = "mine"\npasses = 3'), origin="mine.toml")
    turns = turns_of(sweep)
    orders = [[t.combination for t in turns if t.number == number] for number in (1, 2, 3)]
    assert len({turn.id for turn in turns}) == len(turns)
    assert all(set(order) == set(combinations_of(sweep)) for order in orders)
    assert orders[0] != orders[1] != orders[2] != orders[0]
    assert turns == turns_of(sweep)  # a sweep that is carried on has the same order


def test_what_needs_more_disks_than_the_sweep_has_is_left_out() -> None:
    sweep = read_sweep(FILE, origin="mine.toml")
    few = msgspec.structs.replace(sweep, disks=sweep.disks[:2])
    assert {turn.combination.members for turn in turns_of(sweep)} == {2, 3}
    assert {turn.combination.members for turn in turns_of(few)} == {2}


def test_an_array_of_a_sweep_is_a_slice_and_leaves_nothing_behind() -> None:
    sweep = read_sweep(FILE, origin="mine.toml")
    combination = next(one for one in combinations_of(sweep) if one.id == "raid5-3-64KiB-ext4")
    plan = make_plan(spec_of(sweep, combination), FOUR, seed=SEED)
    assert plan.spec.slice == 2 * GIB
    assert {"conf", "initramfs", "fstab"}.isdisjoint(step.id for step in plan.steps)
    assert [one.identity for one in plan.disks] == ["S-0001", "S-0002", "S-0003"]


def test_one_disk_alone_is_built_where_a_filesystem_is_measured_and_bare_where_none_is() -> None:
    sweep = Sweep(name="one", disks=NAMES[:2], slice=2 * GIB, levels=(SINGLE,), filesystems=("none", "btrfs"))
    bare, built = combinations_of(sweep)
    assert (bare.id, bare.title, bare.bare) == ("single-1", "single disk", True)
    assert (built.id, built.title, built.bare) == ("single-1-btrfs", "single disk, btrfs", False)
    plan = make_plan(spec_of(sweep, built), FOUR, seed=SEED)
    assert plan.array_uuid == ""
    assert plan.spec.filesystem.label == "sweep"  # by which it is found again after a kill
    assert [one.identity for one in plan.disks] == list(NAMES[:1])
    assert "fstab" not in {step.id for step in plan.steps}
    found = estimates(sweep, FOUR)
    assert found[built].low_seconds > found[bare].low_seconds > 0
    assert [one.refused for _, one in preview(sweep, FOUR, seed=SEED).combinations] == [None, None]


def test_what_cannot_be_built_says_why_and_takes_no_time() -> None:
    sweep = Sweep(name="six", disks=NAMES[:3], levels=("raid6", "raid5"))
    six, five = estimates(sweep, FOUR).values()
    assert six.refused == "RAID6 takes at least 4 disks, not 3"
    assert (six.high_seconds, six.written_bytes) == (0, 0)
    assert 0 < five.low_seconds < five.high_seconds
    seen = preview(sweep, FOUR, seed=SEED)
    assert seen.total.low_seconds == 2 * five.low_seconds


def test_a_level_of_more_disks_than_are_named_is_told_and_never_built_smaller() -> None:
    sweep = Sweep(name="s", disks=NAMES[:3], levels=("raid5 of 4", "raid5 of 3"))
    four, three = estimates(sweep, FOUR)
    assert estimates(sweep, FOUR)[four].refused == "RAID5 of 4 needs 4 disks, but only 3 are named"
    assert estimates(sweep, FOUR)[three].refused is None
    with pytest.raises(BadInput, match="needs 4 disks"):
        spec_of(sweep, four)


def test_a_smaller_slice_takes_less_time_and_writes_less() -> None:
    whole, part = (
        preview(Sweep(name="s", disks=NAMES, levels=("raid5",), slice=size), FOUR, seed=SEED).total
        for size in (None, GIB)
    )
    assert part.high_seconds < whole.high_seconds
    assert part.written_bytes < whole.written_bytes


def test_every_disk_is_told_and_one_in_use_is_refused() -> None:
    sweep = Sweep(name="s", disks=NAMES[:2], levels=("raid0",))
    seen = preview(sweep, FOUR, seed=SEED)
    assert [one.serial for one in seen.disks] == list(NAMES[:2])
    busy = machine(taken(1, Weight.BUSY, ClaimKind.MOUNT, "mounted at /srv/old"), disk(2))
    with pytest.raises(Refused, match="mounted at /srv/old"):
        preview(sweep, busy, seed=SEED)


def test_hazards_are_told_of_the_disks_and_not_of_data_that_a_sweep_does_not_keep() -> None:
    sweep = Sweep(name="s", disks=NAMES[:3], levels=("raid0", "raid5"))
    large = msgspec.structs.replace(disk(3), size_bytes=3 * disk(3).size_bytes)
    told = {one.id for one in preview(sweep, machine(disk(1), disk(2), large), seed=SEED).hazards}
    assert told >= {"unequal-sizes"}
    assert not told & {"no-redundancy", "write-hole", "never-scrubbed"}


@pytest.mark.parametrize(
    ("sweep", "sentence"),
    [
        (Sweep(name="s", levels=("raid0",)), "names no disks; add --disks"),
        (Sweep(name="s", levels=("raid0",), disks=("S-0001", "S-0001")), "names the disk 'S-0001' twice"),
        (Sweep(name="s", levels=("raid0",), disks=("S-0001", "S-0009")), "no disk of this machine is called"),
        (
            Sweep(name="s", levels=("raid6",), disks=NAMES[:2]),
            "none of the arrays of the sweep s can be built",
        ),
    ],
)
def test_a_sweep_that_cannot_be_is_refused(sweep: Sweep, sentence: str) -> None:
    with pytest.raises((BadInput, Refused), match=sentence):
        preview(sweep, FOUR, seed=SEED)


def test_a_journal_tells_what_is_measured_what_failed_and_what_is_left() -> None:
    lines = [
        (Event.STEP, "1/raid0-2", "raid0 of 2"),
        (Event.NOTE, "", "building raid0 of 2"),
        (Event.RESULT, "1/raid0-2/cdm", "abc"),
        (Event.STEP_DONE, "1/raid0-2", ""),
        (Event.STEP, "1/raid1-2", "raid1 of 2"),
        (Event.STEP_FAILED, "1/raid1-2", "no room"),
        (Event.STEP, "1/raid5-3", "raid5 of 3"),
        (Event.NOTE, "", "waiting until it is in sync"),
    ]
    entries = [
        Entry(seq=number, at=f"2026-11-21T04:00:{number:02}+00:00", event=event, step=step, text=text)
        for number, (event, step, text) in enumerate(lines)
    ]
    progress = progress_of(entries)
    assert progress.results == {"1/raid0-2/cdm": "abc"}
    assert progress.failed == {"1/raid1-2": "no room"}
    assert progress.ended == {"1/raid0-2", "1/raid1-2"}
    assert (progress.turn, progress.doing) == ("1/raid5-3", "waiting until it is in sync")
    assert progress.turn_seconds == 3.0


def test_a_backend_that_is_its_own_filesystem_is_swept_once_whatever_filesystems_are_listed() -> None:
    text = FILE.replace("[matrix]", '[matrix]\nbackend = ["mdadm", "btrfs"]').replace(
        'level = ["raid0", "raid1", "raid5"]\nmembers = [2, 3]\nchunk = ["64KiB", "512KiB"]',
        'level = ["raid1"]\nmembers = [2]',
    )
    sweep = read_sweep(text, origin="mine.toml")
    found = combinations_of(sweep)
    assert [one.id for one in found] == ["mdadm-raid1-2-ext4", "mdadm-raid1-2-xfs", "btrfs-raid1-2"]
    assert found[-1].title == "btrfs raid1 of 2"
    made = make_plan(spec_of(sweep, found[-1]), FOUR, seed=SEED).spec
    assert (made.filesystem.type, made.filesystem.label) == ("btrfs", made.name)
    assert made.persistent is False
