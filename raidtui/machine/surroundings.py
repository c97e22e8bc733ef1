"""What this system runs in: a virtual machine, a container, memory that corrects errors. Without starting anything."""

from typing import Final

from raidtui.machine.tree import Tree

# What hypervisors write where a maker names a board: systemd's detect-virt knows the same names.
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
    """What makes this computer a virtual one: ``kvm``, ``vmware``, ``uml`` …; empty for a real one.

    On x86 the processor says whether there is a hypervisor, and the board's name only which: makers of hypervisors
    rent out real computers, too.
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
    tells = tree.text("/proc/device-tree/hypervisor/compatible").strip("\0")
    return "kvm" if tells == "linux,kvm" else tells


def container(tree: Tree) -> str:
    """What kind of container this system runs in; empty outside of one."""
    told = tree.text("/run/systemd/container") or _told_to_first_process(tree)
    if told or _is_uml(tree.text("/proc/cpuinfo")):  # the lab's guests show the files of their host
        return told
    return next((word for path, word in _MARKS if tree.exists(path)), "")


def _told_to_first_process(tree: Tree) -> str:
    words = (word.partition(b"=") for word in tree.bytes("/proc/1/environ").split(b"\0"))
    return next((value.decode(errors="replace") for name, _, value in words if name == b"container"), "")


def _is_uml(processor: str) -> bool:
    return "User Mode Linux" in processor


def corrects_memory(tree: Tree) -> bool | None:
    """Whether a memory controller reports that it corrects errors; ``None`` on kernels that do not look (no EDAC)."""
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
