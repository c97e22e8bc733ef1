"""What programs and files say becomes data: wipefs, mountinfo, fstab, mdadm.conf, pvs, versions of programs."""

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.commands import doctor
from raidtui.machine import reader, tools
from raidtui.machine.ask import ToolAnswer
from raidtui.machine.configured import (
    array_entries,
    array_lines,
    device_words,
    find_mdadm_conf,
    fstab_lines,
    mail_address,
    read_references,
)
from raidtui.machine.contents.signatures import probe, read_signatures
from raidtui.machine.mounts import parse_mountinfo, read_all_mounts, read_mounts, read_swaps, unescape
from raidtui.machine.textfile import read_bounded
from raidtui.machine.tools import TOOLS, is_older, require, version_in
from raidtui.machine.tree import Tree
from raidtui.model.errors import Refused, StepFailed, ToolMissing
from raidtui.model.machine import Signature
from tests.unit.machine_trees import MadeTree

WIPEFS = """{
   "signatures": [
      {
         "device": "sda",
         "offset": "0x200",
         "type": "gpt",
         "uuid": null,
         "label": null
      },{
         "device": "sda",
         "offset": "0x1fe",
         "type": "PMBR",
         "uuid": null,
         "label": null
      },{
         "device": "sda1",
         "offset": "0x438",
         "type": "ext4",
         "uuid": "b7c6c677-654b-4cf8-af83-42b21f1306d1",
         "label": "a\\u001b[2J"
      }
   ]
}
"""


def test_signatures_of_several_devices_come_from_one_question() -> None:
    asked: list[Sequence[str]] = []

    def wipefs(argv: Sequence[str]) -> ToolAnswer:
        asked.append(argv)
        return ToolAnswer(returncode=0, stdout=WIPEFS)

    found = probe(["/dev/sda", "/dev/sda1", "/dev/sdb"], ask=wipefs).found
    assert len(asked) == 1
    assert [(s.type, s.offset) for s in found["/dev/sda"]] == [("PMBR", 0x1FE), ("gpt", 0x200)]
    assert found["/dev/sda1"] == (
        Signature(
            device="/dev/sda1",
            offset=0x438,
            type="ext4",
            label="a\x1b[2J",
            uuid="b7c6c677-654b-4cf8-af83-42b21f1306d1",
        ),
    )
    assert found["/dev/sdb"] == ()


def test_one_device_that_cannot_be_read_does_not_hide_the_others() -> None:
    def wipefs(argv: Sequence[str]) -> ToolAnswer:
        if "/dev/sdb" in argv:
            return ToolAnswer(returncode=1, stderr="wipefs: error: /dev/sdb: probing initialization failed")
        return ToolAnswer(
            returncode=0, stdout='{"signatures": [{"device": "sda1", "offset": "0x438", "type": "ext4"}]}'
        )

    probed = probe(["/dev/sda1", "/dev/sdb"], ask=wipefs)
    assert [s.type for s in probed.found["/dev/sda1"]] == ["ext4"]
    assert "/dev/sdb" not in probed.found
    assert probed.failed == {"/dev/sdb": "wipefs: error: /dev/sdb: probing initialization failed"}


def test_a_device_that_does_not_answer_in_time_is_not_blank() -> None:
    def slow(argv: Sequence[str]) -> ToolAnswer:
        return ToolAnswer(returncode=None, stderr="wipefs did not end within 20 s")

    probed = probe(["/dev/sda", "/dev/sdb"], ask=slow)
    assert probed.found == {}
    assert probed.failed == dict.fromkeys(["/dev/sda", "/dev/sdb"], "wipefs did not end within 20 s")
    with pytest.raises(Refused, match=r"cannot read what is on /dev/sda: wipefs did not end within 20 s"):
        read_signatures("/dev/sda", ask=slow)


def test_a_disk_that_spins_up_for_the_first_question_answers_the_second() -> None:
    asked: list[Sequence[str]] = []

    def spins_up(argv: Sequence[str]) -> ToolAnswer:
        asked.append(argv)
        late = len(asked) == 1
        return ToolAnswer(returncode=None, stderr="late") if late else ToolAnswer(returncode=0)

    assert probe(["/dev/sda", "/dev/sdb"], ask=spins_up).found == {"/dev/sda": (), "/dev/sdb": ()}


@pytest.mark.parametrize(
    "answer", ["{", '{"signatures": [{"device": "sdz", "offset": "0x0"}]}', WIPEFS.replace("0x200", "?")]
)
def test_an_answer_that_cannot_be_understood_is_not_a_blank_device(answer: str) -> None:
    probed = probe(["/dev/sda"], ask=lambda _: ToolAnswer(returncode=0, stdout=answer))
    assert probed.found == {}
    assert "printed something that raidtui cannot read" in probed.failed["/dev/sda"]


def test_two_devices_whose_paths_end_alike_are_asked_one_by_one() -> None:
    def wipefs(argv: Sequence[str]) -> ToolAnswer:
        one = '{"signatures": [{"device": "tank", "offset": "0x438", "type": "ext4"}]}'
        return ToolAnswer(returncode=0, stdout=one if "/dev/md/tank" in argv else "")

    found = probe(["/dev/md/tank", "/dev/mapper/tank"], ask=wipefs).found
    assert [s.type for s in found["/dev/md/tank"]] == ["ext4"]
    assert found["/dev/mapper/tank"] == ()


def test_a_blank_device_has_no_signature() -> None:
    assert read_signatures("/dev/sda", ask=lambda _: ToolAnswer(returncode=0)) == ()
    assert (
        read_signatures("/dev/sda", ask=lambda _: ToolAnswer(returncode=0, stdout='{"signatures": []}')) == ()
    )


MOUNTINFO = r"""29 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw,errors=remount-ro
30 29 0:44 /sub /srv/my\040photos rw,noatime shared:2 master:7 - btrfs /dev/sdb rw,subvol=/sub
31 29 0:5 / /proc rw - proc proc rw
32 29 0:61 / /mnt ro propagate_from:2 - nfs4 nas:/export ro,vers=4.2
cut short
"""


def test_mountinfo_gives_number_place_type_and_options() -> None:
    root, photos, proc, nfs = parse_mountinfo(MOUNTINFO)
    assert (root.device_number, root.target, root.type, root.source) == ("8:2", "/", "ext4", "/dev/sda2")
    assert root.options == "rw,relatime,errors=remount-ro"
    assert (photos.target, photos.source) == ("/srv/my photos", "/dev/sdb")
    assert proc.type == "proc"
    assert nfs.source == "nas:/export"


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _large(path: Path) -> None:
    path.write_text("UUID=1 /a ext4 defaults 0 0\n" * 50_000)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("put", [Path.mkdir, _fifo, _loop, _large, _endless])
@pytest.mark.parametrize("file", ["/etc/fstab", "/etc/crypttab", "/etc/mdadm.conf"])
def test_a_file_that_cannot_be_read_is_not_an_empty_one(
    tmp_path: Path, file: str, put: Callable[[Path], None]
) -> None:
    place = tmp_path / file.lstrip("/")
    place.parent.mkdir()
    put(place)
    tree = Tree(tmp_path)
    with pytest.raises(StepFailed, match=f"^{file}: "):
        read_references(tree, file)
    assert not tree.text(file) or put is _large  # neither waited for nor read without end
    assert not fstab_lines(tree)
    place.rmdir() if put is Path.mkdir else place.unlink()
    assert read_references(tree, file) == ()
    place.symlink_to(os.devnull)  # empty on purpose
    assert read_references(tree, file) == ()


def test_each_mount_namespace_is_read_once_and_our_own_first(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.mounts("8:1 /dev/sda1 / ext4")
    made.mounts("8:1 /dev/sda1 / ext4", pid="1", namespace="mnt:[1]")
    for pid in ("70", "71"):
        made.mounts("8:17 /dev/sdb1 /data ext4", "0:5 proc /proc proc", pid=pid, namespace="mnt:[2]")
    found = read_all_mounts(made.tree)
    assert [(one.mount.target, one.here, one.pid != 71) for one in found] == [
        ("/", True, True),
        ("/data", False, True),
    ]


def test_a_mount_has_the_node_that_its_source_is_a_link_to(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.link("/dev/mapper/tank-data", "../dm-4")
    made.link("/dev/disk/by-id/dm-name-tank-data", "../../mapper/tank-data")
    made.mounts(
        "0:30 /dev/disk/by-id/dm-name-tank-data /data btrfs",
        "8:1 /dev/sda1 / ext4",
        "0:31 pool/data /pool zfs",
    )
    found = read_mounts(made.tree)
    assert [(one.target, one.device) for one in found] == [
        ("/data", "/dev/dm-4"),
        ("/", "/dev/sda1"),
        ("/pool", ""),
    ]


def test_swap_on_a_device_and_in_a_file_differ(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write("/proc/swaps", "Filename\tType\n/dev/sda3 partition 1 0 -2\n/swap\\040file file 1 0 -3\n")
    assert [(s.path, s.partition) for s in read_swaps(made.tree)] == [
        ("/dev/sda3", True),
        ("/swap file", False),
    ]


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\\"), max_size=40))
def test_escaped_paths_come_back(path: str) -> None:
    escaped = "".join(f"\\{ord(c):03o}" if c in " \t\n" else c for c in path)
    assert unescape(escaped) == path


@given(st.text())
def test_no_text_upsets_the_reading_of_mountinfo(text: str) -> None:
    parse_mountinfo(text)
    unescape(text)


def test_mdadm_conf_joins_continued_lines_and_takes_short_keywords(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write(
        "/etc/mdadm/mdadm.conf",
        "# mdadm.conf\nHOMEHOST <system>\nmail admin@example.org\nARRAY /dev/md/tank\n   metadata=1.2\n"
        "\tUUID=d422944c:77a00bde:5f2ef982:c976754b  # the big one\narr /dev/md0 UUID=1:2:3:4\n",
    )
    conf = find_mdadm_conf(made.tree)
    assert array_lines(made.tree, conf) == (
        "ARRAY /dev/md/tank metadata=1.2 UUID=d422944c:77a00bde:5f2ef982:c976754b",
        "arr /dev/md0 UUID=1:2:3:4",
    )
    assert mail_address(made.tree, conf) == "admin@example.org"


def test_where_mdadm_conf_is_depends_on_the_system(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    assert find_mdadm_conf(made.tree) == "/etc/mdadm.conf"
    made.write("/etc/debian_version", "12\n")
    assert find_mdadm_conf(made.tree) == "/etc/mdadm/mdadm.conf"
    made.write("/etc/mdadm.conf", "")
    assert find_mdadm_conf(made.tree) == "/etc/mdadm.conf"


def test_comments_of_fstab_are_left_out(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write("/etc/fstab", "# root\nUUID=1 / ext4 defaults 0 1\n\n  # swap\n")
    assert fstab_lines(made.tree) == ("UUID=1 / ext4 defaults 0 1",)


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("mdadm - v4.2 - 2021-12-30 - Debian 4.2-5\n", "4.2"),
        ("fio-3.33\n", "3.33"),
        ("mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n", "1.47.0"),
        ("mkfs.btrfs, part of btrfs-progs v6.2\n", "6.2"),
        ("wipefs from util-linux 2.38.1\n", "2.38.1"),
        ("smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)\n", "7.3"),
        ("252\n", "252"),
        ("  LVM version:     2.03.16(2) (2022-05-18)\n", "2.03.16"),
        ("no idea\n", ""),
    ],
)
def test_programs_tell_their_version_in_many_ways(said: str, version: str) -> None:
    assert version_in(said) == version


def test_versions_compare_by_number() -> None:
    assert is_older("3.9", than="3.28")
    assert not is_older("3.28", than="3.28")
    assert not is_older("3.28.1", than="3.28")
    assert is_older("", than="3.28")


def test_a_missing_program_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "find_tool", lambda _: None)
    with pytest.raises(
        ToolMissing, match=r"fio, which measures, is not installed; .* apt-get install fio"
    ) as error:
        require("fio")
    assert error.value.exit_code == 5


@pytest.fixture
def slow_fio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "fio"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(tools, "find_tool", lambda name: str(program) if name == "fio" else None)
    monkeypatch.setattr(tools, "_VERSION_TIMEOUT_SECONDS", 0.1)


@pytest.mark.usefixtures("slow_fio")
@pytest.mark.processes
def test_a_program_that_is_slow_to_report_its_version_is_not_of_unknown_version() -> None:
    with pytest.raises(StepFailed, match="fio, which measures, did not report its version within"):
        require("fio")


@pytest.mark.usefixtures("slow_fio")
@pytest.mark.processes
def test_a_slow_program_is_neither_missing_nor_too_old() -> None:
    assert tools.tool_versions() == {"fio": ""}
    assert doctor.problem("", TOOLS["fio"]) == doctor.SILENT


def test_programs_have_a_minute_to_report_their_version() -> None:
    assert tools._VERSION_TIMEOUT_SECONDS >= 60


def test_a_program_whose_version_is_known_is_looked_for_and_not_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[str] = []

    def start(path: str, _: tools.Tool) -> str:
        started.append(path)
        return "4.4"

    monkeypatch.setattr(tools, "find_tool", lambda name: None if name == "fio" else f"/sbin/{name}")
    monkeypatch.setattr(tools, "_start", start)
    monkeypatch.setattr(tools, "_finish", lambda said: said)
    known = {name: "1.0" for name in TOOLS if name != "mdadm"}
    versions = tools.ask_versions(known)()
    assert started == ["/sbin/mdadm"]
    assert versions["mdadm"] == "4.4"
    assert versions["wipefs"] == versions["sfdisk"] == "1.0"
    assert "fio" not in versions  # it was there in the earlier reading


def test_a_reading_runs_no_program_whose_version_no_plan_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str]] = []

    def versions(known: dict[str, str]) -> Callable[[], dict[str, str]]:
        asked.append(known)
        return lambda: known

    monkeypatch.setattr(reader, "ask_versions", versions)
    monkeypatch.setattr(reader, "read_tree", lambda *_, **words: words["versions"]())
    reader.read_machine()
    reader.read_machine(known_tools={"mdadm": "4.2"})
    assert asked == [tools.never_in_plans(), tools.never_in_plans() | {"mdadm": "4.2"}]
    assert {*TOOLS} - {*tools.never_in_plans()} == {
        *("mdadm", "mkfs.ext4", "mkfs.btrfs", "btrfs", "zpool", "zfs", "blockdev", "sfdisk", "mount")
    }


def test_every_needed_program_has_a_package_and_a_reason() -> None:
    assert TOOLS["fio"].at_least == "3.28"
    assert TOOLS["wipefs"].package == "util-linux"
    assert all(tool.package and tool.why for tool in TOOLS.values())
    assert all(tool.like in {"", *TOOLS} for tool in TOOLS.values())


def test_what_cannot_be_read_reads_as_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    assert tree.text("/sys/block/sda/size") == ""
    assert tree.number("/sys/block/sda/size") is None
    assert tree.names("/sys/block") == []
    assert tree.link("/dev/disk/by-id/x") == ""
    assert tree.bytes("/x") == b""


def test_a_number_may_have_more_behind_it(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write("/a", "4 (3)\n")
    made.write("/b", "none\n")
    assert made.tree.number("/a") == 4
    assert made.tree.number("/b") is None


def test_links_are_followed_by_name_even_without_device_nodes(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.link("/dev/disk/by-id/ata-X", "../../sda")
    made.link("/dev/loop", "loop")
    assert made.tree.device_named("/dev/disk/by-id/ata-X") == "sda"
    assert made.tree.device_named("/dev/sdb1") == "sdb1"
    assert made.tree.device_named("tmpfs") == ""
    assert made.tree.device_named("/dev/loop") == "loop"  # a link to itself ends


def test_lines_that_may_have_to_be_taken_out_are_known_as_they_stand(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    made.write("/etc/fstab", "\tUUID=1 /srv/tank ext4 defaults 0 2  \n")
    made.write(
        "/etc/mdadm/mdadm.conf", "ARRAY /dev/md/one UUID=1:2:3:4 # mine\nARRAY /dev/md/two\n  UUID=5:6:7:8\n"
    )
    made.write("/etc/mdadm/mdadm.conf.d/three.conf", "ARRAY /dev/md/three UUID=9:9:9:9\n")
    assert fstab_lines(made.tree) == ("\tUUID=1 /srv/tank ext4 defaults 0 2",)
    found = [(one.text, one.file, one.lines) for one in array_entries(made.tree, "/etc/mdadm/mdadm.conf")]
    assert found == [
        (
            "ARRAY /dev/md/one UUID=1:2:3:4",
            "/etc/mdadm/mdadm.conf",
            ("ARRAY /dev/md/one UUID=1:2:3:4 # mine",),
        ),
        (
            "ARRAY /dev/md/two UUID=5:6:7:8",
            "/etc/mdadm/mdadm.conf",
            ("ARRAY /dev/md/two", "  UUID=5:6:7:8"),
        ),
        (
            "ARRAY /dev/md/three UUID=9:9:9:9",
            "/etc/mdadm/mdadm.conf.d/three.conf",
            ("ARRAY /dev/md/three UUID=9:9:9:9",),
        ),
    ]


def test_every_device_line_tells_where_mdadm_looks(tmp_path: Path) -> None:
    made = MadeTree(tmp_path)
    assert device_words(made.tree, "/etc/mdadm.conf") == ()
    made.write("/etc/mdadm.conf", "DEVICE /dev/sd*\n  /dev/hd*\n#DEVICE x\ndev containers\n")
    assert device_words(made.tree, "/etc/mdadm.conf") == ("/dev/sd*", "/dev/hd*", "containers")


def test_a_file_that_waits_for_more_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As /proc/kmsg does, which is a file to stat; here a FIFO that is held open stands for it."""
    os.mkfifo(tmp_path / "messages")
    holder = os.open(tmp_path / "messages", os.O_RDWR)
    monkeypatch.setattr(stat, "S_ISREG", lambda _: True)
    monkeypatch.setattr(stat, "S_ISFIFO", lambda _: False)
    with pytest.raises(OSError, match="reading it waits"):
        read_bounded(tmp_path / "messages", most=100)
    os.close(holder)
