"""Faults of a card that endanger its virtual drives while these are optimal. Pure."""

from raidtui.backends.cards.records import Adapter, Drive, DriveState, Policy, Volume
from raidtui.model.text import count_of


def unprotected(volume: Volume, adapter: Adapter) -> bool:
    """Whether a power cut now would lose writes that the card has reported as done."""
    backs = volume.policy in {Policy.WRITE_BACK, Policy.ALWAYS_WRITE_BACK}
    return backs and adapter.keeps_cache is False


def is_failing(drive: Drive) -> bool:
    """Whether a drive has media errors, or expects to fail."""
    return bool(drive.media_errors or drive.predicted_failures or drive.smart_alert)


def failed_outside(adapter: Adapter) -> list[Drive]:
    """Drives that have failed or are offline and belong to no virtual drive that the card describes."""
    return [
        one
        for one in adapter.drives
        if one.state in {DriveState.FAILED, DriveState.OFFLINE} and not adapter.volumes_on(one)
    ]


def risks(volume: Volume, adapter: Adapter) -> list[str]:
    """What endangers ``volume``, in words that follow "but"; empty if nothing does."""
    failing = [one for one in adapter.drives if is_failing(one) and volume in adapter.volumes_on(one)]
    return [
        *(["a power cut loses its cached writes"] if unprotected(volume, adapter) else []),
        *(
            [f"{count_of(failing, 'drive')} {'is' if len(failing) == 1 else 'are'} failing"]
            if failing
            else []
        ),
        *(["the card keeps unwritten data of a virtual drive"] if adapter.preserved_cache else []),
    ]
