"""The engine QEMU of the lab, as far as it can be seen without a guest: devices, image, what is said."""

import itertools
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from raidtui import cli
from raidtui.lab.disks import CopiedDisk, parse_disks
from raidtui.lab.engine import Parts
from raidtui.lab.engines import find_engine
from raidtui.lab.qemu import devices, engine, host, image
from raidtui.model.errors import BadInput, Refused, StepFailed, ToolMissing
from raidtui.model.units import GIB


def all_devices(disks: str) -> list[dict[str, object]]:
    words = devices.arguments(parse_disks(disks))
    return [json.loads(word) for option, word in itertools.pairwise(words) if option == "-device"]


def test_every_disk_is_on_its_own_bus_with_its_serial_number() -> None:
    attached = {
        str(device["serial"]): (device["driver"], device["bus"])
        for device in all_devices("2x1GiB,1xscsi4kn:1GiB,7xsata:1GiB,1xnvme:1GiB,1xusb:1GiB,1xmegaraid:1GiB")
        if "serial" in device
    }
    assert attached == {
        "LAB-0001": ("scsi-hd", "scsi.0"),
        "LAB-0002": ("scsi-hd", "scsi.0"),
        "LAB-0003": ("scsi-hd", "scsi.0"),
        **{f"LAB-{4 + port:04}": ("ide-hd", f"sata0.{port}") for port in range(6)},
        "LAB-0010": ("ide-hd", "sata1.0"),
        "LAB-0011": ("nvme", "pci.0"),
        "LAB-0012": ("usb-storage", "usb0.0"),
        "LAB-0013": ("scsi-hd", "megaraid.0"),
    }


def test_no_two_disks_of_a_controller_share_a_place_and_no_wwn_is_given_twice() -> None:
    found = [device for device in all_devices("8x1GiB,8xscsi4kn:1GiB") if "scsi-id" in device]
    assert len({device["scsi-id"] for device in found}) == len({device["wwn"] for device in found}) == 16
    usb = [device for device in all_devices("16xusb:1GiB") if "port" in device]
    assert len({(device["bus"], device["port"]) for device in usb}) == 16


def test_a_4kn_disk_has_sectors_of_4096_bytes_and_a_sata_disk_only_physical_ones() -> None:
    four, sata = (device for device in all_devices("1xscsi4kn:1GiB,1xsata:1GiB") if "serial" in device)
    assert (four["logical_block_size"], four["physical_block_size"]) == (4096, 4096)
    assert ("logical_block_size" in sata, sata["physical_block_size"]) == (False, 4096)
    wwn = sata["wwn"]
    assert isinstance(wwn, int)
    assert wwn >> 60 == 5


def test_copies_get_their_names_from_udev_and_no_wwn_of_their_own(tmp_path: Path) -> None:
    copies = (
        CopiedDisk("9 odd serial", GIB, "scsi", by_id=("ata-WDC-9",), name="0x5000000000000001"),
        CopiedDisk("", GIB, "scsi", by_id=("wwn-0x5000000000000002",)),
        CopiedDisk("S" * 40, GIB, "scsi4kn", by_id=("ata-WDC-S",)),
    )
    words = itertools.pairwise(devices.arguments(copies))
    found = [json.loads(word) for option, word in words if option == "-device"]
    found = [one for one in found if "drive" in one]
    assert [one["scsi-id"] for one in found] == [0, 1, 64]
    assert [one.get("serial") for one in found] == ["9 odd serial", None, "S" * 36]
    assert [one["logical_block_size"] for one in found] == [512, 512, 4096]
    assert not any("wwn" in one for one in found)
    assert all(one["id"].startswith("copy-") for one in found), "QEMU takes no other first letter"
    parts = Parts(copies, GIB, tmp_path, None, None, {}, 0, ())
    script = engine._start_script(parts)
    assert 'KERNELS=="[0-9]*:0:64:0", ENV{DEVTYPE}=="disk", SYMLINK+="disk/by-id/ata-WDC-S"' in script
    assert "RULES=''" in engine._start_script(replace(parts, disks=parse_disks("1x1GiB")))


def test_a_disk_that_cannot_be_pulled_is_named_with_its_bus(tmp_path: Path) -> None:
    disks = parse_disks("1xsata:1GiB")
    parts = Parts(disks, GIB, tmp_path, None, None, {}, 0, ())
    with pytest.raises(BadInput, match="LAB-0001 cannot be pulled: QEMU has no hot-plug on sata"):
        find_engine("qemu").pull(parts, disks[0])


def test_a_guest_that_is_gone_does_not_answer(tmp_path: Path) -> None:
    disks = parse_disks("1xnvme:1GiB")
    parts = Parts(disks, GIB, tmp_path, None, None, {}, 0, ())
    with pytest.raises(StepFailed, match="QEMU does not answer"):
        find_engine("qemu").pull(parts, disks[0])
    (tmp_path / "uml").mkdir()
    with pytest.raises(StepFailed, match="user-mode Linux does not answer"):
        find_engine("uml").pull(parts, disks[0])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["--disks", "4xsata:1GiB"],
            "LAB-0001 cannot be on 'sata', a bus that user-mode Linux does not have; it has scsi, scsi4kn",
        ),
        (
            ["--engine", "qemu", "--disks", "1xide:1GiB"],
            "'ide', a bus that QEMU does not have; it has scsi, scsi4kn",
        ),
        (["--engine", "qemu", "--disks", "2xnvme:1"], "'1' has no unit"),
        (["--engine", "qemu", "--memory", "300MiB"], "too little for the guest; the least is 512MiB"),
    ],
)
def test_bad_words_end_the_command_with_exit_code_2_and_one_sentence(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lab", *words, "--", "true"]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_without_qemu_one_sentence_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(host, "SEARCH", str(tmp_path))
    assert cli.main(["lab", "--engine", "qemu", "--", "true"]) == 5
    said = capsys.readouterr().err
    assert ": apt-get install qemu-system-x86 qemu-utils" in said
    assert said.count("\n") == 1


def test_the_first_engine_loads_nothing_of_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("raidtui.lab")]:
        monkeypatch.delitem(sys.modules, name)
    from raidtui.lab import engines

    engines.find_engine("uml")
    assert not [name for name in sys.modules if name.startswith("raidtui.lab.qemu")]


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Path]:
    """Put a shell script in place of the recipe, and an empty cache in place of the user's; gives the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(host, "check_image_tools", lambda: None)
    monkeypatch.setattr(image, "check_python", lambda: None)  # whichever Python runs the tests

    def put(script: str) -> Path:
        file = tmp_path / "recipe.sh"
        file.write_text(script, encoding="utf-8")
        monkeypatch.setattr(image, "_RECIPE", (file,))
        return tmp_path / "cache" / "raidtui"

    return put


WHOLE = 'echo "step: one"; echo noise; echo x >>"$2/../runs"; sleep 0.2; echo disk >"$2/root.img"'


@pytest.mark.processes
def test_an_image_is_made_once_and_its_steps_are_shown(
    recipe: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    cache = recipe(WHOLE)
    made = image.find_image()
    assert made.root.read_text(encoding="utf-8") == "disk\n"
    assert image.find_image() == made
    assert (cache / "runs").read_text(encoding="utf-8") == "x\n"
    said = capsys.readouterr().err.splitlines()
    assert said[1] == "raidtui:   one ..."
    assert not any("noise" in line for line in said)
    recipe(WHOLE + "\n# changed")
    assert image.find_image() != made


@pytest.mark.processes
def test_two_that_need_an_image_at_once_make_one(recipe: Callable[[str], Path]) -> None:
    cache = recipe(WHOLE)
    threads = [threading.Thread(target=image.find_image) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (cache / "runs").read_text(encoding="utf-8") == "x\n"


@pytest.mark.processes
def test_a_half_made_image_is_never_used_and_the_log_is_kept(recipe: Callable[[str], Path]) -> None:
    cache = recipe('echo "no such mirror" >&2; echo half >"$2/root.img"; exit 7')
    with pytest.raises(StepFailed, match=r"exit code 7\); see .*image.log"):
        image.find_image()
    assert (cache / "image.log").read_text(encoding="utf-8") == "no such mirror\n"
    assert not [entry for entry in cache.iterdir() if entry.is_dir()]


@pytest.mark.processes
def test_what_a_killed_maker_left_goes_and_a_full_disk_is_refused(
    recipe: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = recipe("exit 1")
    (cache / "making-left").mkdir(parents=True)
    with pytest.raises(StepFailed):
        image.find_image()
    assert not (cache / "making-left").exists()
    monkeypatch.setattr(image, "_ROOM", 1 << 60)
    with pytest.raises(Refused, match=r"making the image takes 1,024 PiB"):
        image.find_image()


def test_the_programs_that_make_an_image_are_asked_for_only_when_one_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(host, "SEARCH", "")
    monkeypatch.setattr(image, "check_python", lambda: None)
    with pytest.raises(ToolMissing, match="mmdebstrap"):
        image.find_image()
    (image.cache_folder() / f"image-{image.recipe_hash()}").mkdir(parents=True)
    image.find_image()


def test_another_release_of_debian_can_be_chosen_for_the_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = image.recipe_hash()
    monkeypatch.setenv(image.RELEASE, "trixie" if image.release() == "bookworm" else "bookworm")
    assert image.recipe_hash() != usual
    monkeypatch.setenv(image.RELEASE, "sid")
    with pytest.raises(BadInput, match="can be bookworm and trixie"):
        image.release()


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("does", "chosen"),
    [("exit 0", "kvm"), ("exit 134", "tcg,thread=multi"), ("exec sleep 60", "tcg,thread=multi")],
)
def test_kvm_is_tried_with_the_guests_kernel_before_it_is_used(
    does: str, chosen: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program, said = tmp_path / "qemu", tmp_path / "said"
    program.write_text(f'#!/bin/sh\necho "$@" >{said}\n{does}\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(os, "access", lambda *_: True)
    monkeypatch.setattr(host, "_KVM_TIMEOUT", 2)
    assert host.processor(str(program), "/boot/vmlinuz")[:2] == ("-accel", chosen)
    assert "-kernel /boot/vmlinuz" in said.read_text(encoding="utf-8")


def test_the_callers_folders_are_seen_but_not_the_systems(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "prefix", "/usr")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    seen = [Path(folder) for folder in engine._visible()]
    assert any(tmp_path.is_relative_to(folder) for folder in seen)
    assert any(Path(__file__).is_relative_to(folder) for folder in seen)
    assert not {Path("/"), Path("/usr"), Path("/etc"), Path("/var"), Path("/proc"), Path("/srv")} & set(seen)
    assert not [one for one in seen for other in seen if one != other and one.is_relative_to(other)]


def test_what_its_user_may_not_read_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guest of an ordinary user could not lay the host's /root over its own, and did not start."""
    assert "/root" in engine._visible()
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != "/root")
    assert "/root" not in engine._visible()


@pytest.mark.parametrize(
    ("here", "inside"),
    [("trixie", "trixie"), ("bookworm", "bookworm"), ("noble", "bookworm"), (None, "bookworm")],
)
def test_the_guest_has_the_release_of_the_host_where_the_recipe_makes_it(
    here: str | None, inside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def os_release() -> dict[str, str]:
        if here is None:
            raise OSError("no os-release")
        return {"VERSION_CODENAME": here}

    monkeypatch.setattr("platform.freedesktop_os_release", os_release)

    assert image.release() == inside


def test_the_systems_python_that_the_guest_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"VERSION_CODENAME": "trixie"})
    monkeypatch.setattr("sys.version_info", (3, 12, 1))
    monkeypatch.setattr("sys.executable", "/root/.pyenv/versions/3.12.1/bin/python")
    image.check_python()  # any release can run it

    monkeypatch.setattr("sys.executable", "/usr/bin/true")
    with pytest.raises(
        ToolMissing, match=r"the guest has Python 3\.13, and raidtui runs on the system's 3\.12"
    ):
        image.check_python()


def test_all_packages_that_qemu_needs_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that make its image too: where QEMU is missing, there is no image."""
    monkeypatch.setattr(host, "SEARCH", "/nowhere")
    with pytest.raises(ToolMissing, match=r"needs qemu-system-x86, qemu-utils, mmdebstrap.* not found here"):
        host.find_programs()
