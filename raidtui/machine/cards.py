"""Find RAID cards on the PCI bus by their kernel driver, whether or not the vendor's tool is installed."""

import re
from typing import Final

from raidtui.machine.tree import Tree
from raidtui.model.controller import RAID_CLASS
from raidtui.model.machine import (
    Card,
)

MEGARAID: Final = frozenset({"megaraid_sas", "mpi3mr"})
ADAPTEC: Final = frozenset({"aacraid", "smartpqi"})
# This driver also runs plain HBAs; those have the PCI class of a SAS controller.
_ALSO_HBA: Final = frozenset({"mpi3mr"})
_DRIVERS: Final = "/sys/bus/pci/drivers"
_ADDRESS: Final = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_HOST: Final = re.compile(r"host(\d+)")


def read_cards(tree: Tree) -> tuple[Card, ...]:
    """Read every RAID card of a supported family, in order of PCI address."""
    found = []
    for driver in sorted(MEGARAID | ADAPTEC):
        for address in tree.names(f"{_DRIVERS}/{driver}"):
            folder = f"{_DRIVERS}/{driver}/{address}"
            if not _ADDRESS.fullmatch(address):
                continue
            if driver in _ALSO_HBA and _number(tree, folder, "class")[:4] != RAID_CLASS:
                continue
            hosts = (_HOST.fullmatch(name) for name in tree.names(folder))
            found.append(
                Card(
                    driver=driver,
                    address=address,
                    vendor=_number(tree, folder, "vendor"),
                    device=_number(tree, folder, "device"),
                    board_vendor=_number(tree, folder, "subsystem_vendor"),
                    board=_number(tree, folder, "subsystem_device"),
                    hosts=tuple(sorted(int(host[1]) for host in hosts if host)),
                )
            )
    return tuple(sorted(found, key=lambda card: card.address))


def _number(tree: Tree, folder: str, name: str) -> str:
    return tree.text(f"{folder}/{name}").removeprefix("0x")
