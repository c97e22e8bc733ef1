"""The Debian package and the one file, made of small parts: the whole is tried in bare systems, by tests/trial."""

import os
import re
import subprocess
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from package import deb, files, one_file
from package.environment import LOCK, ROOT, make_wheel
from packaging.requirements import Requirement

from raidtui import __version__
from raidtui.machine.tools import TOOLS

TIME = datetime(2026, 11, 26, 12, tzinfo=UTC)


def test_the_lock_has_a_version_of_everything_that_raidtui_needs() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    locked = dict(re.findall(r"^(\S+)==(\S+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(locked[requirement.name]), requirement


def test_every_needed_program_is_a_dependency_and_the_others_are_recommended() -> None:
    lines = dict(line.partition(": ")[::2] for line in deb.control(1).splitlines() if ": " in line)
    depends = {word.split()[0] for word in lines["Depends"].split(", ")}
    assert {tool.package for tool in TOOLS.values() if tool.needed} | {"smartmontools", "python3"} <= depends
    assert f"fio (>= {TOOLS['fio'].at_least})" in lines["Depends"]
    assert set(lines["Recommends"].split(", ")) == {"xfsprogs", "btrfs-progs", "lvm2"}
    assert {"user-mode-linux", "qemu-system-x86", "zfsutils-linux"} <= set(lines["Suggests"].split(", "))
    assert max(map(len, deb.control(1).partition("Description")[2].splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.processes
def test_the_same_tree_gives_the_same_package(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path)
    made = []
    for umask in (0o022, 0o077):
        (tmp_path / str(umask)).mkdir()
        before = os.umask(umask)
        try:
            made.append(deb.make(tmp_path / str(umask), [wheel], TIME, compression="none"))
        finally:
            os.umask(before)
    assert made[0].name == f"raidtui_{__version__}_amd64.deb"
    assert made[0].read_bytes() == made[1].read_bytes()
    listed = subprocess.run(
        ["dpkg-deb", "--contents", made[0]], capture_output=True, text=True, check=True
    ).stdout
    for path in (
        "./usr/bin/raidtui",
        "./usr/share/man/man8/raidtui.8.gz",
        "./usr/share/doc/raidtui/REFERENCE.md -> ../../../lib/raidtui/lib/python3.11/site-packages/raidtui/REFERENCE.md",
        "./usr/share/bash-completion/completions/raidtui",
        "./usr/share/zsh/vendor-completions/_raidtui",
        "./usr/share/fish/vendor_completions.d/raidtui.fish",
        "./usr/lib/systemd/system/raidtui-watch.path",
        "./usr/lib/systemd/system/raidtui-watch.timer",
        "./usr/lib/raidtui/lib/python3.11/site-packages/raidtui/cli.py",
        "./usr/lib/raidtui/lib/python3.13 -> python3.11",
    ):
        assert re.search(rf" root/root .* {re.escape(path)}$", listed, re.MULTILINE), path
    assert "__pycache__" not in listed
    service = subprocess.run(
        [
            "sh",
            "-c",
            f"dpkg-deb --fsys-tarfile {made[0]} | tar -xO ./usr/lib/systemd/system/raidtui-watch.service",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "ExecStart=/usr/bin/raidtui status --alert\n" in service


@pytest.mark.processes
def test_each_script_is_read_by_a_plain_shell() -> None:
    files = [*(ROOT / ".ci/package").rglob("*"), *(ROOT / "tests/trial").iterdir()]
    scripts = [path for path in files if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]
    assert len(scripts) > 5
    for script in scripts:
        subprocess.run(["sh", "-n", script], check=True)


def test_the_time_is_that_of_the_commit_or_the_given_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert files.made_at() == datetime(1970, 1, 2, tzinfo=UTC)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A file like the one file, with a Python that only tells how it was called."""
    tree = tmp_path / "tree"
    files.write(tree / "bin/python3", '#!/bin/sh\n[ "$1" = -I ] || echo "$0" "$@"\n', mode=0o755)
    files.settle(tree, TIME)
    archive = one_file.archive_of(tree)
    assert archive == one_file.archive_of(tree)
    made = tmp_path / "raidtui-x"
    made.write_bytes(one_file.script_for(archive, 10**6).encode() + archive)
    made.chmod(0o755)
    return made


def start(file: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "RAIDTUI_CACHE": str(cache)}
    return subprocess.run([file, *words], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.processes
def test_the_one_file_unpacks_itself_once_and_passes_every_word_on(small: Path, tmp_path: Path) -> None:
    cache = tmp_path / "a cache"
    for _ in range(2):
        done = start(small, cache, "plan", "a b", "--", "*")
        (unpacked,) = cache.iterdir()
        assert (done.stdout, done.stderr) == (f"{unpacked}/bin/python3 -P -m raidtui plan a b -- *\n", "")
        assert unpacked.stat().st_mode & 0o077 == 0 or cache.stat().st_mode & 0o077 == 0
    before = unpacked.stat().st_ino
    (unpacked / "bin/python3").write_text("#!/bin/sh\nexit 1\n")  # half of it is gone
    assert start(small, cache).returncode == 0
    assert [one.stat().st_ino for one in cache.iterdir()] != [before]


@pytest.mark.processes
def test_the_one_file_unpacks_nowhere_where_others_write_and_says_what_it_needs(
    small: Path, tmp_path: Path
) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for place in (open_to_all, link, Path("/proc/nowhere")):
        done = start(small, place)
        assert (done.returncode, done.stdout) == (5, "")
        assert (
            f"it needs 11 MB, and programs must be allowed to run there\nraidtui: tried {place};"
            in done.stderr
        )
    assert list(open_to_all.iterdir()) == []


@pytest.mark.processes
def test_a_one_file_that_is_cut_off_leaves_nothing(small: Path, tmp_path: Path) -> None:
    small.write_bytes(small.read_bytes()[:-40])
    cache = tmp_path / "cache"
    assert start(small, cache).returncode == 5
    assert list(cache.iterdir()) == []
