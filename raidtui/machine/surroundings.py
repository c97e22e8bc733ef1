"""Detect a virtual machine, a container and ECC memory, without running any program."""

from typing import Final

from raidtui.machine.tree import Tree

# DMI names of hypervisors, as in systemd-detect-virt.
_BOARDS: Final = (
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("Google Compute Engine", "google"),
    ("Amazon EC2", "amazon"),
    ("QEMU", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("VirtualBox", "virtualbox"),
    ("innotek GmbH", "virtualbox"),
    ("Xen", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyper-v"),
    ("Virtual Machine", "hyper-v"),
    ("Apple Virtualization", "apple"),
)
_NAMES: Final = ("product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version")
_UNNAMED: Final = "unnamed"
_MARKS: Final = (("/run/.containerenv", "podman"), ("/.dockerenv", "docker"))


def hypervisor(tree: Tree) -> str:
    """The hypervisor this computer runs on: ``kvm``, ``vmware``, ``uml`` …; empty on bare metal.

    On x86 the CPU flag decides whether there is a hypervisor, and the board's name only which: cloud providers rent
    out bare metal too.
    """
    processor = tree.text("/proc/cpuinfo")
    if _is_uml(processor):
        return "uml"
    if tree.text("/sys/hypervisor/type") == "xen" and "control_d" not in tree.text("/proc/xen/capabilities"):
        return "xen"
    flags = next((line for line in processor.splitlines() if line.startswith("flags")), "")
    if flags and "hypervisor" not in flags.split():
        return ""
    board = [tree.text(f"/sys/class/dmi/id/{name}") for name in _NAMES]
    named = next((word for mark, word in _BOARDS if any(text.startswith(mark) for text in board)), "")
    if named or flags:
        return named or _UNNAMED
    compatible = tree.text("/proc/device-tree/hypervisor/compatible").strip("\0")
    return "kvm" if compatible == "linux,kvm" else compatible


def container(tree: Tree) -> str:
    """The kind of container this system runs in; empty outside a container."""
    reported = tree.text("/run/systemd/container") or _from_init_environment(tree)
    if reported or _is_uml(tree.text("/proc/cpuinfo")):  # lab guests see the host's files, markers included
        return reported
    return next((word for path, word in _MARKS if tree.exists(path)), "")


def _from_init_environment(tree: Tree) -> str:
    words = (word.partition(b"=") for word in tree.bytes("/proc/1/environ").split(b"\0"))
    return next((value.decode(errors="replace") for name, _, value in words if name == b"container"), "")


def _is_uml(processor: str) -> bool:
    return "User Mode Linux" in processor


def corrects_memory(tree: Tree) -> bool | None:
    """Whether a memory controller reports ECC; ``None`` if the kernel has no EDAC."""
    folder = "/sys/devices/system/edac/mc"
    if not tree.exists(folder):
        return None
    controllers = [name for name in tree.names(folder) if name.startswith("mc") and name[2:].isdigit()]
    modes = [
        tree.text(f"{folder}/{controller}/{module}/dimm_edac_mode")
        for controller in controllers
        for module in tree.names(f"{folder}/{controller}")
        if module.startswith(("dimm", "rank"))
    ]
    return bool(controllers) and (not modes or any(mode not in {"", "None", "Unknown"} for mode in modes))
