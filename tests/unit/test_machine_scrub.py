"""Who reads arrays whole from time to time and who watches them, on Debian, Fedora, and where nobody does."""

from pathlib import Path

import pytest

from raidtui.machine import scrub
from raidtui.machine.scrub import could_scrub, installed_timers, read_schedules
from raidtui.machine.scrub import scrubbed_by as by_of
from raidtui.machine.system import monitored_by
from raidtui.machine.tree import Tree


@pytest.fixture
def cron(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrub, "find_tool", lambda name: f"/usr/sbin/{name}" if name == "cron" else None)


@pytest.fixture
def no_cron(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrub, "find_tool", lambda name: None)


def tree(root: Path, *files: str, **texts: str) -> Tree:
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name, text in texts.items():
        path = root / "etc/cron.d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Tree(root)


def scrubbed_by(tree: Tree) -> str | None:
    return by_of(read_schedules(tree))


TIMER = "lib/systemd/system/mdcheck_start.timer"
PROGRAM = "usr/share/mdadm/checkarray"
LINE = "57 0 * * 0 root if [ -x /usr/share/mdadm/checkarray ]; then /usr/share/mdadm/checkarray --cron --all; fi\n"


@pytest.mark.usefixtures("no_cron")
def test_a_timer_that_is_enabled_does_it(tmp_path: Path) -> None:
    enabled = "etc/systemd/system/mdmonitor.service.wants/mdcheck_start.timer"
    assert scrubbed_by(tree(tmp_path, "run/systemd/system/x", TIMER, enabled)) == "mdcheck_start.timer"


@pytest.mark.usefixtures("no_cron")
def test_a_timer_that_is_not_enabled_could(tmp_path: Path) -> None:
    found = tree(tmp_path, "run/systemd/system/x", TIMER, mdadm=LINE)
    assert scrubbed_by(found) == "", "a line for cron does nothing without cron"
    assert could_scrub(found) == "mdcheck_start.timer"


@pytest.mark.usefixtures("cron")
def test_a_line_of_cron_does_it_unless_it_is_commented_out(tmp_path: Path) -> None:
    assert scrubbed_by(tree(tmp_path / "a", PROGRAM, mdadm="# once\n" + LINE)) == "/etc/cron.d/mdadm"
    assert scrubbed_by(tree(tmp_path / "b", PROGRAM, mdadm="# " + LINE)) == ""


@pytest.mark.usefixtures("cron")
def test_without_systemd_cron_could_start_mdadms_program(tmp_path: Path) -> None:
    found = tree(tmp_path, TIMER, "usr/share/mdadm/checkarray")
    assert (scrubbed_by(found), could_scrub(found)) == ("", "/usr/share/mdadm/checkarray")


@pytest.mark.usefixtures("no_cron")
def test_where_there_is_nothing_nothing_is_offered(tmp_path: Path) -> None:
    assert could_scrub(tree(tmp_path, TIMER, "usr/share/mdadm/checkarray")) == ""


ZFS_LINE = "24 0 8-14 * * root if [ $(date +\\%w) -eq 0 ] && [ -x /usr/lib/zfs-linux/scrub ]; then /usr/lib/zfs-linux/scrub; fi\n"


def found(tree: Tree) -> list[tuple[str, str | None, str, str]]:
    return [(one.by, one.backend, one.target, one.when) for one in read_schedules(tree) or ()]


@pytest.mark.usefixtures("cron")
def test_debian_12_has_cron_and_its_timers_are_installed_but_off(tmp_path: Path) -> None:
    files = [f"lib/systemd/system/mdcheck_{name}.timer" for name in ("start", "continue")]
    made = tree(tmp_path, "run/systemd/system/x", PROGRAM, "usr/lib/zfs-linux/scrub", *files, mdadm=LINE)
    (tmp_path / "etc/cron.d/zfsutils-linux").write_text("PATH=/usr/bin\n# Scrub.\n" + ZFS_LINE)
    assert found(made) == [
        ("/etc/cron.d/mdadm", "mdadm", "", "57 0 * * 0"),
        ("/etc/cron.d/zfsutils-linux", "zfs", "", "24 0 8-14 * *"),
    ]
    assert installed_timers(made) == ("mdcheck_start.timer",)
    (tmp_path / "etc/default").mkdir()
    (tmp_path / "etc/default/mdadm").write_text("# AUTOCHECK=true\nAUTOCHECK=false\n")
    assert [by for by, *_ in found(made)] == ["/etc/cron.d/zfsutils-linux"]


@pytest.mark.usefixtures("cron")
def test_debian_13_has_timers_that_are_on_and_no_cron_file(tmp_path: Path) -> None:
    wants = "etc/systemd/system/mdmonitor.service.wants"
    timers = [f"usr/lib/systemd/system/mdcheck_{name}.timer" for name in ("start", "continue")]
    enabled = [f"{wants}/mdcheck_{name}.timer" for name in ("start", "continue")]
    made = tree(tmp_path, "run/systemd/system/x", PROGRAM, *timers, *enabled)
    (tmp_path / timers[0]).write_text("[Timer]\nOnCalendar=Sun *-*-1..7 1:00:00\nRandomizedDelaySec=24h\n")
    assert found(made) == [("mdcheck_start.timer", "mdadm", "", "Sun *-*-1..7 1:00:00")]
    # The package of before left its file, and its program is there: both do it.
    (tmp_path / "etc/cron.d").mkdir()
    (tmp_path / "etc/cron.d/mdadm").write_text(LINE)
    assert [by for by, *_ in found(made)] == ["mdcheck_start.timer", "/etc/cron.d/mdadm"]
    (tmp_path / "etc/systemd/system/mdcheck_start.timer").symlink_to("/dev/null")
    assert [by for by, *_ in found(made)] == ["/etc/cron.d/mdadm"], "a masked timer does nothing"


@pytest.mark.usefixtures("no_cron")
def test_timers_of_pools_mount_points_and_our_own_name_what_they_scrub(tmp_path: Path) -> None:
    wants = "etc/systemd/system/timers.target.wants"
    names = ["zfs-scrub-monthly@tank.timer", "btrfs-scrub@srv-my\\x2ddata.timer", "btrfs-scrub@-.timer"]
    made = tree(
        tmp_path, "run/systemd/system/x", *(f"{wants}/{one}" for one in [*names, "raidtui-scrub@a-b.timer"])
    )
    assert {(backend, target) for _, backend, target, _ in found(made)} == {
        ("zfs", "tank"),
        ("btrfs", "/srv/my-data"),
        ("btrfs", "/"),
        (None, "a-b"),
    }


@pytest.mark.usefixtures("no_cron")
@pytest.mark.parametrize(("value", "targets"), [('"auto"', [""]), ('"/:/srv/a"', ["/", "/srv/a"]), ("", [])])
def test_btrfsmaintenance_names_mount_points(tmp_path: Path, value: str, targets: list[str]) -> None:
    made = tree(
        tmp_path,
        "run/systemd/system/x",
        "etc/systemd/system/timers.target.wants/btrfs-scrub.timer",
        "etc/default/btrfsmaintenance",
    )
    (tmp_path / "etc/default/btrfsmaintenance").write_text(f"BTRFS_SCRUB_MOUNTPOINTS={value}\n")
    assert [target for _, _, target, _ in found(made)] == targets


@pytest.mark.usefixtures("cron")
def test_what_cannot_be_read_is_not_known_and_rubbish_schedules_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tree(tmp_path, PROGRAM, mdadm=LINE, rubbish="\x00\xff@ checkarray-like nonsense % *\n")
    (tmp_path / "etc/cron.d/rubbish").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "etc/cron.d/mdadm.dpkg-old").write_text(LINE)
    assert [by for by, *_ in found(made)] == ["/etc/cron.d/mdadm"]

    def fails(path: str) -> list[str]:
        raise PermissionError(path)

    monkeypatch.setattr("os.listdir", fails)
    assert read_schedules(made) is None
    assert scrubbed_by(made) is None


def test_udev_has_systemd_start_the_monitor_unless_it_is_masked(tmp_path: Path) -> None:
    found = tree(tmp_path, "run/systemd/system/x", "usr/lib/systemd/system/mdmonitor.service")
    assert monitored_by(found) == "mdmonitor.service"
    (tmp_path / "etc/systemd/system").mkdir(parents=True)
    (tmp_path / "etc/systemd/system/mdmonitor.service").symlink_to("/dev/null")
    assert monitored_by(found) == ""


def test_without_systemd_a_script_starts_it_if_it_is_told_to(tmp_path: Path) -> None:
    found = tree(tmp_path, "etc/init.d/mdadm")
    assert monitored_by(found) == ""
    (tmp_path / "etc/default").mkdir()
    (tmp_path / "etc/default/mdadm").write_text("# START_DAEMON=false\nSTART_DAEMON=true\n")
    assert monitored_by(found) == "/etc/init.d/mdadm"
