"""The engines of the lab, by name."""

from typing import Final

from raidtui.lab.engine import Engine
from raidtui.model.errors import BadInput

ENGINES: Final = ("uml", "qemu")
"""User-mode Linux, the default, and QEMU."""


def find_engine(name: str) -> Engine:
    """The engine of this name. The others are not imported. Raises BadInput: there is none."""
    if name == "uml":
        from raidtui.lab.uml import UserModeLinux

        return UserModeLinux()
    if name == "qemu":
        from raidtui.lab.qemu.engine import Qemu

        return Qemu()
    raise BadInput(f"there is no engine {name!r}; valid values: {', '.join(ENGINES)}")
