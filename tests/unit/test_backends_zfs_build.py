"""Plans of pools: what is completed and refused, what is asked of ZFS, and what removes a pool again."""

from typing import Any

import msgspec
import pytest

from raidtui.backends.names import LONGEST_NAME
from raidtui.backends.registry import backend, builder
from raidtui.backends.resolve import place
from raidtui.backends.specfile import read_spec, write_spec
from raidtui.backends.zfs.conditions import POOL_EMPTY, POOL_GONE, POOL_NAME_FREE, POOL_RUNS
from raidtui.backends.zfs.names import check_name
from raidtui.backends.zfs.reading import imported
from raidtui.backends.zfs.report import PoolReport
from raidtui.jobs.disk_contents import describe_contents
from raidtui.machine.ask import ToolAnswer
from raidtui.model.errors import BadInput, CannotBuild, Refused, ToolMissing
from raidtui.model.machine import Claim, ClaimKind, Machine, Mount, Weight
from raidtui.model.plan import Plan, Role, Run, Undo
from raidtui.model.spec import Backend, FilesystemSpec, Spec
from raidtui.model.units import GIB, MIB
from raidtui.plan.build import make_plan
from raidtui.plan.teardown import make_teardown
from raidtui.steps.pieces import contents_of
from tests.unit.plan_machines import SEED, TANK, commands, disk, machine, plan, step, whole
from tests.unit.zfs_machines import (
    GUID,
    HEALTHY,
    MARK,
    dataset,
    others,
    pool,
    report,
    zfs_disk,
    zfs_machine,
)

ZFS = msgspec.structs.replace(TANK, backend=Backend.ZFS, level="raidz1", filesystem=FilesystemSpec())
FOUR = ("S-0001", "S-0002", "S-0003", "S-0004")
FORCES = {"-f", "-F", "-ff", "--force"}


def zfs_plan(where: Any = None, **changes: Any) -> Plan:
    return plan(ZFS, where, **changes)


def with_zfs(known: PoolReport, **system: Any) -> Machine:
    """Six blank disks, and what ZFS says of itself."""
    return msgspec.structs.replace(machine(**system), readings={"zfs": msgspec.to_builtins(known)})


def create(made: Plan) -> tuple[str, ...]:
    (found,) = commands(step(made, "pool"))
    return found


def runs(made: Plan) -> list[tuple[str, ...]]:
    every = [a for s in made.steps for a in s.every_action]
    return [one.argv for one in every if isinstance(one, Run)]


# What a spec may say.


@pytest.mark.parametrize("name", ["tank", "a", "T-1.x_y:z", "x" * LONGEST_NAME, "logs", "c0", "rai", "mirr"])
def test_these_names_are_taken(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "1tank", "-tank", ".tank", "_tank", "tank/data", "tank@one", "ta nk", "tänk", "ta%nk", "log", "mirror", "mirror-0", "raidz", "raidz2x", "draid1", "spare", "spares", "x" * (LONGEST_NAME + 1)],
)  # fmt: skip
def test_these_are_refused(name: str) -> None:
    with pytest.raises(BadInput):
        check_name(name)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": "raid5"}, "ZFS has no level 'raid5'; it has stripe, mirror, raidz1"),
        ({"chunk": 65536}, "'chunk'"),
        ({"layout": "n2"}, "'layout'"),
        ({"metadata": "1.2"}, "'metadata'"),
        ({"consistency": "bitmap"}, "'consistency'"),
        ({"partition": False}, "takes one partition of each disk"),
        ({"name": "raidz"}, "zpool's word for a vdev"),
        ({"options": {"ashift": "8"}}, "ashift: '8' is not a whole number from 9 to 16"),
        ({"options": {"ashift": "twelve"}}, "ashift: 'twelve' is not a whole number"),
        ({"options": {"recordsize": "100KiB"}}, "recordsize: 100KiB is not a power of two"),
        ({"options": {"recordsize": "4MiB"}}, "records of at most 1 MiB"),
        ({"options": {"compression": "rar"}}, "does not know the compression 'rar'"),
        ({"options": {"atime": "maybe"}}, "atime: 'maybe' is not off or on"),
        ({"options": {"vdevs": "2"}}, "3 disks cannot be divided evenly among 2 vdevs"),
        ({"options": {"bitmap": "1"}}, "no option 'bitmap'"),
        ({"level": "raidz3"}, "at least 4 disks, not 3"),
        ({"filesystem": FilesystemSpec(type="ext4")}, "zfs is a filesystem itself"),
        ({"filesystem": FilesystemSpec(mountpoint="/usr/tank")}, "belongs to the system"),
    ],
)
def test_what_zfs_does_not_take_is_refused_in_a_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        zfs_plan(**changes)


def test_an_ashift_below_the_sector_is_refused_and_one_above_it_told() -> None:
    large = machine(*(disk(n, physical_sector_bytes=4096) for n in (1, 2, 3)))
    with pytest.raises(
        CannotBuild, match="ashift 9 means sectors of 512B, less than the 4KiB of these disks"
    ):
        zfs_plan(large, options={"ashift": "9"})
    assert "ashift=9" in create(zfs_plan(options={"ashift": "9"}))
    huge = machine(*(disk(n, physical_sector_bytes=16384) for n in (1, 2, 3)))
    assert "ashift=14" in create(zfs_plan(huge))
    told = "ashift 14 means sectors of 16KiB; the largest physical sector of the disks is 16KiB."
    assert told in step(zfs_plan(huge), "pool").reason
    assert "with ashift 14;" in place(ZFS, huge).facts.accuracy


def test_completing_twice_changes_nothing() -> None:
    made = backend(Backend.ZFS)
    once = made.defaults(ZFS)
    assert made.defaults(once) == once
    assert once.partition is True
    assert once.options == {"recordsize": "128KiB", "compression": "lz4", "atime": "off"}


def test_the_options_are_keys_of_a_spec_file_and_come_back() -> None:
    text = 'name = "tank"\nbackend = "zfs"\nlevel = "mirror"\nmembers = ["a", "b"]\nashift = 13\nrecordsize = "1MiB"\natime = true\ncompression = "zstd"\n\n[filesystem]\nmountpoint = "/srv/x"\n'
    spec = read_spec(text, origin="t.toml")
    assert spec.options == {"ashift": "13", "recordsize": "1MiB", "atime": "on", "compression": "zstd"}
    assert spec.filesystem.mountpoint == "/srv/x"
    assert read_spec(write_spec(spec), origin="again") == spec


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ashift = 20", "t.toml, line 4: ashift: '20' is not a whole number from 9 to 16"),
        ('recordsize = "3KiB"', "t.toml, line 4: recordsize: 3KiB is not a power of two"),
        ('compresion = "lz4"', "did you mean compression"),
        ("recordsize = 131072.5", "recordsize must be text"),
    ],
)
def test_a_wrong_value_is_said_with_its_line(line: str, words: str) -> None:
    with pytest.raises(BadInput) as told:
        read_spec(f'name = "tank"\nbackend = "zfs"\nlevel = "stripe"\n{line}\n', origin="t.toml")
    assert words.replace("did you mean compression", "did you mean") in str(told.value)


def test_another_backend_has_none_of_them() -> None:
    with pytest.raises(BadInput, match="line 3: backend = 'mdadm' has no key 'ashift'"):
        read_spec('name = "t"\nlevel = "raid1"\nashift = 12\n', origin="t")


# What is asked of ZFS.


def test_the_exact_command() -> None:
    made = zfs_plan()
    assert create(made) == (
        *("zpool", "create", "-o", "ashift=12", "-o", "autotrim=off"),
        *("-O", "compression=lz4", "-O", "atime=off", "-O", "xattr=sa", "-O", "acltype=posixacl"),
        *("-O", "recordsize=128K", "-O", f"org.raidtui:plan={made.array_uuid}", "-m", "/srv/tank"),
        *("tank", "raidz1", *(f"{whole(n)}-part1" for n in (1, 2, 3))),
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": "stripe"}, ("tank", "1", "2", "3")),
        ({"level": "mirror"}, ("tank", "mirror", "1", "2", "3")),
        ({"level": "mirror", "members": FOUR}, ("tank", "mirror", "1", "2", "mirror", "3", "4")),
        (
            {"level": "mirror", "members": FOUR, "options": {"vdevs": "1"}},
            ("tank", "mirror", "1", "2", "3", "4"),
        ),
        (
            {"members": (*FOUR, "S-0005", "S-0006"), "options": {"vdevs": "2"}},
            ("tank", "raidz1", "1", "2", "3", "raidz1", "4", "5", "6"),
        ),
        ({"spares": ("S-0004",)}, ("tank", "raidz1", "1", "2", "3", "spare", "4")),
        ({"level": "stripe", "members": FOUR[:1]}, ("tank", "1")),
    ],
)
def test_the_disks_are_dealt_out_to_vdevs(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    argv = create(zfs_plan(**changes))
    shape = tuple(f"{whole(int(word))}-part1" if word.isdigit() else word for word in words)
    assert argv[argv.index("/srv/tank") + 1 :] == shape


@pytest.mark.parametrize(
    ("changes", "shape"),
    [
        ({"level": "stripe"}, "a stripe of 3 disks"),
        ({"level": "raidz1"}, "a raidz1 of 3 disks"),
        ({"level": "mirror", "members": FOUR}, "2 vdevs, each a mirror of 2 disks"),
    ],
)
def test_the_title_names_the_shape_of_the_pool(changes: dict[str, Any], shape: str) -> None:
    assert step(zfs_plan(**changes), "pool").title == f"Create the pool tank: {shape}"


def test_nothing_is_ever_forced() -> None:
    for made in (zfs_plan(spares=("S-0004",)), make_teardown("tank", zfs_machine(), seed=SEED)):
        for argv in runs(made):
            if argv[0] in {"zpool", "zfs"}:
                assert not FORCES & set(argv), argv


def test_members_are_partitions_of_zfs_type_all_of_one_size() -> None:
    where = machine(disk(2, size_bytes=9_000_000_000))
    made = zfs_plan(where, spares=("S-0004",))
    tables = [a.input for a in step(made, "partition").actions if isinstance(a, Run) and a.input]
    assert len(tables) == 4
    assert all("type=6a898cc3-1dd2-11b2-99a6-080020736631" in one for one in tables)
    assert len({one.partition("size=")[2].partition(",")[0] for one in tables}) == 1
    with pytest.raises(BadInput, match=r"spare of .* is smaller"):
        zfs_plan(machine(disk(4, size_bytes=9_000_000_000)), spares=("S-0004",))


def test_the_pool_is_known_by_the_uuid_of_its_first_partition() -> None:
    made = zfs_plan()
    first = next(a.input for a in step(made, "partition").actions if isinstance(a, Run) and a.input)
    assert f"uuid={made.array_uuid}" in first


def test_exit_code_1_is_left_to_the_conditions_and_an_interrupted_one_is_destroyed() -> None:
    made = step(zfs_plan(), "pool")
    assert made.role is Role.CREATE
    assert made.undoable is Undo.IMPOSSIBLE
    (action,) = made.actions
    assert isinstance(action, Run)
    assert action.ok == (0, 1)
    assert [one.argv[:2] for one in made.repair if isinstance(one, Run)][:2] == [
        ("zpool", "destroy"),
        ("zpool", "labelclear"),
    ]
    assert [check.kind for check in made.after] == [POOL_RUNS.kind]


def test_no_line_of_fstab_and_a_pool_for_now_has_no_cache_file() -> None:
    made = zfs_plan()
    assert [one.id for one in made.steps][-2:] == ["boot", "mount"]
    once = zfs_plan(persistent=False)
    assert "cachefile=none" in create(once)
    assert "boot" not in [one.id for one in once.steps]


def test_services_that_are_off_are_enabled_and_masked_ones_a_hazard() -> None:
    services = {
        "zfs-import-cache.service": "disabled",
        "zfs-mount.service": "masked",
        "zfs-import.target": "enabled",
        "zfs.target": "enabled",
    }
    made = zfs_plan(with_zfs(PoolReport(version="2.1.11", services=services, hostid=False), systemd=True))
    assert step(made, "boot").title == "Enable the services that import pools at boot"
    assert commands(step(made, "boot")) == [
        ("systemctl", "enable", "zfs-import-cache.service"),
        ("sync", "--file-system", "/etc/systemd/system"),  # a power cut straight after it would take it back
    ]
    assert [a.argv for a in step(made, "boot").undo if isinstance(a, Run)] == [
        ("systemctl", "disable", "zfs-import-cache.service")
    ]
    hazards = {one.id: one for one in made.hazards}
    assert "zfs-mount.service" in hazards["zfs-services"].seen
    assert "zgenhostid" in hazards["zfs-hostid"].advice


# What is in the way.


def test_a_pool_of_that_name_is_in_the_way_imported_or_not() -> None:
    spec = {"members": ("S-0005", "S-0006"), "level": "mirror"}
    with pytest.raises(BadInput, match="tank is used by a pool of this computer"):
        zfs_plan(zfs_machine(mounted=False), **spec)
    away = zfs_machine(others(), zfs_disk(1, used=False), zfs_disk(2, used=False), mounted=False)
    with pytest.raises(BadInput, match=r"a pool called tank that is not imported is on S-0001 \(/dev/sda1\)"):
        zfs_plan(away, **spec)
    assert zfs_plan(away, name="vault", **spec)


def test_a_pool_that_the_plan_erases_whole_is_not_in_the_way_and_a_grave_hazard() -> None:
    away = zfs_machine(others(), zfs_disk(1, used=False), zfs_disk(2, used=False), mounted=False)
    made = zfs_plan(away, members=("S-0001", "S-0002"), level="mirror")
    (hazard,) = (one for one in made.hazards if one.id == "foreign-pool")
    assert hazard.severity == "HIGH"
    assert "tank" in hazard.seen
    assert "not imported, exported by attic, ONLINE" in hazard.seen


def test_what_is_missing_is_said_in_one_sentence_with_what_to_install() -> None:
    bare = msgspec.structs.replace(machine(), tools={"wipefs": "2.38"})
    with pytest.raises(
        ToolMissing,
        match=r"ZFS is not installed; on Debian: apt-get install linux-headers-amd64 zfs-dkms zfsutils-linux "
        r"\(from contrib\); where the kernel has no module of ZFS, this builds it on this computer",
    ):
        zfs_plan(bare)
    with pytest.raises(
        ToolMissing,
        match=r"kernel 6.1.0-32-amd64 has no module zfs; .*linux-headers-6.1.0-32-amd64 zfs-dkms "
        r"\(from contrib\); this builds it on this computer\.",
    ):
        zfs_plan(with_zfs(PoolReport(module=False)))


def test_nothing_is_erased_for_a_pool_while_the_module_is_not_loaded() -> None:
    """As in a guest after rmmod zfs: zpool answers nothing, so the build would stop after the disks are wiped."""
    with pytest.raises(ToolMissing, match=r"the kernel module zfs is not loaded; load it with: modprobe zfs"):
        zfs_plan(with_zfs(PoolReport(module=True)))
    assert zfs_plan(with_zfs(PoolReport(module=True, version="2.1.11")))


# How a pool is known again.


def holds(kind: Any, subject: str, expect: str = "", known: PoolReport | None = None) -> bool:
    return bool(kind.judge(kind.of(subject, expect), known or report()).holds)


def test_a_pool_runs_when_it_has_the_mark_and_every_device() -> None:
    assert holds(POOL_RUNS, MARK, "tank 4")
    assert not holds(POOL_RUNS, MARK, "tank 3")
    assert not holds(POOL_RUNS, MARK, "vault 4")
    assert not holds(POOL_RUNS, "other", "tank 4")
    assert not holds(POOL_RUNS, MARK, "tank 4", report(datasets=[dataset(plan="")]))
    offline = HEALTHY.replace("/dev/sdb1  ONLINE ", "/dev/sdb1  OFFLINE")
    assert not holds(POOL_RUNS, MARK, "tank 4", report(pool(offline)))


def test_a_pool_is_gone_by_its_guid_and_its_name_is_free() -> None:
    assert not holds(POOL_GONE, GUID)
    assert holds(POOL_GONE, "7")
    assert not holds(POOL_NAME_FREE, "tank")
    assert holds(POOL_NAME_FREE, "vault")


def test_a_pool_with_datasets_or_snapshots_or_not_mounted_is_not_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("raidtui.backends.zfs.conditions.find_mounts", lambda: ())
    assert not holds(POOL_EMPTY, "tank", MARK, report(datasets=[dataset(), dataset("tank/photos")]))
    assert not holds(POOL_EMPTY, "tank", MARK, report(snapshots={"tank": 1}))
    assert not holds(POOL_EMPTY, "tank", MARK)


LISTS = {
    "zpool list": "tank\t77\t1\t1\t1\t0\t0\t12\t-\n",
    "zfs list": "tank\tfilesystem\t1\t1\t1\t/srv/tank\tyes" + "\t-" * 10 + "\n",
    "zfs list snapshot": "",
}


def asking(answers: dict[str, ToolAnswer | str]) -> Any:
    """ZFS' tools: what each prints, or its whole answer."""

    def ask(argv: Any) -> ToolAnswer:
        words = " ".join([*argv[:2], *(["snapshot"] if "snapshot" in argv else [])])
        found = answers.get(words, "")
        if list(argv[:3]) == ["zpool", "list", "-o"] and isinstance(found, str):  # with its heading
            names = [line.partition("\t")[0] for line in found.splitlines()]
            found = "\n".join(["NAME", *names]) if names else "no pools available\n"
        return found if isinstance(found, ToolAnswer) else ToolAnswer(returncode=0, stdout=found)

    return ask


NO_ANSWER = [
    ToolAnswer(returncode=None, stderr="did not end within 20 s"),
    ToolAnswer(returncode=1, stderr="permission denied"),
    ToolAnswer(returncode=0, stdout="rubbish, and more of it\n"),
]


def test_the_lists_of_zfs_are_understood() -> None:
    known = imported(asking(dict(LISTS)))
    assert known is not None
    assert [one.name for one in known.datasets] == ["tank"]


@pytest.mark.parametrize("answer", NO_ANSWER)
@pytest.mark.parametrize("question", ["zpool list", "zfs list", "zfs list snapshot"])
def test_a_list_that_did_not_come_is_no_empty_list(question: str, answer: ToolAnswer) -> None:
    """Or the undo would destroy a pool whose volumes were only not listed."""
    if question == "zfs list snapshot" and answer.returncode == 0:
        answer = ToolAnswer(returncode=0, stdout="tank@a\ttab\n")
    assert imported(asking({**LISTS, question: answer})) is None


@pytest.mark.parametrize(
    ("answer", "gone"),
    [
        *((one, False) for one in NO_ANSWER),
        (ToolAnswer(returncode=0, stdout=""), False),
        (ToolAnswer(returncode=1, stderr="no pools available to import"), True),
        (ToolAnswer(returncode=0, stderr="no pools available to import"), True),
        (ToolAnswer(returncode=0, stdout="   pool: vault\n     id: 7\n  state: ONLINE\n"), True),
        (ToolAnswer(returncode=0, stdout="   pool: tank\n     id: 7\n  state: ONLINE\n"), False),
    ],
)
def test_a_pool_that_is_not_imported_is_gone_only_when_zpool_import_says_so(
    monkeypatch: pytest.MonkeyPatch, answer: ToolAnswer, gone: bool
) -> None:
    monkeypatch.setattr(
        "raidtui.backends.zfs.conditions.ask_patiently", asking({"zpool list": "", "zpool import": answer})
    )
    (said,) = POOL_EMPTY.ask_all([POOL_EMPTY.of("tank", MARK)], lambda _: False)
    assert said.holds is gone


def test_of_a_pool_that_zfs_does_not_list_the_contents_are_unknown() -> None:
    assert not holds(POOL_EMPTY, "tank", MARK, report(datasets=[]))


# What removes it.


def removal(word: str = "tank", where: Any = None) -> Plan:
    return make_teardown(word, where or zfs_machine(), seed=SEED)


@pytest.mark.parametrize("word", ["tank", GUID, MARK])
def test_a_pool_is_destroyed_then_its_labels_and_tables_erased(word: str) -> None:
    made = removal(word)
    assert [one.id for one in made.steps] == ["unmount", "destroy", "labels", "table", "settle", "mountpoint"]
    assert commands(step(made, "destroy")) == [("zpool", "destroy", "tank")]
    assert [check.subject for check in step(made, "destroy").after] == [GUID]
    cleared = [argv for argv in commands(step(made, "labels")) if argv[:2] == ("zpool", "labelclear")]
    assert [argv[2] for argv in cleared] == [f"{whole(n)}-part1" for n in (1, 2, 3, 4)]
    assert made.uuids == (GUID,)
    assert [one.identity for one in made.disks] == list(FOUR)


def test_a_pool_whose_datasets_are_not_listed_stays() -> None:
    with pytest.raises(Refused, match="zfs does not list it"):
        removal(where=zfs_machine(report(datasets=[])))


def test_what_is_lost_is_told() -> None:
    found = report(
        datasets=[dataset(used_bytes=GIB), dataset("tank/photos", used_bytes=GIB // 2)], snapshots={"tank": 3}
    )
    lost = step(removal(where=zfs_machine(found)), "destroy").destroys
    assert lost == (
        "filesystem tank at /srv/tank",
        "filesystem tank/photos at /srv/tank/photos",
        "3 snapshots of tank",
    )


def test_datasets_are_unmounted_the_deepest_first_and_mounted_again() -> None:
    found = report(datasets=[dataset(), dataset("tank/photos")])
    mounts = tuple(Mount(source=name, target=f"/srv/{name}", type="zfs") for name in ("tank", "tank/photos"))
    made = removal(where=msgspec.structs.replace(zfs_machine(found), mounts=mounts))
    undone = [s.undo[0].argv for s in made.steps if s.id.startswith("unmount") and isinstance(s.undo[0], Run)]
    assert undone == [("zfs", "mount", "tank/photos"), ("zfs", "mount", "tank")]


@pytest.mark.parametrize(
    ("line", "its"),
    [
        ("tank /srv/tank zfs defaults 0 0", True),
        ("tank/photos /srv/photos zfs defaults 0 0", True),
        ("/dev/zvol/tank/photos /srv/x ext4 defaults 0 0", True),
        ("vault /srv/tank zfs defaults 0 0", False),
        ("tank:/export /srv/n nfs defaults 0 0", False),
        ("tank /srv/tank", False),
    ],
)
def test_a_line_of_fstab_is_dropped_by_what_it_names(line: str, its: bool) -> None:
    found = report(datasets=[dataset(), dataset("tank/photos")])
    made = removal(where=zfs_machine(found, fstab=(line,)))
    assert ("fstab" in [one.id for one in made.steps]) is its


def test_a_pool_that_is_not_imported_or_failed_or_of_the_system_is_left_alone() -> None:
    away = zfs_machine(others(), zfs_disk(1, used=False), zfs_disk(2, used=False), mounted=False)
    with pytest.raises(Refused, match=r"not imported, exported by attic.*zpool import -o readonly=on -N"):
        removal(where=away)
    labels = zfs_machine(
        others(destroyed=True), zfs_disk(1, used=False), zfs_disk(2, used=False), mounted=False
    )
    with pytest.raises(Refused, match=r"is destroyed; .*zpool import -D .*zpool labelclear"):
        removal(where=labels)
    failed = report(pool(HEALTHY.replace("state: ONLINE", "state: SUSPENDED")))
    with pytest.raises(Refused, match="zpool clear tank"):
        removal(where=zfs_machine(failed))
    system = Claim(
        what=ClaimKind.SYSTEM, weight=Weight.SYSTEM, device="/dev/sda1", detail="/", how_to_free=""
    )
    rooted = zfs_machine(None, zfs_disk(1, taken_by=(system,)), *(zfs_disk(n) for n in (2, 3, 4)))
    with pytest.raises(Refused, match="the running system is on S-0001"):
        removal(where=rooted)
    files = report(pool(HEALTHY.replace("/dev/sda1", "/var/disk")))
    with pytest.raises(Refused, match="/var/disk, a device of tank, is neither a disk nor a partition"):
        removal(where=zfs_machine(files))


def test_the_spec_of_a_pool_is_zfss() -> None:
    spec: Spec = removal().spec
    assert (spec.backend, spec.level, spec.members) == (Backend.ZFS, "raidz1", FOUR)


def test_the_boot_is_explained() -> None:
    note = builder(Backend.ZFS).boot_note(ZFS, machine(systemd=True).system)
    assert "zfs-import-cache.service" in note
    assert "DEGRADED" in note


def test_a_plan_is_the_same_twice() -> None:
    assert make_plan(ZFS, machine(), seed=SEED) == make_plan(ZFS, machine(), seed=SEED)


def test_a_pool_in_use_moves_its_uberblocks_and_is_still_what_was_confirmed() -> None:
    first, moved = zfs_disk(1), zfs_disk(1)
    (part,) = first.partitions
    (member,) = part.signatures
    others_ = tuple(msgspec.structs.replace(member, offset=offset) for offset in (131072, 475136))
    moved = zfs_disk(1, partitions=(msgspec.structs.replace(part, signatures=others_),))
    assert describe_contents(first) == describe_contents(moved)
    assert contents_of(first) == contents_of(moved)
    foreign = msgspec.structs.replace(member, uuid="7")
    other = zfs_disk(1, partitions=(msgspec.structs.replace(part, signatures=(foreign,)),))
    assert describe_contents(first) != describe_contents(other)


def test_a_removal_stays_the_same_while_the_pool_fills() -> None:
    now, later = (
        removal(where=zfs_machine(report(datasets=[dataset(used_bytes=used)]))) for used in (MIB, GIB)
    )
    assert now.fingerprint == later.fingerprint
