"""Convert PCI addresses from the spelling of the tools."""

import re
from typing import Final

_ADDRESS: Final = re.compile(
    r"([0-9a-f]{1,4}):([0-9a-f]{1,2}):([0-9a-f]{1,2}):0?([0-7])", re.IGNORECASE | re.ASCII
)


def kernel_address(text: str) -> str:
    """Convert ``0:4b:0:0`` or ``00:4b:00:00`` to the kernel's ``0000:4b:00.0``; empty for any other text."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return ""
    domain, bus, device, function = (int(part, 16) for part in found.groups())
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"
