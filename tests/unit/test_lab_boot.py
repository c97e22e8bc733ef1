"""What a guest is started with."""

import struct
import sys
from pathlib import Path

import pytest

from raidtui.lab import boot, uml
from raidtui.lab.disks import parse_disks
from raidtui.lab.engine import Parts
from raidtui.lab.xstate import preload_library
from raidtui.model.errors import BadInput, ToolMissing
from raidtui.model.units import GIB


def test_the_guest_gets_the_callers_language_and_terminal_but_not_the_secrets() -> None:
    inside = boot.environment(
        {
            "PATH": "/opt/x/bin:/usr/bin",
            "HOME": "/home/ada",
            "TERM": "linux",
            "LC_TIME": "de_DE.UTF-8",
            "RAIDTUI_STATE": "/srv/state",
            "AWS_SECRET_ACCESS_KEY": "hidden",
            "LD_PRELOAD": "/x.so",
            "USER": "ada",
        }
    )
    assert inside["PATH"].startswith("/run/lab/bin:/opt/x/bin:/usr/bin:")
    assert inside["PATH"].endswith("/usr/local/sbin:/usr/sbin:/sbin"), "root needs the system's programs"
    assert (inside["HOME"], inside["TERM"], inside["USER"]) == ("/home/ada", "linux", "root")
    assert (inside["LC_TIME"], inside["RAIDTUI_STATE"]) == ("de_DE.UTF-8", "/srv/state")
    assert inside["RAIDTUI_LAB"] == "1"
    assert not {"AWS_SECRET_ACCESS_KEY", "LD_PRELOAD"} & set(inside)


def test_the_longest_command_line_fits_into_what_the_kernel_reads() -> None:
    folder = Path("/" + "x" * 270)
    words = uml.kernel_arguments("/usr/bin/linux.uml", folder, GIB, parse_disks("16x14TB"), 1000)
    assert len(" ".join(words)) < 2048
    assert "ubd15=LAB-0016.img" in words
    assert "mem=1024M" in words


def test_names_with_quotes_and_spaces_reach_the_guest_as_they_are() -> None:
    parts = Parts(
        parse_disks("1x1GiB"), GIB, Path("/tmp/guest"), None, Path("/srv/it's a $(folder)"), {}, 0, ()
    )
    script = uml.init_script(parts, None)
    assert """SHARE='/srv/it'"'"'s a $(folder)'\n""" in script
    assert "STATE=''\n" in script
    assert "SCSI=''\n" in script


def test_disks_on_scsi_are_files_in_the_folder_of_the_disks() -> None:
    disks = parse_disks("1xscsi4kn:1GiB,1GiB,1xscsi:2GiB")
    parts = Parts(disks, GIB, Path("/tmp/guest"), Path("/srv/disks"), None, {}, 0, ())
    script = uml.init_script(parts, Path("/srv/disks/state"))
    assert "FOLDER=/srv/disks\n" in script
    assert f"SCSI='0 4096 {GIB} LAB-0001.scsi4kn.img\n1 512 {2 * GIB} LAB-0003.scsi.img\n'\n" in script
    own, first, second = 'KERNELS=="ubda", ', 'KERNELS=="[0-9]*:*:*:0", ', 'KERNELS=="[0-9]*:*:*:1", '
    for which, serial in ((own, "LAB-0002"), (first, "LAB-0001"), (second, "LAB-0003")):
        assert (
            f'{which}ENV{{ID_BUS}}="ubd", ENV{{ID_MODEL}}="RAIDTUI_LAB", ENV{{ID_SERIAL}}="RAIDTUI_LAB_{serial}"'
            in script
        )
    words = uml.kernel_arguments("/usr/bin/linux.uml", parts.folder, GIB, disks, 1000)
    assert [word for word in words if word.startswith("ubd")] == ["ubd0=LAB-0002.img"]
    assert uml.device_name(parts, disks[1]) == "ubda"
    with pytest.raises(
        BadInput, match="LAB-0001 cannot be pulled: user-mode Linux has no hot-plug on scsi4kn"
    ):
        uml.UserModeLinux().pull(parts, disks[0])


def test_a_kernel_without_the_modules_for_scsi_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(uml, "MODULES", tmp_path)
    (tmp_path / "6.1" / "drivers").mkdir(parents=True)
    (tmp_path / "6.1" / "drivers" / "sd_mod.ko.xz").touch()
    uml.check_disks(parse_disks("16x1GiB"))
    with pytest.raises(ToolMissing, match="needs the kernel modules target_core_file and tcm_loop for disks"):
        uml.check_disks(parse_disks("1xscsi4kn:1GiB"))
    with pytest.raises(BadInput, match="room for 16 disks without a bus, not 17"):
        uml.check_disks(parse_disks("17x1GiB"))


@pytest.mark.parametrize(
    ("place", "path_is_set"), [("/home/ada/raidtui", True), ("/x/lib/python3.11/site-packages", False)]
)
def test_raidtui_inside_is_the_one_that_runs_outside(
    place: str, path_is_set: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boot, "PACKAGE", Path(place) / "raidtui")
    wrapper = boot.wrapper("raidtui")
    assert wrapper.endswith(f'exec {sys.executable} -P -m raidtui "$@"\n')
    assert (f'PYTHONPATH={place}"' in wrapper) is path_is_set


def test_the_state_is_a_copy_of_etc_without_the_hosts_own_disks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    etc = tmp_path / "host"
    (etc / "mdadm").mkdir(parents=True)
    (etc / "fstab").write_text("UUID=1234 / ext4 defaults 0 1\n", encoding="utf-8")
    (etc / "mdadm" / "mdadm.conf").write_text("ARRAY /dev/md0 UUID=1\n", encoding="utf-8")
    (etc / "passwd").write_text("root:x:0:0::/root:/bin/sh\n", encoding="utf-8")
    (etc / "mtab").symlink_to("/proc/mounts")
    (tmp_path / "elsewhere").write_text("::1 localhost\n", encoding="utf-8")
    (etc / "hosts").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(uml, "_ETC", etc)
    state = uml.prepare_state(tmp_path / "disks", {})
    assert (state / "etc" / "fstab").read_text(encoding="utf-8") == ""
    assert (state / "etc" / "hostname").read_text(encoding="utf-8") == "lab\n"
    hosts = (state / "etc" / "hosts").read_text(encoding="utf-8")
    assert hosts == "::1 localhost\n127.0.1.1 lab\n"  # sudo looks its own host up
    assert (tmp_path / "elsewhere").read_text(encoding="utf-8") == "::1 localhost\n"
    assert "ARRAY" not in (state / "etc" / "mdadm" / "mdadm.conf").read_text(encoding="utf-8")
    assert (state / "etc" / "passwd").exists()
    assert (state / "etc" / "mtab").is_symlink()
    (state / "etc" / "fstab").write_text("kept", encoding="utf-8")
    uml.prepare_state(tmp_path / "disks", {})
    assert (state / "etc" / "fstab").read_text(encoding="utf-8") == "kept"


def test_the_preloaded_library_is_a_shared_object_whose_stack_is_not_executable() -> None:
    image = preload_library()
    kind, machine = struct.unpack_from("<HH", image, 16)
    assert (image[:4], kind, machine) == (b"\x7fELF", 3, 62)
    segments = {struct.unpack_from("<II", image, 64 + 56 * number) for number in range(4)}
    assert (0x6474E551, 6) in segments, "a stack to read and write"
    assert not any(flags & 2 and flags & 1 for _, flags in segments), "nothing is writable and executable"
