"""How many more drives a virtual drive survives, and what endangers it while it is optimal. Pure."""

import re
from collections import Counter
from typing import Final

from raidtui.backends.cards.levels import SPANNED, WITHOUT
from raidtui.backends.cards.records import Adapter, Drive, DriveState, Policy, Volume, VolumeState
from raidtui.model.text import count_of

_PARITY: Final = {**dict.fromkeys(WITHOUT, 0), "raid5": 1, "raid6": 2}
_NOT_WELL: Final = frozenset({DriveState.FAILED, DriveState.OFFLINE, DriveState.MISSING, DriveState.FOREIGN})
_OF_SPANS: Final = {**SPANNED, "raid10": "raid1"}  # the level of each span


def count_with_missing(volume: Volume) -> int:
    """How many drives it was made of, those included that the tool no longer lists."""
    return max(len(volume.slots), volume.span_drives * volume.span_count)


def lost_words(volume: Volume, adapter: Adapter) -> str:
    """How many of its drives are not online, in words; empty if all are."""
    count = count_with_missing(volume)
    lost = count - len(_online(volume, adapter))
    return f"{lost} of {count} drives not online" if lost else ""


def redundancy_words(volume: Volume, adapter: Adapter) -> str:
    """What another failure means for a degraded virtual drive: of each span, as far as the card reports it."""
    left = _left_of_spans(volume, adapter)
    if len(left) == 1 and _survives(volume) == 1:
        return "not redundant"
    if not left or not lost_words(volume, adapter):
        return "another failure may lose data"
    if all(one <= 0 for one in left):
        return "not redundant"
    none = sum(one <= 0 for one in left)
    if none:
        kept = len(left) - none
        return f"{none} of {len(left)} spans not redundant, the other {kept} still {'is' if kept == 1 else 'are'}"
    return f"{count_of(min(left), 'more drive')} may fail"


def _left_of_spans(volume: Volume, adapter: Adapter) -> list[int]:
    """How many more drives each span survives; empty if that is not known."""
    count = count_with_missing(volume)
    spans, size = (volume.span_count, volume.span_drives) if volume.span_drives else (0, 0)
    if volume.level not in _OF_SPANS and not spans:
        spans, size = 1, count
    if not spans or spans * size != count or (volume.level in _OF_SPANS and spans == 1):
        return []
    survives = _survives(volume)
    if survives is None:
        return []
    online = Counter(_span_of(slot, volume, adapter) if spans > 1 else 0 for slot in _online(volume, adapter))
    if None in online or max(online.values(), default=0) > size or set(online) - {*range(spans)}:
        return []
    return [survives - (size - online[number]) for number in range(spans)]


def _survives(volume: Volume) -> int | None:
    """How many failed drives a whole span survives; None for a level that is not known."""
    group = _OF_SPANS.get(volume.level, volume.level)
    size = volume.span_drives or count_with_missing(volume)
    return size - 1 if group == "raid1" else _PARITY.get(group)


def _online(volume: Volume, adapter: Adapter) -> list[str]:
    return [one.slot for one in adapter.drives_of(volume) if one.state is DriveState.ONLINE]


def _span_of(slot: str, volume: Volume, adapter: Adapter) -> int | None:
    if volume.spans:
        return volume.spans[volume.slots.index(slot)]
    drive = adapter.drive(slot)
    return drive.span if drive is not None else None


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
        *adapter.faults,
        *([f"the card's own state is {adapter.status}"] if _unexplained(adapter) else []),
    ]


_WELL: Final = re.compile(r"(?:optimal|optl|ok|okay|good|normal|healthy|unknown|n/?a|-|)", re.IGNORECASE)


def _unexplained(adapter: Adapter) -> bool:
    """Whether the card says that it is not well, and nothing that it says of its parts explains that."""
    return (
        _WELL.fullmatch(adapter.status) is None
        and not adapter.faults
        and not adapter.preserved_cache
        and adapter.keeps_cache is not False
        and all(one.state is VolumeState.OPTIMAL for one in adapter.volumes)
        and not any(is_failing(one) or one.state in _NOT_WELL for one in adapter.drives)
    )
