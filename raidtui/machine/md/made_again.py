"""Whether an array was made again over an older one: what is on it, and the ARRAY lines of mdadm.conf with its name. Pure."""

from raidtui.machine.md.health import is_failed
from raidtui.model.config_lines import uuid_in
from raidtui.model.device_graph import graph_of
from raidtui.model.machine import Array, Machine
from raidtui.model.superblock import Superblock
from raidtui.model.system import ConfiguredArray
from raidtui.model.uuids import bare


def uuids_here(machine: Machine) -> set[str]:
    """The UUIDs of the arrays that run, or of which a disk here has a superblock."""
    return {bare(one.uuid) for one in machine.arrays} | {bare(one.uuid) for one in machine.superblocks}


def of_others(array: Array, machine: Machine) -> list[ConfiguredArray]:
    """The ARRAY lines with its name and the UUID of an array of which no disk is here: it was made again, mostly."""
    here = uuids_here(machine)
    paths = {array.path, f"/dev/md/{array.name}"} - {"", "/dev/md/"}
    return [
        one
        for one in machine.system.mdadm_conf_entries
        if paths & set(one.text.split()[1:2]) and (uuid := uuid_in(one.text)) and uuid not in here
    ]


def older_of(array: Array, machine: Machine) -> tuple[Superblock, ...]:
    """The superblocks of an older array of its name, which does not run: those that it was not created over, mostly.

    Superblocks 0.90 are left out: many computers have called their first array md0.
    """
    running = {bare(one.uuid) for one in machine.arrays}
    own = [one for one in machine.superblocks if bare(one.uuid) == bare(array.uuid)]
    return tuple(
        one
        for one in machine.superblocks
        if any(is_later(mine, one) for mine in own) and bare(one.uuid) not in running
    )


def is_later(one: Superblock, other: Superblock) -> bool:
    """Whether ``one`` is of another array than ``other``, of the same name, and created after it."""
    named = one.name == other.name and "0.90" not in {one.metadata, other.metadata}
    return named and bare(one.uuid) != bare(other.uuid) and one.created > other.created


def seems_empty(array: Array, machine: Machine) -> bool:
    """Whether ``array`` runs and nothing known is on it, so that it may hold what cannot be read in its order.

    What is on one that has lost more members than it survives cannot be read either.
    """
    graph = graph_of(machine)
    device = graph.at(array.node)
    if not array.started or is_failed(array) or not machine.complete or device is None:
        return False
    if array.unread or array.signatures or device.luks is not None:
        return False
    # The volumes of a container are its content.
    return not (
        array.volumes or array.mountpoints or device.is_swap or graph.on(device) or graph.parts(device)
    )
