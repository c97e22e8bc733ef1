"""Who reads arrays whole from time to time and who watches them, on Debian, Fedora, and where nobody does."""

from pathlib import Path

import pytest

from raidtui.machine import scrub
from raidtui.machine.monitor import monitored_by
from raidtui.machine.scrub import could_scrub, scrubbed_by
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


TIMER = "lib/systemd/system/mdcheck_start.timer"
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
    assert scrubbed_by(tree(tmp_path / "a", mdadm="# once\n" + LINE)) == "/etc/cron.d/mdadm"
    assert scrubbed_by(tree(tmp_path / "b", mdadm="# " + LINE)) == ""


@pytest.mark.usefixtures("cron")
def test_without_systemd_cron_could_start_mdadms_program(tmp_path: Path) -> None:
    found = tree(tmp_path, TIMER, "usr/share/mdadm/checkarray")
    assert (scrubbed_by(found), could_scrub(found)) == ("", "/usr/share/mdadm/checkarray")


@pytest.mark.usefixtures("no_cron")
def test_where_there_is_nothing_nothing_is_offered(tmp_path: Path) -> None:
    assert could_scrub(tree(tmp_path, TIMER, "usr/share/mdadm/checkarray")) == ""


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
