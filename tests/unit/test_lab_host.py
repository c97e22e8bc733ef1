"""What the lab says when this computer cannot run it, before anything is started."""

import os
import re
from pathlib import Path

import pytest

from raidtui import cli
from raidtui.lab import host, uml
from raidtui.model.errors import BadInput, Refused, ToolMissing
from raidtui.model.units import GIB, MIB, TIB


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A computer whose only programs are those that the test puts into the returned folder."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(host, "SBIN", str(tmp_path))
    return tmp_path


def install(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).touch(mode=0o755)


def test_missing_packages_are_named_with_the_command_that_installs_them(no_programs: Path) -> None:
    install(no_programs, "udevadm", "modprobe", "mount")
    with pytest.raises(ToolMissing) as caught:
        uml.find_kernel()
    assert re.fullmatch(
        "the lab needs user-mode-linux and mdadm, not found here; "
        "on (Debian|Ubuntu): apt-get install user-mode-linux mdadm",
        str(caught.value),
    )


def test_a_computer_for_which_there_is_no_package_is_told_so(
    no_programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(no_programs, "udevadm", "modprobe", "mount", "mdadm")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    with pytest.raises(ToolMissing, match="for amd64 only, and this is aarch64"):
        uml.find_kernel()


def test_a_kernel_without_its_modules_is_of_no_use(
    no_programs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(no_programs, "linux.uml", "udevadm", "modprobe", "mount", "mdadm")
    monkeypatch.setattr(uml, "MODULES", tmp_path / "nowhere")
    with pytest.raises(ToolMissing, match="reinstall user-mode-linux"):
        uml.find_kernel()


@pytest.mark.parametrize(
    ("scope", "advice"),
    [
        ("0", "--cap-add"),
        ("1", "--cap-add"),
        ("2", "ptrace_scope is 2"),
        ("3", "ptrace_scope is 3"),
        ("", "--cap-add"),
    ],
)
def test_a_system_that_forbids_tracing_is_told_what_allows_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scope: str, advice: str
) -> None:
    """Only when the guest could not start: a kernel that catches system calls with seccomp needs no ptrace."""
    setting = tmp_path / "ptrace_scope"
    if scope:
        setting.write_text(f"{scope}\n", encoding="ascii")
    monkeypatch.setattr(uml, "_PTRACE_SCOPE", setting)
    said = uml.UserModeLinux().explain("Checking that ptrace can change system call numbers...ptrace: EPERM")
    assert isinstance(said, ToolMissing)
    assert advice in str(said)
    assert uml.UserModeLinux().explain("Kernel panic") is None


def test_a_missing_package_ends_the_command_with_exit_code_5(
    no_programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lab", "--", "true"]) == 5
    assert "apt-get install user-mode-linux" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "the wizard needs a terminal"),
        (["--disks", "4x2", "--", "true"], "'2' has no unit"),
        (["--disks", "65x1GiB", "--", "true"], "65 disks"),
        (["--memory", "much", "--", "true"], "'much' is not a size"),
        (["--memory", "16MiB", "--", "true"], "too little for the guest; the least is 256MiB"),
        (["--share", "/no/such/folder", "--", "true"], "--share /no/such/folder is not a folder"),
        (["--machine", "some.json", "--", "true"], "--machine cannot be combined"),
    ],
)
def test_bad_words_end_the_command_with_exit_code_2_and_one_sentence(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lab", *words]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_a_guest_that_would_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(Refused, match=r"needs 64.0 TiB of memory and .* are available"):
        host.check_memory(64 * TIB)
    host.check_memory(host.MIN_MEMORY)


class Memory:
    """A computer with so many bytes of memory available."""

    def __init__(self, available: int) -> None:
        self.available = available


def test_a_guest_whose_memory_nobody_chose_takes_less_where_less_is_available(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for available, taken in ((8 * GIB, GIB), (700 * MIB, 636 * MIB), (100 * MIB, host.MIN_MEMORY)):
        monkeypatch.setattr("psutil.virtual_memory", lambda room=available: Memory(room))
        assert host.memory_that_fits(host.MIN_MEMORY) == taken
    with pytest.raises(Refused) as refused:
        host.check_memory(taken)
    assert "--memory" not in str(refused.value), "less is not possible"


class Room:
    """A filesystem with so many bytes free."""

    def __init__(self, free: int) -> None:
        self.free = free


@pytest.mark.parametrize(
    ("promised", "free", "enough"),
    [
        (8 * GIB, 2 * GIB, True),
        (8 * GIB, 2 * GIB - 1, False),
        (13 * 14 * 10**12, 4 * GIB, True),
        (13 * 14 * 10**12, 4 * GIB - 1, False),
        (0, 0, True),
    ],
)
def test_sparse_disks_need_a_quarter_of_their_size_or_4_gib(
    promised: int, free: int, enough: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Room(free))
    if enough:
        host.check_room(tmp_path, promised)
    else:
        with pytest.raises(Refused, match=r"Set TMPDIR to a folder with more room"):
            host.check_room(tmp_path, promised)


def test_temporary_files_go_where_tmpdir_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert host.scratch_folder(0) == tmp_path
    spaced = tmp_path / "with a space"
    spaced.mkdir()
    monkeypatch.setenv("TMPDIR", str(spaced))
    assert host.scratch_folder(0) == Path("/tmp"), "the kernel's command line knows no quotes"


def test_the_memory_of_the_guest_lies_on_disk_where_shared_memory_is_small(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fields = list(os.statvfs("/"))
    monkeypatch.setattr(
        os, "statvfs", lambda _: os.statvfs_result((4096, 4096, *[64 * MIB // 4096] * 3, *fields[5:]))
    )
    assert uml.memory_folder(GIB, tmp_path) == tmp_path


@pytest.mark.parametrize("name", ["one,two", "missing", "file"])
def test_only_a_writable_folder_can_be_shared(name: str, tmp_path: Path) -> None:
    (tmp_path / "one,two").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="--share"):
        host.check_share(tmp_path / name)


def test_a_shared_folder_goes_by_its_true_name(tmp_path: Path) -> None:
    (tmp_path / "true").mkdir()
    (tmp_path / "alias").symlink_to("true")
    assert host.check_share(tmp_path / "alias") == tmp_path / "true"
