"""The inputs of the risk calculation that are known from the models of the disks."""

from collections.abc import Sequence

from raidtui.advice.afr import rate_of
from raidtui.advice.risk import RiskInputs
from raidtui.advice.unreadable import mean_unreadable, unreadable_of
from raidtui.model.machine import Disk


def known_inputs(disks: Sequence[Disk]) -> RiskInputs:
    """The mean failure rate and unreadable-sector rate of these disks, with default times to notice and replace."""
    if not disks:
        return RiskInputs()
    rates = [
        rate_of(
            disk.model,
            rotational=disk.rotational,
            power_on_hours=disk.smart.power_on_hours if disk.smart else None,
        )
        for disk in disks
    ]
    bad = mean_unreadable([unreadable_of(disk.model, rotational=disk.rotational) for disk in disks])
    return RiskInputs(
        afr=sum(rate.afr for rate in rates) / len(rates),
        afr_source="; ".join(dict.fromkeys(rate.source for rate in rates)),
        unreadable_per_bit=bad.per_bit,
        unreadable_source=bad.source,
    )


def assumed_inputs(*, rotational: bool) -> RiskInputs:
    """Inputs for unknown disks that are rotating or flash."""
    rate, bad = rate_of(rotational=rotational), unreadable_of(rotational=rotational)
    return RiskInputs(
        afr=rate.afr, afr_source=rate.source, unreadable_per_bit=bad.per_bit, unreadable_source=bad.source
    )
