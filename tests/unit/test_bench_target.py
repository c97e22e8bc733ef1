"""What may be measured, and what is refused with one sentence before anything is begun."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui import cli
from raidtui.bench import context
from raidtui.bench import target as target_module
from raidtui.bench.beside import activity_of, degraded_of, units_beside
from raidtui.bench.device_stack import Nearest, compresses, in_memory, look_below
from raidtui.bench.session import described
from raidtui.bench.settings import check_request, settle
from raidtui.bench.target import Target, check_blank, check_target, room_at
from raidtui.machine.blocks import read_devices
from raidtui.machine.tree import Tree
from raidtui.model.device_graph import DeviceGraph
from raidtui.model.errors import BadInput, RaidtuiError, Refused
from raidtui.model.journal import BenchRequest
from raidtui.model.machine import Array, Claim, ClaimKind, Disk, Machine, Mount, Signature, Weight
from raidtui.model.result import MeasuredUnit
from raidtui.model.spec import Backend
from raidtui.model.system import System
from raidtui.model.unit import Activity, Health, Unit, UnitMember
from tests.unit.card_machines import VIRTUAL, nine_two_seventy, with_card

MACHINE = Machine(system=System(hostname="attic", kernel="6.1"))
EXT4 = Mount(source="/dev/md127", target="/srv", type="ext4", options="rw,relatime")


@pytest.fixture
def mounted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mount], None]:
    """Make every directory seem to be in that mount."""

    def seem(mount: Mount) -> None:
        monkeypatch.setattr(target_module, "mount_of", lambda descriptor: mount)

    return seem


def request(target: object = "/srv", size: int = 16 * 2**20, **more: object) -> BenchRequest:
    return BenchRequest(target=str(target), size_bytes=size, **more)  # type: ignore[arg-type]


def check(path: object, **more: object) -> target_module.Target:
    return check_target(str(path), MACHINE, request(path, **more))  # type: ignore[arg-type]


def test_a_directory_on_a_disk_is_fit(tmp_path: Path, mounted: Callable[[Mount], None]) -> None:
    mounted(EXT4)
    (tmp_path / "link").symlink_to(tmp_path)
    found = check(tmp_path / "link")
    assert (found.path, found.is_device, found.writes) == (str(tmp_path), False, True)
    assert (found.filesystem, found.number) == ("ext4", tmp_path.stat().st_dev)


@pytest.mark.parametrize(
    ("mount", "kind", "sentence"),
    [
        (
            Mount(source="tmpfs", target="/t", type="tmpfs"),
            Refused,
            "is on a tmpfs, which is in memory; name a",
        ),
        (Mount(source="none", target="/t", type="ramfs"), Refused, "is on a ramfs, which is in memory"),
        (Mount(source="proc", target="/p", type="proc"), BadInput, "on the kernel filesystem proc"),
        (
            Mount(source="/dev/md0", target="/ro", type="ext4", options="ro,relatime"),
            Refused,
            r"is mounted read-only \(/ro\)",
        ),
    ],
)
def test_a_directory_that_says_nothing_about_a_disk_is_refused(
    tmp_path: Path,
    mounted: Callable[[Mount], None],
    mount: Mount,
    kind: type[RaidtuiError],
    sentence: str,
) -> None:
    mounted(mount)
    with pytest.raises(kind, match=sentence):
        check(tmp_path)


def test_a_missing_directory_and_a_file_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="nowhere cannot be measured: No such file or directory"):
        check(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="file is neither a directory nor a block device"):
        check(tmp_path / "file")
    with pytest.raises(BadInput, match="neither a directory nor a block device"):
        check("/dev/null")


def test_a_name_that_would_rewrite_the_terminal_is_shown_harmless(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\?\[2Jnowhere cannot be measured") as caught:
        check(tmp_path / "\x1b[2Jnowhere")
    assert "\x1b" not in str(caught.value)


def test_a_full_filesystem_is_refused_with_what_fits(
    tmp_path: Path, mounted: Callable[[Mount], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted(EXT4)
    real = os.statvfs(tmp_path)

    def with_free(size: int) -> Callable[[object], os.statvfs_result]:
        values = list(real)
        values[0] = values[1] = 4096
        values[2], values[3], values[4] = 2**18, size // 4096, size // 4096  # of 1 GiB
        return lambda path: os.statvfs_result(values)

    monkeypatch.setattr(os, "statvfs", with_free(100 * 2**20))
    with pytest.raises(Refused, match=r"needs .* use --size 76MiB or less"):
        check(tmp_path, size=128 * 2**20)
    assert room_at(str(tmp_path)) == 76 * 2**20
    assert check(tmp_path, size=76 * 2**20).fill_percent == pytest.approx(90.2, abs=0.1)
    monkeypatch.setattr(os, "statvfs", with_free(2**20))
    with pytest.raises(Refused, match="free some space there"):
        check(tmp_path)


def test_erase_is_for_devices_only(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--erase names a blank block device"):
        check(tmp_path, erase="LAB-0001")


@pytest.mark.parametrize("size", [1, 15 * 2**20, 100_000_000])
def test_a_size_that_no_row_fits_is_answered_with_the_nearest(size: int) -> None:
    with pytest.raises(BadInput, match="must be at least 16MiB and a multiple of 1MiB; the nearest is"):
        check_request(request(size=size))


@pytest.mark.parametrize("numbers", [{"runs": -1}, {"seconds": -1}, {"runs": 1000}])
def test_a_benchmark_of_nothing_is_bad_input(numbers: dict[str, int]) -> None:
    with pytest.raises(BadInput, match="one to 100 runs of at least one second"):
        check_request(request(**numbers))


@pytest.mark.parametrize(
    ("kind", "options", "does"),
    [
        ("ext4", "rw", False),
        ("btrfs", "rw,space_cache=v2", False),
        ("btrfs", "rw,compress=zstd:3", True),
        ("btrfs", "rw,compress-force=lzo", True),
        ("f2fs", "rw,compress_algorithm=lz4", True),
        ("zfs", "rw", True),
    ],
)
def test_a_filesystem_that_compresses_is_known(kind: str, options: str, does: bool) -> None:
    assert compresses(Mount(source="x", target="/", type=kind, options=options)) is does


def test_an_overlay_is_as_good_as_its_upper_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overlay(upper: Path) -> Mount:
        return Mount(source="o", target="/", type="overlay", options=f"rw,lowerdir=/l,upperdir={upper}")

    upper_type = "ext4"
    monkeypatch.setattr(
        "raidtui.bench.device_stack.mount_of", lambda fd: Mount(source="x", target="/", type=upper_type)
    )
    assert in_memory(overlay(tmp_path)) == ""
    upper_type = "tmpfs"
    assert "upper folder is in memory" in in_memory(overlay(tmp_path))
    assert "cannot be seen from here" in in_memory(overlay(tmp_path / "hidden"))
    assert "nothing can be written" in in_memory(Mount(source="o", target="/", type="overlay", options="ro"))


@pytest.fixture
def sysfs(tmp_path: Path) -> Tree:
    """sda and sdb, a partition on each, md127 of the partitions, dm-0 on it; and md5 of sdb's other partition."""

    def device(path: str, number: str, **files: str) -> Path:
        folder = tmp_path / "sys/block" / path
        folder.mkdir(parents=True)
        (folder / "dev").write_text(number)
        (folder / "size").write_text("2048")
        for name, text in files.items():
            (folder / name).write_text(text)
        return folder

    for disk, minor in (("sda", 0), ("sdb", 16)):
        (device(disk, f"8:{minor}") / "queue").mkdir()
        (tmp_path / f"sys/block/{disk}/queue/rotational").write_text("1" if disk == "sdb" else "0")
    device("sda/sda1", "8:1", partition="1")
    device("sdb/sdb1", "8:17", partition="1")
    device("sdb/sdb2", "8:18", partition="2")
    for name, number, slaves, action in (
        ("md127", "9:127", ("sda/sda1", "sdb/sdb1"), "idle"),
        ("md5", "9:5", ("sdb/sdb2",), "resync"),
        ("dm-0", "254:0", ("md127",), ""),
    ):
        folder = device(name, number)
        (folder / "slaves").mkdir()
        for slave in slaves:
            (folder / "slaves" / Path(slave).name).symlink_to(tmp_path / "sys/block" / slave)
        if action:
            (folder / "md").mkdir()
            (folder / "md/sync_action").write_text(action)
    return Tree(tmp_path)


def test_everything_under_a_volume_is_found(sysfs: Tree) -> None:
    graph = DeviceGraph(read_devices(sysfs))
    below = look_below([graph.by_name["dm-0"]], graph, tree=sysfs)
    assert below.all == ("dm-0", "md127", "sda1", "sdb1", "sda", "sdb")
    assert below.disks == ("sda", "sdb")
    assert below.rotational


def test_a_unit_that_shares_a_disk_disturbs_as_well(sysfs: Tree) -> None:
    graph = DeviceGraph(read_devices(sysfs))
    below = look_below([graph.by_name["md127"]], graph, tree=sysfs)
    assert not look_below([graph.by_name["sda"]], graph, tree=sysfs).rotational
    own, other = unit("tank", "sda1", "sdb1"), unit("pictures", "sdb2", "sdc1", what="resync")
    far = unit("far", "sdc1", what="check")
    beside = units_beside(below, (own, far, other), graph)
    assert beside == (own, other)
    assert activity_of(beside) == ("/dev/pictures", "resync")
    assert activity_of([own]) == ("", "")


def unit(name: str, *members: str, what: str = "", paused: bool = False, health: Health = Health.OK) -> Unit:
    return Unit(
        backend=Backend.LVM,
        name=name,
        uuid=name,
        marks=(name,),
        level="raid5",
        size_bytes=2**30,
        path=f"/dev/{name}",
        node=f"/dev/{name}",
        health=health,
        state="",
        members=tuple(UnitMember(path=f"/dev/{one}") for one in members),
        activity=Activity(what=what, paused=paused) if what else None,
    )


def test_a_sync_that_is_paused_is_not_idle_and_a_lost_member_is_told() -> None:
    assert activity_of([unit("tank", what="check", paused=True)])[1] == "paused check"
    assert activity_of([unit("tank", health=Health.BUILDING)]) == ("/dev/tank", "paused sync")
    assert degraded_of([unit("a"), unit("b", health=Health.DEGRADED)]) == "/dev/b"
    assert degraded_of([unit("a")]) == ""


def test_nothing_is_measured_while_an_array_syncs_unless_that_is_wanted(
    tmp_path: Path, mounted: Callable[[Mount], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted(EXT4)
    syncing = unit("md127", what="initial sync")
    monkeypatch.setattr(target_module, "units_beside", lambda below, units, graph: (syncing,))
    with pytest.raises(Refused, match=r"/dev/md127 is busy \(initial sync\).*--during-sync, which flags"):
        check(tmp_path)
    assert check(tmp_path, during_sync=True).writes


def blank(**more: object) -> Disk:
    values: dict[str, object] = {
        "name": "sdx",
        "path": "/dev/sdx",
        "device_number": "8:16",
        "size_bytes": 2**30,
    }
    return Disk(**(values | {"serial": "LAB-0001"} | more))  # type: ignore[arg-type]


@pytest.fixture
def nothing_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_module, "read_signatures", lambda path: ())
    monkeypatch.setattr(target_module, "exclusive_error", lambda path: "")
    monkeypatch.setattr(target_module, "require", lambda name: f"/sbin/{name}")


def check_disk(erase: str, *disks: Disk, complete: bool = True) -> None:
    machine = Machine(system=MACHINE.system, disks=disks, complete=complete)
    check_blank("/dev/sdx", "8:16", machine, erase)


@pytest.mark.usefixtures("nothing_on_it")
@pytest.mark.parametrize("word", ["LAB-0001", "0001", "-0001"])
def test_a_blank_disk_named_by_its_serial_or_the_end_of_it_may_be_written(word: str) -> None:
    check_disk(word, blank())


@pytest.mark.usefixtures("nothing_on_it")
@pytest.mark.parametrize("word", ["", "001", "LAB-0002", "/dev/sdx", "sdx", "LAB"])
def test_another_name_is_refused_with_the_right_one(word: str) -> None:
    with pytest.raises(Refused, match="name its serial number: --erase LAB-0001"):
        check_disk(word, blank())


@pytest.mark.usefixtures("nothing_on_it")
def test_an_end_that_two_disks_share_is_refused() -> None:
    other = blank(name="sdy", path="/dev/sdy", device_number="8:32", serial="XYZ-0001")
    with pytest.raises(Refused, match="'0001' is the end of several serial numbers"):
        check_disk("0001", blank(), other)
    check_disk("LAB-0001", blank(), other)


@pytest.mark.usefixtures("nothing_on_it")
def test_a_disk_with_something_on_it_is_only_read() -> None:
    claim = Claim(
        what=ClaimKind.UNKNOWN_DATA, weight=Weight.DATA, device="/dev/sdx", detail="data", how_to_free=""
    )
    with pytest.raises(Refused, match="/dev/sdx is not blank and free: data"):
        check_disk("LAB-0001", blank(free=False, taken_by=(claim,)))
    with pytest.raises(Refused, match="only root can see"):
        check_disk("LAB-0001", blank(), complete=False)


@pytest.mark.usefixtures("nothing_on_it")
def test_what_is_asked_last_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Signature(device="/dev/sdx", offset=0, type="ext4")
    monkeypatch.setattr(target_module, "read_signatures", lambda path: (found,))
    with pytest.raises(Refused, match="/dev/sdx is not blank: ext4 is on it"):
        check_disk("LAB-0001", blank())
    monkeypatch.setattr(target_module, "read_signatures", lambda path: ())
    monkeypatch.setattr(target_module, "exclusive_error", lambda path: os.strerror(errno.EBUSY))
    with pytest.raises(Refused, match="/dev/sdx is in use"):
        check_disk("LAB-0001", blank())


@pytest.mark.usefixtures("nothing_on_it")
def test_an_array_is_named_by_its_name_and_anything_else_is_never_written() -> None:
    array = Array(name="tank", node="/dev/sdx", uuid="a-b", level="raid5")
    machine = Machine(system=MACHINE.system, arrays=(array,))
    check_blank("/dev/sdx", "9:127", machine, "tank")
    check_blank("/dev/sdx", "9:127", machine, "a-b")
    with pytest.raises(Refused, match="name the array: --erase tank"):
        check_blank("/dev/sdx", "9:127", machine, "LAB-0001")
    with pytest.raises(Refused, match="neither a whole disk nor an array"):
        check_blank("/dev/sdx1", "8:17", machine, "tank")


@pytest.mark.usefixtures("nothing_on_it")
def test_a_virtual_drive_is_named_as_in_its_spec_or_as_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = nine_two_seventy()
    answers["/c0/vall show all"] = answers["/c0/vall show all"].replace('"Name": ""', '"Name": "tank-9f03ab"')
    machine = with_card(monkeypatch, answers)
    for word in ("tank", "tank-9f03ab", VIRTUAL.serial):
        check_blank(VIRTUAL.path, VIRTUAL.device_number, machine, word)
    with pytest.raises(Refused, match="'other' does not name /dev/sda"):
        check_blank(VIRTUAL.path, VIRTUAL.device_number, machine, "other")


@pytest.mark.usefixtures("nothing_on_it")
def test_a_device_is_told_by_the_name_that_it_was_given(tmp_path: Path) -> None:
    (link := tmp_path / "tank").symlink_to("/dev/md127")
    array = Array(name="tank", node="/dev/md127", level="raid5", mountpoints=("/srv",))
    machine = Machine(system=MACHINE.system, arrays=(array,))
    with pytest.raises(Refused, match=f"{link} is in use: mounted at /srv"):
        check_blank(str(link), "9:127", machine, "tank")
    with pytest.raises(Refused, match=f"'other' does not name {link}"):
        check_blank(str(link), "9:127", machine, "other")


@pytest.mark.parametrize(
    ("made", "files", "words"),
    [
        (MeasuredUnit(name="tank", level="raid5"), "ext4", "ext4 on RAID5 tank, 1GiB"),
        (MeasuredUnit(backend=Backend.ZFS, name="tank", level="raidz1"), "zfs", "ZFS raidz1 tank, 1GiB"),
        (MeasuredUnit(name="tank", level="raid5"), "", "the device itself on RAID5 tank, 1GiB"),
        (None, "ext4", "ext4, 1GiB"),
    ],
)
def test_a_target_is_described_by_its_filesystem_and_the_unit_below(
    made: MeasuredUnit | None, files: str, words: str
) -> None:
    target = Target(
        path="/srv/tank",
        is_device=False,
        settings=settle(BenchRequest(target="/srv/tank", size_bytes=1 << 30)),
        number=1,
        filesystem=files,
        nearest=Nearest(unit=unit("tank"), made=made) if made is not None else None,
    )
    assert described(target) == words


def test_a_result_has_the_version_of_the_tools_that_made_the_unit_though_a_reading_does_not_ask_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(context, "version_of", {"fio": "3.33", "lvm": "2.03.16"}.__getitem__)
    for backend, tools, recorded in (
        (Backend.LVM, {"lvm": ""}, {"lvm": "2.03.16"}),
        (Backend.MDADM, {"mdadm": "4.2"}, {"mdadm": "4.2"}),
        (Backend.LVM, {}, {}),
    ):
        target = Target(
            path="/srv/tank",
            is_device=False,
            settings=settle(request("/srv/tank")),
            number=1,
            nearest=Nearest(unit=replace(unit("tank"), backend=backend), made=MeasuredUnit()),
        )
        found = context.context_of(
            target,
            replace(MACHINE, tools=tools),
            engine="io_uring",
            argv=["fio"],
            filename="tank",
            during_sync="",
            programs={},
        )
        assert found.tools == {"fio": "3.33"} | recorded


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["/nosuch"], "/nosuch cannot be measured: No such file or directory"),
        (["/dev/null"], "/dev/null is neither a directory nor a block device"),
        (["/proc"], "/proc is on the kernel filesystem proc"),
        (["/proc", "--time-budget", "soon"], "'soon' is not a time"),
    ],
)
def test_what_is_plainly_wrong_is_refused_before_the_computer_is_read(
    words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("raidtui.bench.preflight.read_whole", None)
    monkeypatch.setattr("raidtui.bench.preflight.require", lambda *_: "/usr/bin/fio")
    assert cli.main(["bench", *words]) == 2
    assert sentence in capsys.readouterr().err
