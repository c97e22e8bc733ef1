"""Find disks that the kernel exports to other computers: NVMe over Fabrics, iSCSI, a USB gadget.

No process has them open, and the kernel opens some of them without an exclusive claim (nvmet's bdev and file
backends, LIO's fileio, the gadget's mass storage), so neither /proc nor O_EXCL shows them; configfs does.
"""

import os
from collections.abc import Iterator, Mapping

from raidtui.machine.tree import Tree
from raidtui.model.struct import Record

_CONFIG = "/sys/kernel/config"


class Export(Record, frozen=True, kw_only=True):
    """One export of a device."""

    what: str  # how it is exported, and under which name
    how_to_free: str


def read_exports(tree: Tree) -> Mapping[str, tuple[Export, ...]]:
    """Read what the kernel exports, by kernel name of the disk or partition."""
    found: dict[str, list[Export]] = {}
    for path, export in (*_nvmet(tree), *_target(tree), *_gadget(tree)):
        if name := tree.device_named(path):
            found.setdefault(name, []).append(export)
    return {name: tuple(exports) for name, exports in found.items()}


def _nvmet(tree: Tree) -> Iterator[tuple[str, Export]]:
    root = f"{_CONFIG}/nvmet/subsystems"
    for subsystem in tree.names(root):
        for namespace in tree.names(f"{root}/{subsystem}/namespaces"):
            folder = f"{root}/{subsystem}/namespaces/{namespace}"
            if tree.text(f"{folder}/enable") == "1":
                what = f"served over NVMe as namespace {namespace} of {subsystem}"
                yield (
                    tree.text(f"{folder}/device_path"),
                    Export(what=what, how_to_free=f"echo 0 > {folder}/enable"),
                )


def _target(tree: Tree) -> Iterator[tuple[str, Export]]:
    root = f"{_CONFIG}/target/core"
    for backend in tree.names(root):
        for name in tree.names(f"{root}/{backend}"):
            folder = f"{root}/{backend}/{name}"
            path = tree.text(f"{folder}/udev_path")
            if path and tree.text(f"{folder}/enable") != "0":
                kind = "fileio" if backend.startswith("fileio") else "block"
                what = f"served by the kernel's iSCSI target as {name}"
                yield path, Export(what=what, how_to_free=f"targetcli /backstores/{kind} delete {name}")


def _gadget(tree: Tree) -> Iterator[tuple[str, Export]]:
    root = f"{_CONFIG}/usb_gadget"
    for gadget in tree.names(root):
        for function in tree.names(f"{root}/{gadget}/functions"):
            for lun in tree.names(f"{root}/{gadget}/functions/{function}"):
                file = os.path.join(root, gadget, "functions", function, lun, "file")
                if lun.startswith("lun.") and (path := tree.text(file)):
                    yield (
                        path,
                        Export(what=f"served over USB by the gadget {gadget}", how_to_free=f"echo > {file}"),
                    )
