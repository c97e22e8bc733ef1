"""Replace a device of a pool that holds none of its data: of a log, a cache, or a hot spare that is free.

ZFS replaces a device of a log as one with data (zpool-replace(8)). A cache and a hot spare are added and removed, which
is possible at any time (zpool-remove(8)).
"""

from typing import Final

from raidtui.backends.care import places_at
from raidtui.backends.replacing import Leaving, Naming
from raidtui.backends.zfs.care_conditions import DEVICE_IN, DEVICE_OUT, POOL_SERVES
from raidtui.backends.zfs.create import unlabel
from raidtui.backends.zfs.need import ZfsNeed
from raidtui.backends.zfs.report import SPARES, Pool, Vdev
from raidtui.model.errors import Refused
from raidtui.model.plan import Check, Run, Step, member_step
from raidtui.model.text import harmless
from raidtui.model.unit import Unit
from raidtui.steps.partitions import ZFS_MEMBER

_LOGS: Final = "logs"
_CALLED: Final = {_LOGS: "log", "cache": "cache", SPARES: "hot spare"}


class ZfsBeside(ZfsNeed, frozen=True, kw_only=True):
    """A pool whose log, cache or hot spare moves."""

    section: str  # of zpool-status(8)

    def steps(self, naming: Naming) -> list[Step]:
        """Replace the device of a log; else add the new device, then remove the old one."""
        if self.section != _LOGS:
            return self._of_others(naming)
        return self.replaced(
            naming,
            place=f"the log of the pool {self.name}",
            reason="The old device stays in the log until the new one has what is in it.",
        )

    def _of_others(self, naming: Naming) -> list[Step]:
        pool, called = self.unit.name, _CALLED[self.section]
        spare = self.section == SPARES
        here = DEVICE_IN.of(naming.device, f"{self.unit.uuid} {'spare' if spare else 'member'}")
        added = (pool, "spare" if spare else self.section, naming.device)
        return [
            member_step(
                id=f"add{naming.suffix}",
                title=f"Add {naming.new} to the pool {self.name} as a {called}",
                reason="First with -n, which checks and changes nothing.",
                actions=(Run(argv=("zpool", "add", "-n", *added)), Run(argv=("zpool", "add", *added))),
                before=naming.ready,
                after=(here,),
                repair=unlabel(naming.device),
                holds=(naming.whole,),
            ),
            member_step(
                id=f"remove{naming.suffix}",
                title=f"Remove {naming.old}, the old {called}, from the pool {self.name}",
                reason="It holds no data of the pool that is not elsewhere.",
                actions=(Run(argv=("zpool", "remove", pool, self.guid)),),
                before=(here,),
                after=(DEVICE_OUT.of(self.old, self.unit.uuid),),
            ),
        ]

    def proof(self) -> Check:
        """The pool takes I/O: the steps have seen that the new device is in it, and nothing of its data was moved."""
        return POOL_SERVES.of(self.unit.uuid)


def beside(device: Vdev, pool: Pool, unit: Unit, leaving: Leaving) -> ZfsBeside:
    """The pool with this device, on the disk that leaves.

    Raises:
        Refused: the GUID of the device is not known, or raidtui does not know its section.
    """
    name = harmless(pool.name)
    if device.section not in _CALLED:
        raise Refused(
            f"the device of {name} on this disk is one of its {harmless(device.section)}; see zpool-replace(8)"
        )
    if not device.guid:
        raise Refused(
            f"the GUID of the device of {name} is not known, and zpool finds it by no other name for certain"
        )
    places = tuple(places_at([device.path], leaving.machine))
    return ZfsBeside(
        unit=unit,
        old=leaving.stable(device.path),
        old_path=device.path,
        copied=True,
        spare=device.section == SPARES,
        places=places,
        present=leaving.beside(unit, device.path),
        least=places[0].size_bytes if places else 0,
        partition_type=ZFS_MEMBER,
        guid=device.guid,
        ashift=str(pool.ashift or ""),
        section=device.section,
        proven_by="The new device is in the pool, and the pool takes I/O.",
    )
