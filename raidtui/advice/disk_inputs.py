"""What the risk is calculated from, as far as it is known of disks by their models."""

from collections.abc import Sequence

from raidtui.advice.afr import rate_of
from raidtui.advice.risk import RiskInputs
from raidtui.advice.unreadable import mean_unreadable, unreadable_of
from raidtui.model.machine import Disk


def known_inputs(disks: Sequence[Disk]) -> RiskInputs:
    """The failure rate and the bound on bad sectors of these disks, and the usual times until somebody acts."""
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
    """The same for disks that nothing is known of but whether they rotate."""
    rate, bad = rate_of(rotational=rotational), unreadable_of(rotational=rotational)
    return RiskInputs(
        afr=rate.afr, afr_source=rate.source, unreadable_per_bit=bad.per_bit, unreadable_source=bad.source
    )
