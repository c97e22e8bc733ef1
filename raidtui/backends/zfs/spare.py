"""Add a hot spare to a pool with zpool-add(8), and never anything else: a data device that is added cannot be removed."""

from raidtui.backends.care import places_at
from raidtui.backends.replacing import Leaving, Naming
from raidtui.backends.zfs.care_conditions import DEVICE_IN
from raidtui.backends.zfs.create import unlabel
from raidtui.backends.zfs.need import ZfsNeed
from raidtui.backends.zfs.report import DATA, reading_in
from raidtui.backends.zfs.units import left_in
from raidtui.model.errors import Refused
from raidtui.model.machine import Machine
from raidtui.model.plan import Run, Step, member_step
from raidtui.model.text import harmless
from raidtui.model.unit import Health, Unit
from raidtui.steps.partitions import ZFS_MEMBER


class ZfsSpare(ZfsNeed, frozen=True, kw_only=True):
    """A pool that gets a hot spare."""

    def steps(self, naming: Naming) -> list[Step]:
        """Add it; ``-n`` first, which checks and changes nothing."""
        added = (self.unit.name, "spare", naming.device)
        return [
            member_step(
                id=f"add{naming.suffix}",
                title=f"Add {naming.new} to the pool {self.name} as a hot spare",
                reason="zed lets it take the place of a device that fails, where zed runs.",
                actions=(
                    Run(argv=("zpool", "add", "-n", *added)),
                    Run(argv=("zpool", "add", *added)),
                ),
                before=naming.ready,
                after=(DEVICE_IN.of(naming.device, f"{self.unit.uuid} spare"),),
                repair=unlabel(naming.device),
                holds=(naming.whole,),
            )
        ]


def spare(unit: Unit, machine: Machine) -> ZfsSpare:
    """Large enough for any device of the pool.

    Raises:
        Refused: the pool is not imported, has failed, or its devices are not known.
    """
    report, name = reading_in(machine), harmless(unit.name)
    pool = report.with_guid(unit.uuid) if report is not None else None
    if pool is None:
        raise Refused(f"the pool {name} is not imported")
    if unit.health is Health.FAILED:
        raise Refused(f"too many disks of {name} are missing: connect them first")
    inside = [one.path for one in pool.status.leaves if one.path and one.section == DATA]
    places = sorted(places_at(inside, machine), key=lambda one: one.size_bytes, reverse=True)
    return ZfsSpare(
        unit=unit,
        left=left_in(pool.status),
        spare=True,
        places=tuple(places),
        present=Leaving("", None, (), machine).beside(unit, ""),
        least=max((one.size_bytes for one in places), default=0),
        partition_type=ZFS_MEMBER,
        guid="",
        ashift="",
    )
