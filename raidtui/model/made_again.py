"""Whether an array was made again over an older one: what is on it, and the ARRAY lines of mdadm.conf with its name. Pure."""

from raidtui.model.config_lines import uuid_in
from raidtui.model.device_graph import graph_of
from raidtui.model.machine import Array, Machine
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


def seems_empty(array: Array, machine: Machine) -> bool:
    """Whether ``array`` runs and nothing known is on it, so that it may hold what cannot be read in its order."""
    graph = graph_of(machine)
    device = graph.at(array.node)
    if not array.started or not machine.complete or array.unread or array.signatures or device is None:
        return False
    # The volumes of a container are its content.
    return not (
        array.volumes or array.mountpoints or device.is_swap or graph.on(device) or graph.parts(device)
    )
