"""Check that nothing on this computer prevents building a resolved spec."""

from raidtui.backends.contract import Resolved, Tool
from raidtui.backends.registry import backend, builder
from raidtui.machine.tools import TOOLS, is_older
from raidtui.model.errors import Refused, ToolMissing
from raidtui.model.machine import Disk, Machine, Weight
from raidtui.model.text import harmless
from raidtui.steps.mount_names import check_mountpoint_is_free
from raidtui.steps.pieces import called


def check_usable(resolved: Resolved, machine: Machine) -> None:
    """Check that nothing on this computer prevents building ``resolved``.

    Raises:
        Refused: a disk is in use, unusable or a system disk (the text says how to free it), or the unit would not
            come back after a reboot.
        BadInput: the name or the mount point is taken.
        ToolMissing: a program of the backend, or the filesystem's mkfs, is absent or too old.
    """
    spec, maker = resolved.spec, builder(resolved.spec.backend)
    for piece in resolved.pieces:
        _check_free(piece.disk)
    maker.check_free(resolved, machine)
    if spec.filesystem.type != "none":
        check_mountpoint_is_free(spec.filesystem.mountpoint, machine)
    for tool in maker.tools:
        _check_tool(tool, machine)
    if spec.filesystem.type != "none" and not backend(spec.backend).own_filesystem:
        _check_tool(Tool(f"mkfs.{spec.filesystem.type}"), machine)


def _check_free(disk: Disk) -> None:
    for weight in (Weight.SYSTEM, Weight.UNUSABLE, Weight.BUSY):
        claims = [claim for claim in disk.taken_by if claim.weight is weight]
        if not claims:
            continue
        claimed = "; ".join(dict.fromkeys(harmless(f"{claim.device}: {claim.detail}") for claim in claims))
        name = f"{called(disk)} ({disk.shown})"
        if weight is Weight.SYSTEM:
            raise Refused(f"{name} is a disk of the running system ({claimed}); it cannot be erased")
        ways = "; ".join(dict.fromkeys(harmless(c.how_to_free) for c in claims if c.how_to_free))
        state = "cannot be used" if weight is Weight.UNUSABLE else "is in use"
        raise Refused(f"{name} {state} ({claimed})" + (f"; to free it: {ways}" if ways else ""))


def _check_tool(tool: Tool, machine: Machine) -> None:
    package = TOOLS[tool.name].package
    version = machine.tools.get(tool.name)
    if version is None:
        raise ToolMissing(f"{tool.name} is not installed; on Debian: apt-get install {package}")
    if tool.at_least and version and is_older(version, tool.at_least):
        raise ToolMissing(
            f"{tool.name} is {version} here and must be {tool.at_least} or newer; on Debian: apt-get install {package}"
        )
