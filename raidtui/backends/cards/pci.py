"""The address of a card on the PCI bus, as its tool writes it."""

import re
from typing import Final

_ADDRESS: Final = re.compile(
    r"([0-9a-f]{1,4}):([0-9a-f]{1,2}):([0-9a-f]{1,2}):0?([0-7])", re.IGNORECASE | re.ASCII
)


def kernel_address(text: str) -> str:
    """``0000:4b:00.0``, as the kernel writes ``0:4b:0:0`` or ``00:4b:00:00``; empty where the text is something else."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return ""
    domain, bus, device, function = (int(part, 16) for part in found.groups())
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"
