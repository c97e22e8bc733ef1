"""What this system runs in, seen without starting a program, and which levels its kernel can run."""

from pathlib import Path

import pytest

from raidtui.machine.system import boot_kernels, container, corrects_memory, hypervisor, md_levels, md_waits
from tests.unit.machine_trees import MadeTree


@pytest.fixture
def made(tmp_path: Path) -> MadeTree:
    return MadeTree(tmp_path)


REAL = "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme aes\n"
VIRTUAL = "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme hypervisor aes\n"
UML = "processor\t: 0\nvendor_id\t: User Mode Linux\nmodel name\t: UML\n"
ARM = "processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\n"


@pytest.mark.parametrize(
    ("processor", "files", "word"),
    [
        (REAL, {}, ""),
        (REAL, {"/sys/class/dmi/id/sys_vendor": "Amazon EC2"}, ""),  # rented whole: m5.metal
        (VIRTUAL, {"/sys/class/dmi/id/sys_vendor": "QEMU"}, "qemu"),
        (VIRTUAL, {"/sys/class/dmi/id/product_name": "VMware Virtual Platform"}, "vmware"),
        (VIRTUAL, {"/sys/class/dmi/id/product_name": "VirtualBox"}, "virtualbox"),
        (
            VIRTUAL,
            {
                "/sys/class/dmi/id/sys_vendor": "Microsoft Corporation",
                "/sys/class/dmi/id/product_name": "Virtual Machine",
            },
            "hyper-v",
        ),
        (VIRTUAL, {}, "unnamed"),
        (VIRTUAL, {"/sys/hypervisor/type": "xen"}, "xen"),
        (REAL, {"/sys/hypervisor/type": "xen", "/proc/xen/capabilities": "control_d"}, ""),
        (UML, {}, "uml"),
        (ARM, {}, ""),
        (ARM, {"/proc/device-tree/hypervisor/compatible": "linux,kvm\0"}, "kvm"),
        (ARM, {"/sys/class/dmi/id/sys_vendor": "QEMU"}, "qemu"),
    ],
)
def test_the_processor_and_the_board_tell_of_a_virtual_machine(
    made: MadeTree, processor: str, files: dict[str, str], word: str
) -> None:
    made.write("/proc/cpuinfo", processor)
    for path, text in files.items():
        made.write(path, text)
    assert hypervisor(made.tree) == word


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("/run/systemd/container", "lxc\n", "lxc"),
        ("/proc/1/environ", "HOME=/\0container=systemd-nspawn\0", "systemd-nspawn"),
        ("/run/.containerenv", "", "podman"),
        ("/.dockerenv", "", "docker"),
        ("/proc/1/environ", "HOME=/\0", ""),
    ],
)
def test_a_container_leaves_marks(made: MadeTree, path: str, text: str, word: str) -> None:
    made.write(path, text)
    assert container(made.tree) == word


def test_a_guest_of_the_lab_is_no_container_though_its_host_is(made: MadeTree) -> None:
    made.write("/proc/cpuinfo", UML)
    made.write("/.dockerenv", "")
    assert container(made.tree) == ""


def test_memory_corrects_where_a_controller_says_how(made: MadeTree) -> None:
    assert corrects_memory(made.tree) is None
    made.write("/sys/devices/system/edac/mc/power/control", "auto")
    assert corrects_memory(made.tree) is False
    made.write("/sys/devices/system/edac/mc/mc0/dimm0/dimm_edac_mode", "None\n")
    assert corrects_memory(made.tree) is False
    made.write("/sys/devices/system/edac/mc/mc0/dimm1/dimm_edac_mode", "SECDED\n")
    assert corrects_memory(made.tree) is True


def test_levels_are_those_that_run_and_those_that_have_a_module(made: MadeTree) -> None:
    made.write("/proc/mdstat", "Personalities : [raid1] \nunused devices: <none>\n")
    assert md_levels(made.tree, "6.1.0") is None  # a kernel without modules may have any
    made.write("/lib/modules/6.1.0/kernel/drivers/md/raid456.ko.xz", "")
    made.write("/lib/modules/6.1.0/kernel/drivers/md/dm-raid.ko.xz", "")
    assert md_levels(made.tree, "6.1.0") == ("raid1", "raid4", "raid5", "raid6")


def test_after_an_update_the_running_kernel_has_lost_its_modules(made: MadeTree) -> None:
    made.write("/lib/modules/6.1.1/kernel/drivers/md/raid456.ko", "")
    assert md_levels(made.tree, "6.1.0") == ()


def test_whether_arrays_wait_at_boot_is_not_known_where_this_boot_was_told(made: MadeTree) -> None:
    assert md_waits(made.tree) is None
    made.write("/sys/module/md_mod/parameters/start_ro", "1\n")
    assert md_waits(made.tree) is True
    made.write("/sys/module/md_mod/parameters/start_ro", "0\n")
    assert md_waits(made.tree) is False
    made.write("/proc/cmdline", "root=/dev/md0 ro md_mod.start_ro=0\n")
    assert md_waits(made.tree) is None
    made.write("/proc/cmdline", "root=/dev/md0 ro\n")
    made.write("/sys/module/md_mod/parameters/start_ro", "rubbish\n")
    assert md_waits(made.tree) is None


@pytest.mark.parametrize("image", ["initrd.img-{}", "initramfs-{}.img", "initrd-{}"])
def test_a_boot_takes_the_running_kernel_or_the_newest(made: MadeTree, image: str) -> None:
    for release in ("6.1.0-9-amd64", "6.1.0-32-amd64", "6.1.0-37-amd64", "5.10.0-99-amd64"):
        made.write(f"/boot/{image.format(release)}", "")
        made.write(f"/lib/modules/{release}/modules.dep", "")
    made.write(f"/boot/{image.format('6.9.0-removed')}", "")
    made.write(f"/boot/{image.format('6.1.0-37-amd64')}.old-dkms", "")
    assert boot_kernels(made.tree, "6.1.0-9-amd64") == ("6.1.0-9-amd64", "6.1.0-37-amd64")
    assert boot_kernels(made.tree, "6.1.0-37-amd64") == ("6.1.0-37-amd64",)
    assert boot_kernels(made.tree, "6.12.0-own") == ("6.1.0-37-amd64",)  # booted without one


def test_without_any_initramfs_there_is_none_to_rebuild(made: MadeTree) -> None:
    made.write("/boot/vmlinuz-6.1.0-9-amd64", "")
    assert boot_kernels(made.tree, "6.1.0-9-amd64") == ()
