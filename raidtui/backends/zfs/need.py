"""A pool that gets a device in the place of another: zpool-replace(8), the resilver, and a scrub.

A device that works stays in the pool until its data is on the new one, so redundancy does not drop. Devices are named
by GUID: zpool finds a missing one by no other name. Never ``-f``, and never ``zpool add``, which makes a vdev of one
disk that a pool with raidz cannot remove.
"""

from raidtui.backends.replacing import Naming, Need
from raidtui.backends.zfs.care_conditions import DEVICE_IN, DEVICE_OUT, POOL_WHOLE
from raidtui.backends.zfs.create import erase_member, unlabel
from raidtui.backends.zfs.tend import resilvered, scrub
from raidtui.model.plan import Check, Run, Step, member_step, waiting_step
from raidtui.steps.devices import FORGOTTEN


class ZfsNeed(Need, frozen=True, kw_only=True):
    """A pool."""

    guid: str  # of the old device
    ashift: str  # of the pool; empty if ZFS chose it for each vdev

    def steps(self, naming: Naming) -> list[Step]:
        """Replace, resilver; scrub unless the next device has to be replaced first."""
        replaced = self.replaced(
            naming,
            place=f"the pool {self.name}",
            reason="The old device stays in the pool until its data is on the new one, if it is there and readable.",
            as_long_as="writing the data of the device",
        )
        return [*replaced, *(() if self.lacks else (scrub(self.unit.name, suffix=naming.suffix),))]

    def replaced(self, naming: Naming, *, place: str, reason: str, as_long_as: str = "") -> list[Step]:
        """Replace the device, and wait until the new one is resilvered; ``place``: what the old one leaves, in words."""
        pool, uuid = self.unit.name, self.unit.uuid
        alike = ("-o", f"ashift={self.ashift}") if self.ashift else ()
        return [
            member_step(
                id=f"start{naming.suffix}",
                title=f"Start to replace {naming.old} in {place} with {naming.new}",
                reason=reason,
                actions=(Run(argv=("zpool", "replace", *alike, pool, self.guid, naming.device)),),
                before=naming.ready,
                after=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
                repair=unlabel(naming.device),
                holds=(naming.whole,),
            ),
            waiting_step(
                id=f"wait{naming.suffix}",
                title=f"Wait until {naming.new} is resilvered in {self.name}",
                reason="ZFS continues if raidtui ends, and after a reboot once the pool is imported.",
                actions=(resilvered(pool),),
                before=(DEVICE_IN.of(naming.device, f"{uuid} replacing"),),
                after=(DEVICE_IN.of(naming.device, f"{uuid} member"),),
                as_long_as=as_long_as,
            ),
        ]

    def proof(self) -> Check:
        """Every device online, and a scrub after the resilver without errors."""
        return POOL_WHOLE.of(self.unit.uuid)

    def out(self) -> Check:
        """It is not a device of the pool."""
        return DEVICE_OUT.of(self.old, self.unit.uuid)

    def forget(self) -> tuple[tuple[Run, ...], Check]:
        """Erase the labels, which zpool-replace(8) leaves on the old device."""
        return erase_member(self.old, self.least), FORGOTTEN.of(self.old)
